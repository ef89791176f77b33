"""Commands that end early: one sentence in place of a stack trace, and how to go on. Chapter 14."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from .output import OutputLost, complain, show_warning

# What can go wrong without a fault in the program: files, values, numbers, memory, devices.
FAILURES = (OSError, ValueError, FloatingPointError, MemoryError, RuntimeError)
LONGEST = 600  # characters of a message; more is not read


def brief(text: str) -> str:
    """Cut a text that is too long to be read."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def sentence_of(error: BaseException) -> str:
    """Return an error as one sentence; of those of libraries, the first line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror
    lines = str(error).splitlines()[: 1 if isinstance(error, RuntimeError) else None]
    message = brief(" ".join(" ".join(lines).split()))
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "memory" in message):
        return (
            f"there was not enough memory ({message or type(error).__name__}); take a smaller "
            "--config, --batch-size or --max-length"
        )
    return message or type(error).__name__


def guarded(work: Callable[[], int], hint: Callable[[], str], done: Callable[[], bool]) -> int:
    """Work and return the exit status; if it ends early, say by `hint` how to go on."""
    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            return work()
        except FAILURES as error:
            complain(sentence_of(error))
            return 1
        except OutputLost as lost:
            if done():
                raise
            complain(f"{lost}; {hint()}")
            return 1
        except KeyboardInterrupt:
            complain(f"stopped at once; {hint()}")
            return 130


@contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """End the process at Ctrl+C while it imports, when nothing has been written.

    An exception would not do: libraries catch what their own imports raise, and go on.
    """
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or before is not signal.default_int_handler:  # ignored, or another's
        yield
        return

    def end(*_: object) -> NoReturn:
        complain("stopped at once; type the same command again")
        os._exit(130)

    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
