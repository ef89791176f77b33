"""The record of Chapter 13's runs: the best peak, and a table of the odd batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table


def with_sd(values: Sequence[float]) -> str:
    """Write the mean over seeds and their standard deviation.

    Args:
        values: One for each seed, two at least.

    Returns:
        Both with two decimals.

    >>> with_sd([1.0, 3.0])
    '2.00 ± 1.41'
    """
    return f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}"


def lowest_peak(runs: Sequence[dict]) -> float:
    """Give the peak whose runs end lowest in the mean.

    Args:
        runs: Each with its ``peak`` and what it ``held_out`` with each seed.

    Returns:
        One of the peaks.

    >>> lowest_peak([{"peak": 0.1, "held_out": [3, 5]}, {"peak": 0.2, "held_out": [3, 4]}])
    0.2
    """
    return min(runs, key=lambda run: np.mean(run["held_out"]))["peak"]


def odd_batch_table(runs: dict[str, list[dict[str, float]]]) -> Html:
    """Show the held-out loss around the odd batch, with and without clipping.

    Args:
        runs: For each way, the held-out loss by number of updates, one dict for each seed.

    Returns:
        A table.
    """
    steps = {"before": "40", "five updates after": "45", "at the end": "80"}
    rows = [
        [name, *(with_sd([run[step] for run in made]) for step in steps.values())]
        for name, made in runs.items()
    ]
    return html(result_table([*steps], rows), caption="Held-out loss, mean ± sd of five seeds.")
