"""One answer on trial, in a process of its own, where it can harm nothing. Chapter 1."""

from __future__ import annotations

import linecache
import multiprocessing
import os
import secrets
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from berttools.cli.failures import brief

from .exercises import Task
from .guard import forbid_harm, limit_size, state_of_modules
from .reach import CHECKER, ours_in, reached_for

NO_POINTS = "So it earns no points before somebody has read it."
PASSED, FAILED = b"+", b"-"
LONGEST_REPLY = 100_000  # bytes; a verdict has far less


class Limits(NamedTuple):
    """What an answer may take."""

    seconds: float = 60
    megabytes: int = 2000


class Reply(NamedTuple):
    """What the checker says."""

    passed: bool
    message: str


def on_trial(task: Task, code: str, chapters: Path, limits: Limits) -> Reply:
    """Run somebody's code and its checker in a process of their own, and say what it has earned.

    Nothing that the process says counts if the code reaches for what no answer needs, or if what
    it takes from our packages is the answer already.
    """
    reply = _tried(task, code, chapters, limits)
    if not reply.passed:
        return reply
    if found := reached_for(code):
        return Reply(False, f"{task.name} uses {found}, and no answer needs that. {NO_POINTS}")
    for home, thing in ours_in(code, task.above):
        for name in task.names:
            theirs = f"{home}\n\n{code}\n\n{name} = {thing}\n"
            if _tried(task, theirs, chapters, limits).passed:
                said = f"{task.name} uses {thing} of the book, which is the answer itself."
                return Reply(False, f"{said} {NO_POINTS}")
    return reply


def _tried(task: Task, code: str, chapters: Path, limits: Limits) -> Reply:
    """Run somebody's code and its checker in a process of their own.

    What the exercise needs is made before the process forks, once for all answers to it; where
    processes cannot fork, each makes it again.
    """
    if not code.strip():
        return Reply(False, f"{task.name} is not written yet.")
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    context = (
        multiprocessing.get_context("fork") if can_fork else multiprocessing.get_context("spawn")
    )
    if can_fork:
        surroundings_of(task, chapters)
    ours, theirs = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        seal = secrets.token_bytes(16)  # an answer that writes a reply by itself does not know it
        arguments = (task, code, chapters, Path(folder), limits.megabytes, theirs, seal)
        process = context.Process(target=_try, args=arguments, daemon=True)
        process.start()
        theirs.close()
        end = threading.Timer(limits.seconds + 1, process.kill)  # of a reply that never ends
        end.start()
        try:
            if not ours.poll(limits.seconds):
                return Reply(False, f"{task.name} had not ended after {limits.seconds:g} seconds.")
            said = ours.recv_bytes(LONGEST_REPLY)
            if said[: len(seal)] != seal:
                return Reply(False, f"{task.name} wrote to where only its checker replies.")
            verdict = said[len(seal) :]
            return Reply(verdict[:1] == PASSED, verdict[1:].decode(errors="replace"))
        except (EOFError, OSError):
            return Reply(False, f"{task.name} ended the process that ran it, without an answer.")
        finally:
            end.cancel()
            process.kill()
            process.join()
            ours.close()


@cache
def surroundings_of(task: Task, chapters: Path) -> dict[str, Any]:
    """Run what stands above an exercise, where its chapter stands."""
    here = Path.cwd()
    with _silence():
        os.chdir(chapters)
        try:
            return _run(task.above, f"above_{task.name}", {})
        finally:
            os.chdir(here)


def _try(
    task: Task,
    code: str,
    chapters: Path,
    folder: Path,
    megabytes: int,
    answer: Connection,
    seal: bytes,
) -> None:
    """Send what the checker says, below a seal; runs in the new process."""
    around = surroundings_of(task, chapters)
    with _silence_for_good():
        os.chdir(folder)
        _keep_only(answer)
        sys.dont_write_bytecode, tempfile.tempdir = True, str(folder)
        limit_size(megabytes)
        before = state_of_modules()
        forbid_harm(folder)
        reply = _judged(task, code, around)
        after = state_of_modules()
        changed = [name for name, thing in before.items() if after.get(name) is not thing]
        if changed:
            reply = Reply(
                False,
                "An answer may change nothing outside its own code, and this one changes "
                f"{changed[0]}.",
            )
        # Nothing that an answer can replace stands between this and the pipe.
        answer.send_bytes(
            seal + (PASSED if reply.passed else FAILED) + reply.message.encode(errors="replace")
        )


def _keep_only(answer: Connection) -> None:
    """Close what the process that grades had open and this one has inherited, but for the pipe."""
    if os.name == "posix":
        os.closerange(3, answer.fileno())
        os.closerange(answer.fileno() + 1, os.sysconf("SC_OPEN_MAX"))


def _judged(task: Task, code: str, around: dict[str, Any]) -> Reply:
    """Define what somebody has written, and ask the checker; whatever is raised is an answer."""
    page = {name: thing for name, thing in around.items() if not name.startswith(CHECKER)}
    own = f"answer_{task.name}"
    try:
        hers = _run(code, own, page)
    except BaseException as error:
        told = f"{type(error).__name__}: {error}"
        return Reply(False, brief(f"{task.name} cannot be defined: {_line(error, own)}{told}"))
    try:
        missing = [name for name in task.names if name not in hers]
        if missing:
            return Reply(False, f"{missing[0]} is not written yet.")
        verdict = eval(task.check, {**around, **{name: hers[name] for name in task.names}})
    except BaseException as error:
        return Reply(False, brief(f"{task.name} stops with {type(error).__name__}: {error}"))
    if type(verdict).__name__ != "Verdict":
        return Reply(False, f"The checker of {task.name} gave no verdict.")
    return Reply(verdict.passed is True, verdict.message)


def _line(error: BaseException, own: str) -> str:
    """Quote the last line of an answer that an error went through."""
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == own]
    return f"`{steps[-1].line}` stops with " if steps and steps[-1].line else ""


def _run(code: str, name: str, around: dict[str, Any]) -> dict[str, Any]:
    """Run code as a module, so that its source can be found again, and return its names."""
    module = sys.modules[name] = ModuleType(name)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    vars(module).update({key: value for key, value in around.items() if key[:2] != "__"})
    exec(compile(code, name, "exec"), vars(module))
    return vars(module)


@contextmanager
def _silence() -> Iterator[None]:
    """Send to nowhere what is printed in here."""
    kept = [os.dup(number) for number in (1, 2)]
    try:
        with _silence_for_good():
            yield
    finally:
        for number, old in zip((1, 2), kept):
            os.dup2(old, number)
            os.close(old)


@contextmanager
def _silence_for_good() -> Iterator[None]:
    """Send to nowhere what is printed, also past Python, and keep no way back."""
    sys.stdout.flush()
    sys.stderr.flush()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for number in (1, 2):
            os.dup2(nowhere.fileno(), number)
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            yield
