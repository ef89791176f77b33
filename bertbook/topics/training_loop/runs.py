"""The record of Chapter 13's runs as tables: peaks, the odd batch, the warm-up, changed lines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table


def with_sd(values: Sequence[float]) -> str:
    """Write the mean over seeds and their standard deviation.

    Parameters
    ----------
    values : sequence of float
        One for each seed, two at least.

    Returns
    -------
    str
        Both with two decimals.

    Examples
    --------
    >>> with_sd([1.0, 3.0])
    '2.00 ± 1.41'
    """
    return f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}"


def sign_flip_p(gains: Sequence[float]) -> float:
    """Compute how often exchanged pairs are as far apart as these, over all choices of signs.

    >>> sign_flip_p([0.1, 0.2, 0.1, 0.3, 0.2])
    0.0625
    """
    signs = np.array([*itertools.product((1, -1), repeat=len(gains))])
    sums = np.abs(signs @ np.asarray(gains, dtype=float))
    return float(np.mean(sums >= sums[0] - 1e-9))


def lowest_peak(runs: Sequence[dict]) -> float:
    """Give the peak whose runs end lowest in the mean.

    Parameters
    ----------
    runs : sequence of dict
        Each with its ``peak`` and what it ``held_out`` with each seed.

    Returns
    -------
    float
        One of the peaks.

    Examples
    --------
    >>> lowest_peak([{"peak": 0.1, "held_out": [3, 5]}, {"peak": 0.2, "held_out": [3, 4]}])
    0.2
    """
    return min(runs, key=lambda run: np.mean(run["held_out"]))["peak"]


def peaks_of_single_seeds(runs: Sequence[dict]) -> list[float]:
    """Give the peak that each seed would choose alone.

    Parameters
    ----------
    runs : sequence of dict
        As in :func:`lowest_peak`.

    Returns
    -------
    list of float
        One for each seed.

    Examples
    --------
    >>> peaks_of_single_seeds([{"peak": 1, "held_out": [3, 5]}, {"peak": 2, "held_out": [4, 4]}])
    [1, 2]
    """
    ends = np.array([run["held_out"] for run in runs])
    return [runs[place]["peak"] for place in ends.argmin(axis=0)]


def odd_batch_table(runs: dict[str, list[dict[str, float]]]) -> Html:
    """Show the held-out loss around the odd batch, with and without clipping.

    Parameters
    ----------
    runs : dict
        For each way, the held-out loss by number of updates, one dict for each seed.

    Returns
    -------
    Html
        A table.
    """
    steps = {"before": "40", "five updates after": "45", "at the end": "80"}
    rows = [
        [name, *(with_sd([run[step] for run in made]) for step in steps.values())]
        for name, made in runs.items()
    ]
    return html(result_table([*steps], rows), caption="Held-out loss, mean ± sd of five seeds.")


def warm_up_table(runs: Sequence[dict]) -> Html:
    """Show what a warm-up buys at each depth and peak.

    Parameters
    ----------
    runs : sequence of dict
        Each with its ``depth``, ``peak`` and ``warmup`` (0 or more), and what it ``held_out``.

    Returns
    -------
    Html
        A table with a row for each depth and peak.
    """
    with_one = {(r["depth"], r["peak"]): r["held_out"] for r in runs if r["warmup"]}
    rows = []
    for run in runs:
        if not run["warmup"]:
            cold, warm = run["held_out"], with_one[run["depth"], run["peak"]]
            gains = np.subtract(cold, warm)
            rows.append(
                [
                    f"{run['depth']} layers, {run['peak']:g}",
                    f"{sum(gains > 0)} of {len(gains)}",
                    f"{gains.mean():.2f}",
                    with_sd(cold),
                    with_sd(warm),
                    f"{sign_flip_p([*gains]):.3f}",
                ]
            )
    columns = ["better in", "gain", "no warm-up", "warm-up", "p"]
    return html(
        result_table(columns, rows, "peak"),
        caption="Held-out loss of 100 updates without a warm-up and with 25, mean ± sd of five "
        "seeds; the gain is what the warm-up saves, in the mean over seeds.",
    )


def ends_table(runs: dict[str, dict]) -> Html:
    """Show how the healthy run ends and the changed ones, seed by seed.

    Parameters
    ----------
    runs : dict
        For each run its ``ends``, one for each seed.

    Returns
    -------
    Html
        A table.
    """
    seeds = [f"seed {seed}" for seed in range(len(next(iter(runs.values()))["ends"]))]
    rows = [[name, *(f"{end:.2f}" for end in run["ends"])] for name, run in runs.items()]
    return html(result_table(seeds, rows, "run"), caption="Held-out loss at the end.")
