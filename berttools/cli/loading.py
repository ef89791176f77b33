"""Ctrl+C while libraries load, which takes seconds. Chapter 14."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from .output import complain


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
