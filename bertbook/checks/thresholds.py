"""Exercise of Chapter 16: which letters a program keeps, and which go to a person."""

from __future__ import annotations

import math
import operator
from functools import partial

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


def _right(chances, truth):
    return chances.argmax(axis=1) == truth


def _in_their_order(chances, truth, wanted, *, stops):
    """Go from the surest letter down: stop at the first failure, or count letters one by one."""
    sure, right = chances.max(axis=1), _right(chances, truth)
    order, found = np.argsort(-sure), math.inf
    for count, number in enumerate(order, start=1):
        kept = right[sure >= sure[number]] if stops else right[order[:count]]
        if kept.mean() >= wanted:
            found = sure[number]
        elif stops:
            break
    return found


def _by_the_true_class(chances, truth, wanted):
    sure, right = chances[np.arange(len(truth)), truth], _right(chances, truth)
    return min((t for t in sure if right[sure >= t].mean() >= wanted), default=math.inf)


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
       (np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.6]]), np.array([1, 2]), 0.9),
       (np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.3, 0.0], [0.6, 0.4, 0.0]]),
        np.array([0, 1, 0, 0]), 0.7)],
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
        Mistake(partial(_in_their_order, stops=True), "You go down from the surest letter and stop "
                "at the first failure. Further down the share may be large enough again."),
        Mistake(partial(_in_their_order, stops=False), "You keep the letters one by one. Letters "
                "that are equally sure are kept together: compare with >=."),
        Mistake({"pick": lambda fit: fit[0]}, "That is the first one that will do, in the order of "
                "the letters. Which is the lowest?"),
        Mistake({"enough": operator.gt}, "Exactly as much as wanted is enough."),
        *(Mistake(wrong, "A largest probability of 0.9 does not mean that nine of ten are right. "
                  "Measure it.") for wrong in (lambda chances, truth, wanted: wanted,
                  partial(_threshold, right=lambda chances, truth, t: t))),
        Mistake(partial(_threshold, enough=operator.le), "Turned around: at least the wanted "
                "share must be right."),
        Mistake(partial(_threshold, right=lambda chances, truth, t: _right(chances, truth)[
                chances.max(axis=1) <= t].mean()), "You look at the letters that go to a person. "
                "Which are kept?"),
        Mistake(partial(_threshold, right=lambda chances, truth, t: _right(chances, truth)[
                chances.max(axis=1) >= t].all()), "All letters that are kept must be right with "
                "you. Which share is wanted?"),
        Mistake(lambda chances, truth, wanted: chances.max(axis=1)[_right(chances, truth)].min(),
                "That is the least sure letter of those that are right. Which share of what it "
                "keeps is right?"),
        Mistake(_by_the_true_class, "You take the probability of the true class, which the program "
                "does not know. Take the largest."),
        *(Mistake(lambda chances, truth, wanted, at=at: np.quantile(
                  chances.max(axis=1), at(wanted)), "You keep a share of the letters. Which share "
                  "of what is kept is right?")
          for at in (lambda wanted: wanted, lambda wanted: 1 - wanted)),
        Mistake(lambda *case: (case[0].max(axis=1) >= _threshold(*case)).mean(), "That is the "
                "share of letters that are kept. Return the threshold."),
        Mistake(lambda chances, truth, wanted: chances[chances.max(axis=0) > 0], "You take the "
                "maximum over the letters. Each letter has one of its own: axis=1."),
        *(Mistake({"none": none}, "No threshold will do, and you keep everything. Keep nothing: "
                  "return math.inf.") for none in (0.0, -math.inf)),
        *(Mistake(partial(_threshold, none=none), "Right where a threshold will do. Where none "
                  "does, return math.inf.") for none in (1.0, math.nan)),
        Mistake({"tried": lambda chances: np.arange(101) / 100}, "You try hundredths. Only the "
                "largest probabilities that occur can change anything: try these."),
        Mistake(ValueError, "No threshold will do in one of the cases, so there is none to choose "
                "from. Return math.inf there."),
    ],
)  # fmt: skip
