"""Commands that end early: one sentence in place of a stack trace, and how to go on. Chapter 14."""

import warnings
from collections.abc import Callable

from .output import complain, show_warning

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
    message = brief(" ".join(" ".join(lines).split())) or type(error).__name__
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "memory" in message):
        smaller = "take a smaller --config, --batch-size or --max-length"
        return f"there was not enough memory ({message}); {smaller}"
    return message


def guarded(
    work: Callable[[], int],
    hint: Callable[[], str] = lambda: "type the same command again",
    done: Callable[[], bool] = lambda: True,
) -> int:
    """Work and return the exit status; if it ends early, say by `hint` how to go on."""
    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            return work()
        except FAILURES as error:
            if isinstance(error, BrokenPipeError) and done():
                return 0  # whoever reads the output has had enough, as `head` has
            complain(sentence_of(error))
            return 1
        except (KeyboardInterrupt, ImportError) as error:
            if "KeyboardInterrupt" not in repr(error):  # as compiled modules make it one
                raise
            complain(f"stopped at once; {hint()}")
            return 130
