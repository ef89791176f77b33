"""A limit for functions that never end. Chapter 6."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer; Windows and other threads know no such limit."""
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or not hasattr(signal, "setitimer"):
        yield
        return

    before = signal.signal(signal.SIGALRM, partial(_stop, seconds))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(seconds: float, *_: object) -> None:
    raise TimeoutError(f"no answer after {seconds:g} seconds")
