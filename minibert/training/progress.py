"""A bar that shows how far the run is: loss, tokens per second, time left. Chapter 13."""

from __future__ import annotations

import sys
import warnings

from tqdm import std


def progress_bar(total: int, done: int, *, show: bool) -> std.tqdm:
    """Make a bar, for a notebook or for a terminal."""
    with warnings.catch_warnings():
        # tqdm warns that choosing between terminal and notebook is experimental.
        warnings.simplefilter("ignore")
        from tqdm.autonotebook import tqdm
    visible = "ipykernel.zmqshell" in sys.modules or sys.stderr.isatty()
    return tqdm(
        total=total,
        initial=done,
        disable=not (show and visible),
        unit="step",
        dynamic_ncols=True,
    )
