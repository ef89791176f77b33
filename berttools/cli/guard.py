"""A command whose failures are sentences, and after which a run can go on. Chapter 14."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from .messages import FAILURES, sentence_of
from .output import OutputLost, complain, show_warning


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
