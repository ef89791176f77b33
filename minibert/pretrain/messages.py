"""Failures in a sentence: what is wrong and the way out, in place of a stack trace."""

from __future__ import annotations

import os
import sys

# What can go wrong without a fault in the program: files, values, numbers, memory, devices.
FAILURES = (OSError, ValueError, FloatingPointError, MemoryError, RuntimeError)


def sentence_of(error: BaseException) -> str:
    """Say in one sentence what has gone wrong.

    Parameters
    ----------
    error : BaseException
        One of `FAILURES`.

    Returns
    -------
    str
        A single line.

    References
    ----------
    Chapter 14.

    Examples
    --------
    >>> sentence_of(PermissionError(13, "Permission denied", "novel.txt"))
    "'novel.txt': Permission denied"
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror
    told = " ".join(str(error).partition("\n")[0].split())
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "memory" in told):
        return (
            f"there was not enough memory ({told or type(error).__name__}); take a smaller "
            "--config, --batch-size or --max-length"
        )
    return told or type(error).__name__


def complain(told: str) -> None:
    """Print a sentence where errors belong; all but the first process say who they are.

    Parameters
    ----------
    told : str
        The sentence.

    References
    ----------
    Chapter 14.
    """
    rank = os.environ.get("RANK", "0")
    print("error:" if rank == "0" else f"error in process {rank}:", told, file=sys.stderr)


def show_warning(message: object, *_: object) -> None:
    """Print a warning without the line of code that gave it.

    Parameters
    ----------
    message : object
        The warning.
    *_ : object
        Where it comes from.

    References
    ----------
    Chapter 14.
    """
    print("warning:", message, file=sys.stderr)
