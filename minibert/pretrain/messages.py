"""Failures in a sentence: what is wrong and the way out, in place of a stack trace.

Chapter 14.
"""

from __future__ import annotations

# What can go wrong without a fault in the program: files, values, numbers, memory, devices.
FAILURES = (OSError, ValueError, FloatingPointError, MemoryError, RuntimeError)


def sentence_of(error: BaseException) -> str:
    """Say in one sentence what has gone wrong."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror
    told = " ".join(str(error).partition("\n")[0].split())
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "memory" in told):
        return (
            f"there was not enough memory ({told or type(error).__name__}); take a smaller "
            "--config, --batch-size or --max-length"
        )
    return told or type(error).__name__
