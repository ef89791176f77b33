"""Exercise of Chapter 16: which letters a program keeps, and which go to a person."""

from __future__ import annotations

import math
import operator

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake

_RNG = np.random.default_rng(160)


def _share_right(chances, truth, threshold):
    sure = chances.max(axis=1) >= threshold
    return (chances.argmax(axis=1) == truth)[sure].mean()


def _threshold(chances, truth, wanted, *, right=_share_right, pick=min, enough=operator.ge,
               none=math.inf, tried=lambda chances: chances.max(axis=1)):  # fmt: skip
    fit = [t for t in tried(chances) if enough(right(chances, truth, t), wanted)]
    return float(pick(fit)) if fit else none


def _threshold_case(rows, good, wanted):
    truth = _RNG.integers(3, size=rows)
    scores = np.round(_RNG.normal(size=(rows, 3)), 1)
    scores[np.arange(rows), truth] += good
    return softmax(scores), truth, wanted


check_threshold = Exercise(
    "Return the lowest threshold at which enough of what is kept is right.",
    _threshold,
    cases=[_threshold_case(*sizes) for sizes in (
        (6, 1.5, 0.8), (12, 1, 0.75), (20, 1, 0.9), (30, 0.5, 0.8))]
    + [(np.array([[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]),
        np.array([1, 0, 1, 0]), 2 / 3),
       (np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.6]]), np.array([1, 2]), 0.9)],
    mistakes=[
        Mistake({"pick": max}, "That is the highest threshold that will do, and it keeps next to "
                "nothing. Coverage is what you pay with."),
        Mistake({"right": lambda chances, truth, t: np.mean(
                (chances.argmax(axis=1) == truth) & (chances.max(axis=1) >= t))}, "You divide by "
                "all letters. Which part of those that are kept is right?"),
        Mistake({"right": lambda chances, truth, t: (chances.argmax(axis=1) == truth)[
                chances.max(axis=1) > t].mean() if (chances.max(axis=1) > t).any() else 0.0},
                "A letter that lies exactly on the threshold is kept, too."),
        Mistake({"right": lambda chances, truth, t: chances.max(axis=1)[
                chances.max(axis=1) >= t].mean()}, "You ask how sure the program is. How often is "
                "it right?"),
        Mistake({"enough": operator.gt}, "Exactly as much as wanted is enough."),
        Mistake(lambda chances, truth, wanted: wanted, "A largest probability of 0.9 does not mean "
                "that nine of ten are right. Measure it."),
        Mistake({"none": 0.0}, "No threshold will do, and you keep everything. Keep nothing: "
                "return math.inf."),
        Mistake({"tried": lambda chances: np.arange(101) / 100}, "You try hundredths. Only the "
                "largest probabilities that occur can change anything: try these."),
        Mistake(ValueError, "No threshold will do in one of the cases, so there is none to choose "
                "from. Return math.inf there."),
    ],
)  # fmt: skip
