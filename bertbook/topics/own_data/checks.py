"""Exercises of Chapter 19: a temperature, leaks, thresholds with a margin."""

import math
import re
from functools import cache

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from berttools.classify import thresholds
from minibert.reference import softmax

_RNG = np.random.default_rng(19)
clopper_pearson_lower = cache(thresholds.clopper_pearson_lower)


def _temperature(logits, labels, choices):
    rows = np.arange(len(labels))
    losses = [-np.log(softmax(logits / t)[rows, labels]).mean() for t in choices]
    return choices[int(np.argmin(losses))]


def _temperature_case(rows, good, scale):
    labels = _RNG.integers(3, size=rows)
    logits = _RNG.normal(size=(rows, 3))
    logits[np.arange(rows), labels] += good
    return logits * scale, labels, [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]


check_temperature = Exercise(
    "Return the temperature with the lowest mean loss.",
    _temperature,
    cases=[_temperature_case(*sizes) for sizes in (
        (6, 1.5, 1.0), (12, 1, 4.0), (20, 1.5, 0.4), (30, 0.5, 9.0), (40, 2, 2.0))]
        + [(*_temperature_case(16, 1, 5.0)[:2], [1.0, 0.5, 8.0, 4.0, 2.0])],
    mistakes={
        "logits / t → logits * t": "Dividing makes answers less sure. You multiply.",
        "argmin → argmax": "That is the highest loss; or has your loss no minus sign?",
        "choices[…] → losses": "A temperature is asked for, not its loss or place.",
        "logits → softmax(logits)": "Divide the scores, before the softmax.",
        "[rows, labels] → .max(axis=1)": "Divide the scores, before the softmax, and take the loss "
            "of the true class.",
    },
)  # fmt: skip


def _leaks(texts, writers, train, test):
    def words(row):
        return " ".join(re.findall(r"\w+", texts[row].lower()))

    known, wrote = {words(row) for row in train}, {writers[row] for row in train}
    leaks = [words(row) in known or writers[row] in wrote for row in test]
    return [row for row, leak in zip(test, leaks) if leak]


_TEXTS = [
    "The bin is full.", "The lamp is out!", "THE BIN IS FULL", "A tree fell", "the lamp is out",
    "Music at night.", "The bin is full.", "Ice on the steps", "A tree, fell!", "a TREE fell",
    "Full is the bin.", "A tree  fell", "The bin is full, and smells.",
]  # fmt: skip
_WRITERS = ["W1", "W2", "W3", "W1", "W4", "W5", "W6", "W2", "W7", "W8", "W9", "W10", "W11"]

check_leaks = Exercise(
    "List the test rows that a model could know from training, by their text or their writer.",
    _leaks,
    cases=[
        (_TEXTS, _WRITERS, [0, 1, 8], [2, 3, 5]),
        (_TEXTS, _WRITERS, [0, 5], [1, 2, 3, 6, 8]),
        (_TEXTS, _WRITERS, [3, 4, 5], [0, 1, 6, 8, 9]),
        (_TEXTS, _WRITERS, [2, 7], [8, 6, 1, 0, 3]),
        (_TEXTS, _WRITERS, [5, 7], [0, 3, 4, 8]),
        (_TEXTS, _WRITERS, [0, 2, 1, 3], [10, 6, 11, 12]),
    ],
    mistakes={
        "known or → known and": "One of the two is enough for a leak.",
        '" ".join(…) → texts[row]': "Neither capitals nor dots make another letter.",
        "if leak → if not leak": "Those are the clean ones.",
        '" ".join → frozenset': "The same words in another order are another letter.",
        "leak] → leak][:1]": "You stop at the first one. Does the return stand in the loop?",
    },
)  # fmt: skip


def _thresholds(probs, labels, promise):
    answers, sure = probs.argmax(axis=1), probs.max(axis=1)
    found = np.full(probs.shape[1], math.inf)
    for k in range(probs.shape[1]):
        own = answers == k
        for t in sure[own]:
            kept = own & (sure >= t)
            hits = labels[kept] == k
            bound = clopper_pearson_lower(int(hits.sum()), int(kept.sum()))
            if bound >= promise:
                found[k] = min(found[k], t)
    return found


def _thresholds_case(rows, good, promise, never=0.0):
    labels = _RNG.integers(3, size=rows)
    scores = np.round(_RNG.normal(size=(rows, 3)), 1)
    scores[np.arange(rows), labels] += good
    scores[:, 2] -= never
    return softmax(scores), labels, promise


_FOUR = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8]])

check_thresholds = Exercise(
    "Choose a threshold for each class, with a margin.",
    _thresholds,
    cases=[
        (_FOUR, np.array([0, 0, 0, 1, 1, 1]), 0.4),
        *(_thresholds_case(*sizes) for sizes in ((12, 2, 0.4), (30, 2, 0.6), (40, 1.5, 0.5), (
            14, 1.5, 0.4, 9))),
        (np.repeat([[0.9, 0.1], [0.35, 0.65]], 8, axis=0), np.array([0] * 8 + [1] * 7 + [0]), 0.7),
        (_FOUR, np.array([1, 1, 1, 0, 0, 0]), 0.4),
        (_FOUR, np.array([0, 0, 0, 1, 1, 1]), clopper_pearson_lower(3, 3)),
    ],
    mistakes={
        "sure >= t → sure > t": "A letter exactly on the threshold is kept, too.",
        "min(found[k], t) → t": "Which of these is the lowest?",
        "math.inf → 1.0 ¦ math.nan": "Where no threshold will do, the class has math.inf.",
        "kept. → own. ¦ (labels == k).": "How many letters lie at or above the threshold?",
        "bound > → t >": "A probability of 0.9 is no promise. How many are right?",
    },
)  # fmt: skip
