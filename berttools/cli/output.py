"""What the commands say: for any terminal, and no stack trace if nobody can read it. Chapter 14."""

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


class OutputLost(Exception):  # noqa: N818
    """Raised when standard output can no longer be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the output could not be written ({error.strerror or error})")
        self.reader_is_gone = isinstance(error, BrokenPipeError)


def say(text: str) -> None:
    """Print a text and flush it."""
    with _writing():
        print(text, flush=True)


def say_if_possible(text: str) -> None:
    """Print a text that nobody misses: a run need not end because its log cannot be written."""
    with suppress(OutputLost):
        say(text)


def with_output(command: Callable[[], int]) -> int:
    """Run a command, and end without a stack trace when its output cannot be written."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # of letters that a terminal lacks
    try:
        try:
            return command()
        finally:  # also after --help, which ends in SystemExit
            with _writing():
                sys.stdout.flush()
    except OutputLost as lost:
        if lost.reader_is_gone:
            return 0
        complain(f"{lost}; send it to a place with room")
        return 1


def complain(message: str) -> None:
    """Print an error on standard error, with the number of the process unless it is the first."""
    rank = os.environ.get("RANK", "0")
    _warn(f"{'error:' if rank == '0' else f'error in process {rank}:'} {message}")


def show_warning(message: object, *_: object) -> None:
    """Print a warning without the line of code that gave it."""
    _warn(f"warning: {message}")


def discard(stream: TextIO) -> None:
    """Redirect a stream to nowhere, also for what Python writes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def discard_closed_terminal() -> None:
    """Discard streams that lead to a closed terminal."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # a stream in memory has no descriptor
            is_device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
            if is_device and not stream.isatty():
                discard(stream)


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        discard(sys.stdout)  # it keeps what it could not write, and would fail with it again
        raise OutputLost(error) from error


def _warn(message: str) -> None:
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)  # nothing can be shown any more
