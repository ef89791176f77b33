"""What the commands say, and to whom. Chapter 14."""

import os
import sys
from contextlib import suppress
from typing import TextIO


def say(text: str) -> None:
    """Print a text and flush it."""
    try:
        print(text, flush=True)
    except OSError:
        discard(sys.stdout)  # it keeps what it could not write, and would fail with it again
        raise


def say_if_possible(text: str) -> None:
    """Print a text that nobody misses: a run need not end because its log cannot be written."""
    with suppress(OSError):
        say(text)


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


def _warn(message: str) -> None:
    with suppress(OSError):  # nothing can be shown any more
        print(message, file=sys.stderr, flush=True)
