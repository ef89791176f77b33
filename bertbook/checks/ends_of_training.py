"""Exercise of Chapter 13, a reader's own measurement: runs that begin anew for each seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .exercise import attempt
from .verdict import Verdict


def check_ends(measure: Callable) -> Verdict:
    """Say whether a measurement of the warm-up can be trusted; four runs are made."""
    ends = []
    for warmup, seeds in ((8, [0, 1]), (8, [1]), (1, [1])):
        found, problem = attempt(measure, warmup, seeds)
        problem = problem or _form_problem(found, len(seeds))
        if problem:
            return Verdict(False, problem)
        ends.append(found)
    problem = _problem(*ends[0], *ends[1], *ends[2])
    right = "Right: every seed begins anew, and the warm-up counts. What did you find?"
    return Verdict(not problem, problem or right)


def _form_problem(ends: object, count: int) -> str:
    """Return what is wrong with the form of the ends of so many runs."""
    try:
        found = np.asarray(ends, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (count,):
        return f"It should return a list of one number for each seed, {count} here."
    good = np.isfinite(found).all()
    return "" if good else f"Some ends are not finite: {found.tolist()}."


def _problem(first: float, second: float, alone: float, other: float) -> str:
    """Return what the ends say of the runs: seeds 0 and 1, 1 alone, 1 with another warm-up."""
    if first == second:
        return "Two seeds end at the same number. Does the seed reach the model and the batches?"
    if alone != second:
        return (
            f"Seed 1 alone ends at {alone:.4f}, and after seed 0 at {second:.4f}. Does every run "
            "begin with a new model, and with its own seed?"
        )
    same = "A warm-up of 1 update ends at the same number as one of 8. Does it reach the schedule?"
    return same if other == alone else ""
