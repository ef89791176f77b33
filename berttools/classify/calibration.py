"""Is 0.8 right eight times in ten? One number that makes it so, and a diagram. Chapter 19."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

COLDEST, HOTTEST = 0.05, 20.0
Scores = Float[np.ndarray, "rows classes"]  # of texts, or their probabilities
Classes = Int[np.ndarray, " rows"]  # by their numbers


class Bin(NamedTuple):
    """Answers whose probability lies from `low` to `high`.

    Their `count`, mean probability, `confidence`, and the share of them that is `right`.
    """

    low: float
    high: float
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]: nobody asks a tuple's count
    confidence: float
    right: float


def with_temperature(logits: Scores, temperature: float) -> Scores:
    """Return the probabilities of scores, `logits`, that were divided by a `temperature` above 0.

    ``softmax(logits / temperature)``: above 1 all answers become less sure, none becomes another.

    >>> with_temperature(np.array([[2.0, 0.0]]), 2.0).round(3)
    array([[0.731, 0.269]])
    """
    from scipy.special import softmax

    return softmax(np.asarray(logits, dtype=np.float64) / temperature, axis=-1)


def fit_temperature(logits: Scores, labels: Classes) -> float:
    """Find the temperature from 0.05 to 20 with the lowest loss on rows that were not trained on.

    The loss is convex in ``1 / temperature``, and its slope there is the mean over rows of
    ``sum(p * logits) - logits[label]``: where that is 0, by halving an interval, is the answer
    (Guo et al., 2017, section 4.2).
    """
    logits, labels = np.asarray(logits, dtype=np.float64), np.asarray(labels)
    of_truth = np.take_along_axis(logits, labels[:, None], axis=-1)[:, 0]  # (rows)
    low, high = np.log(COLDEST), np.log(HOTTEST)
    for _ in range(60):
        middle = (low + high) / 2
        probs = with_temperature(logits, np.exp(middle))  # (rows, classes)
        slope = ((probs * logits).sum(axis=-1) - of_truth).mean()
        low, high = (low, middle) if slope < 0 else (middle, high)
    return float(np.exp((low + high) / 2))


def reliability(probs: Scores, labels: Classes, bins: int = 10) -> list[Bin]:
    """Return the answers, sorted by their probability into `bins` of equal width, lowest first.

    The largest of a row of `probs` is its answer; `labels` are the true ones. Bins without an
    answer are left out.

    >>> probs = np.array([[0.9, 0.1], [0.2, 0.8], [0.85, 0.15]])
    >>> [answers] = reliability(probs, np.array([0, 0, 0]), bins=2)
    >>> answers.count, answers.right
    (3, 0.6666666666666666)
    """
    from sklearn.calibration import calibration_curve

    confidence, right = probs.max(axis=-1), probs.argmax(axis=-1) == labels  # (rows), (rows)
    shares, means = calibration_curve(right, confidence, n_bins=bins)  # of bins with an answer
    inner = np.linspace(0, 1, bins + 1)[1:-1]  # a number on an edge belongs to the bin below
    counts = np.bincount(np.searchsorted(inner, confidence), minlength=bins)  # (bins)
    found = zip(np.flatnonzero(counts).tolist(), means.tolist(), shares.tolist(), strict=True)
    return [Bin(n / bins, (n + 1) / bins, int(counts[n]), *each) for n, *each in found]


def calibration_error(probs: Scores, labels: Classes, bins: int = 10) -> float:
    """Return the expected calibration error, from 0 to 1: how far `bins` are from the diagonal.

    ``sum over bins of count / rows * |confidence - right|``, with `probs` and true `labels` as
    `reliability` takes them. With few answers it is above 0 even for perfect probabilities.

    Source: Guo et al. (2017), section 2.

    >>> probs = np.array([[0.9, 0.1], [0.9, 0.1]])
    >>> round(calibration_error(probs, np.array([0, 1])), 2)
    0.4
    """
    distances = (b.count * abs(b.confidence - b.right) for b in reliability(probs, labels, bins))
    return float(sum(distances) / len(labels))
