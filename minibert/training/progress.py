"""A bar that shows how far the run is: loss, tokens per second, time left."""

from __future__ import annotations

import sys
import warnings

from tqdm import std


def progress_bar(total: int, done: int, *, show: bool) -> std.tqdm:
    """Make a bar, for a notebook or for a terminal.

    Parameters
    ----------
    total : int
        Updates of the whole run.
    done : int
        Updates before this start.
    show : bool
        False gives a bar that is not seen. So does a terminal that is none, such as a log file.

    Returns
    -------
    tqdm
        A context manager with ``update(1)`` and ``set_postfix(loss=..., ...)``.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> with progress_bar(10, 3, show=False) as bar:
    ...     bar.n, bar.total
    (3, 10)
    """
    with warnings.catch_warnings():
        # Without ipywidgets tqdm warns and takes the bar for terminals; that is what we want.
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
