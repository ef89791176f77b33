"""How good are answers: of each class, on average, and with an interval? Chapter 19."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

DRAWS, ENDS = 1000, (0.025, 0.975)


def class_scores(
    labels: Int[np.ndarray, " rows"], answers: Int[np.ndarray, " rows"], classes: int
) -> list[list[float]]:
    """Compute precision, recall, F1 and rows of each class; 0 where nothing can be divided."""
    from sklearn.metrics import precision_recall_fscore_support

    scores: Any = precision_recall_fscore_support(
        labels,
        answers,
        labels=range(classes),
        zero_division=0,  # pyright: ignore[reportArgumentType]
    )
    return [[float(p), float(r), float(f), int(n)] for p, r, f, n in zip(*scores)]


def mean_f1(labels: Int[np.ndarray, " rows"], answers: Int[np.ndarray, " rows"]) -> float:
    """Compute the mean of F1 over the classes that have rows."""
    from sklearn.metrics import f1_score

    return float(f1_score(labels, answers, labels=np.unique(labels), average="macro"))


def interval(
    values: Float[np.ndarray, " rows"], blocks: Sequence[Sequence[int]], *, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of a mean over rows, by drawing whole blocks again (bootstrap)."""
    sums = np.array([[values[rows].sum(), len(rows)] for rows in map(list, blocks)])
    shares = np.full(len(sums), 1 / len(sums))
    drawn = np.random.default_rng(seed).multinomial(len(sums), shares, size=DRAWS)
    total, count = (drawn @ sums).T
    low, high = np.quantile(total / count, ENDS)
    return float(low), float(high)
