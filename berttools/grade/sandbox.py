"""One answer in a process of its own, with limits of time and memory, and without a network.

This keeps the answers of an honest class apart: what loops, prints, raises, ends Python or asks for
too much memory costs its own points and no others. It is no prison: an answer may read and write
the files of whoever grades, and may look for its checker. Answers of people you do not know belong
in a container. Chapter 1.
"""

import json
import linecache
import multiprocessing
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from berttools.cli.failures import brief

from .exercises import Task

NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo")


class Limits(NamedTuple):
    """What an answer may take."""

    seconds: float = 60
    megabytes: int = 2000


class Reply(NamedTuple):
    """What the checker says."""

    passed: bool
    message: str


def run_checker(task: Task, code: str, chapters: Path, limits: Limits) -> Reply:
    """Run an answer and its checker in a process of their own.

    What the exercise needs is made before the process forks, once for all answers to it; where
    processes cannot fork, each makes it again.
    """
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
    if can_fork:
        _namespace_of(task, chapters)
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        arguments = (task, code, chapters, folder, limits.megabytes, sender)
        process = context.Process(target=_send_reply, args=arguments, daemon=True)
        process.start()
        sender.close()
        try:
            if receiver.poll(limits.seconds):
                return Reply(*json.loads(receiver.recv_bytes()))
            return Reply(False, f"{task.name} had not ended after {limits.seconds:g} seconds.")
        except (EOFError, OSError):
            return Reply(False, f"{task.name} ended the process that ran it, without an answer.")
        finally:
            process.kill()
            process.join()
            receiver.close()


@cache
def _namespace_of(task: Task, chapters: Path) -> dict[str, Any]:
    """Run what stands above an exercise, where its chapter stands."""
    here = Path.cwd()
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        os.chdir(chapters)
        try:
            return _run(task.above, f"above_{task.name}", {})
        finally:
            os.chdir(here)


def _send_reply(
    task: Task, code: str, chapters: Path, folder: str, megabytes: int, sender: Connection
) -> None:
    """Send what the checker says; runs in the new process, in which nothing is printed."""
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (1, 2):  # also what is printed past Python
        os.dup2(sys.stdout.fileno(), stream)
    namespace = _namespace_of(task, chapters)
    os.chdir(folder)
    _limit_memory(megabytes)
    sys.addaudithook(_refuse_network)
    sender.send_bytes(json.dumps(_checked(task, code, namespace)).encode())


def _limit_memory(megabytes: int) -> None:
    """Let this process ask for so much more memory, where the system counts it: on Linux."""
    with suppress(ImportError, OSError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + megabytes * 10**6
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _refuse_network(event: str, _: tuple) -> None:
    if event.startswith(NETWORK):
        raise PermissionError(f"an answer has no network, and this one asked for {event}")


def _checked(task: Task, code: str, namespace: dict[str, Any]) -> Reply:
    """Define what somebody has written, and ask the checker; whatever is raised is an answer."""
    doing = "cannot be defined:"
    try:
        submission = _run(code, f"answer_{task.name}", namespace)
        doing = "stops with"
        answers = {name: submission[name] for name in task.names}
        verdict = eval(task.check, {**namespace, **answers})
        return Reply(bool(verdict.passed), str(verdict.message))
    except BaseException as error:
        return Reply(False, brief(f"{task.name} {doing} {type(error).__name__}: {error}"))


def _run(code: str, name: str, namespace: dict[str, Any]) -> dict[str, Any]:
    """Run code as a module, so that its source can be found again, and return its names."""
    module = sys.modules[name] = ModuleType(name)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    vars(module).update({key: value for key, value in namespace.items() if key[:2] != "__"})
    exec(compile(code, name, "exec"), vars(module))
    return vars(module)
