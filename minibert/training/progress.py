"""The progress of a run: a bar, or where none can be drawn a line every minute. Chapter 13."""

import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

DELAY, INTERVAL = 5.0, 60.0  # seconds until the first line, and between two


class ProgressLines:
    """Print the time left, in tqdm's interface; the first step, which loads libraries, is free."""

    def __init__(self, total: int, done: int, show: Callable[[str], None]) -> None:
        self.total, self.done, self.show = total, done, show
        self.first, self.began, self.due = done + 1, 0.0, 0.0
        self.loss = ""

    def set_postfix(self, fields: dict[str, str], refresh: bool) -> None:
        """Take the loss of the newest step."""
        self.loss = fields["loss"]

    def update(self) -> None:
        """Count a step, and print a line if one is due."""
        self.done += 1
        now, steps = time.monotonic(), self.done - self.first
        if not steps:
            self.began, self.due = now, now + DELAY
        elif now >= self.due and self.done < self.total:
            left = (now - self.began) / steps * (self.total - self.done)
            done = f"Step {self.done:,} of {self.total:,}"
            self.show(f"{done}: loss {self.loss}, {time_in_words(left)} left.")
            self.due = now + INTERVAL


def time_in_words(seconds: float) -> str:
    """Round a time to what matters."""
    if seconds < 90:
        return f"about {max(10, round(seconds, -1)):.0f} seconds"
    if seconds < 90 * 60:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


def progress_bar(total: int, done: int, *, show: bool | Callable[[str], None]) -> Any:
    """Return a context of tqdm's bar for notebook or terminal, or of lines for a function."""
    visible = "ipykernel.zmqshell" in sys.modules or sys.stderr.isatty()
    if callable(show) and not visible:
        return nullcontext(ProgressLines(total, done, show))
    with warnings.catch_warnings():
        # tqdm warns that choosing between terminal and notebook is experimental.
        warnings.simplefilter("ignore")
        from tqdm.autonotebook import tqdm
    return tqdm(
        total=total, initial=done, disable=not (show and visible), unit="step", dynamic_ncols=True
    )
