"""How far a run is: a bar with loss and time left, or plain lines in a log. Chapter 13."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

from tqdm import std

SOON, EVERY = 5.0, 60.0  # seconds until the first line, and between two


class PlainLines:
    """Say after a few steps how long it will take, and then how far it is, every minute.

    The first step is not timed: it loads libraries.
    """

    def __init__(self, total: int, done: int, say: Callable[[str], None]) -> None:
        self.total, self.done, self.say = total, done, say
        self.began_at, self.began, self.due = done + 1, 0.0, 0.0
        self.loss = ""

    def __enter__(self) -> PlainLines:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def set_postfix(self, fields: dict[str, str], refresh: bool) -> None:
        """Take the loss of the newest step."""
        self.loss = fields["loss"]

    def update(self) -> None:
        """Count a step, and say a line if one is due."""
        self.done += 1
        now, steps = time.monotonic(), self.done - self.began_at
        if not steps:
            self.began, self.due = now, now + SOON
        elif now >= self.due and self.done < self.total:
            left = (now - self.began) / steps * (self.total - self.done)
            done = f"Step {self.done:,} of {self.total:,}"
            self.say(f"{done}: loss {self.loss}, {time_in_words(left)} left.")
            self.due = now + EVERY


def time_in_words(seconds: float) -> str:
    """Round a time as a person would say it."""
    if seconds < 90:
        return f"about {max(10, round(seconds, -1)):.0f} seconds"
    if seconds < 90 * 60:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


def progress_bar(
    total: int, done: int, *, show: bool | Callable[[str], None]
) -> std.tqdm | PlainLines:
    """Make a bar, for a notebook or for a terminal; elsewhere lines, if there is who says them."""
    visible = "ipykernel.zmqshell" in sys.modules or sys.stderr.isatty()
    if callable(show) and not visible:
        return PlainLines(total, done, show)
    with warnings.catch_warnings():
        # tqdm warns that choosing between terminal and notebook is experimental.
        warnings.simplefilter("ignore")
        from tqdm.autonotebook import tqdm
    return tqdm(
        total=total, initial=done, disable=not (show and visible), unit="step", dynamic_ncols=True
    )
