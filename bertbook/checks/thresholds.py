"""Exercise of Chapter 16: which letters a program keeps, and which go to a person."""

from __future__ import annotations

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise

_RNG = np.random.default_rng(160)


def _threshold(chances, truth, wanted):
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == truth
    enough = [t for t in sure if right[sure >= t].mean() >= wanted]
    return min(enough, default=np.inf)


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
    mistakes={
        "min → max": "That is the highest threshold that will do, and it keeps next to nothing. "
            "Coverage is what you pay with.",
        "right[sure >= t].mean() → (right & (sure >= t)).mean()": "You divide by all letters. "
            "Which part of those that are kept is right?",
        "sure >= t → sure > t": "A letter that lies exactly on the threshold is kept, too.",
        "right[sure >= t] → sure[sure >= t]": "You ask how sure the program is. How often is it "
            "right?",
        "right[sure >= t].mean() >= wanted → all(right[sure >= u].mean() >= wanted for u in "
            "sure[sure >= t])": "You go down from the surest letter and stop at the first failure. "
            "Further down the share may be large enough again.",
        "t for t in sure if right[sure >= t] → sure[order[n]] for n in range(len(sure)) if "
            "right[order[: n + 1]]||enough = → order = np.argsort(-sure)\n    enough =":
            "You keep the letters one by one. Letters that are equally sure are kept together: "
            "compare with >=.",
        "min(enough, default=np.inf) → [*enough, np.inf][0]": "That is the first one that will do, "
            "in the order of the letters. Which is the lowest?",
        ">= wanted → > wanted": "Exactly as much as wanted is enough.",
        ("→ wanted", "right[sure >= t].mean() → t"): "A largest probability of 0.9 does not mean "
            "that nine of ten are right. Measure it.",
        ">= wanted → <= wanted": "Turned around: at least the wanted share must be right.",
        "sure >= t → sure <= t": "You look at the letters that go to a person. Which are kept?",
        "mean → all": "All letters that are kept must be right with you. Which share is wanted?",
        "min(enough, default=np.inf) → sure[right].min()": "That is the least sure letter of those "
            "that are right. Which share of what it keeps is right?",
        "chances.max(axis=1) → chances[range(len(truth)), truth]": "You take the probability of "
            "the true class, which the program does not know. Take the largest.",
        ("min(enough, default=np.inf) → np.quantile(sure, wanted)",
            "min(enough, default=np.inf) → np.quantile(sure, 1 - wanted)"):
            "You keep a share of the letters. Which share of what is kept is right?",
        "min(enough, default=np.inf) → (sure >= min(enough, default=np.inf)).mean()":
            "That is the share of letters that are kept. Return the threshold.",
        "max(axis=1) → max(axis=0)": "You take the maximum over the letters. Each letter has one "
            "of its own: axis=1.",
        ("default=np.inf → default=0.0", "default=np.inf → default=-np.inf"):
            "No threshold will do, and you keep everything. Keep nothing: return math.inf.",
        ("default=np.inf → default=1.0", "default=np.inf → default=np.nan"):
            "Right where a threshold will do. Where none does, return math.inf.",
        "t in sure → t in np.arange(101) / 100": "You try hundredths. Only the largest "
            "probabilities that occur can change anything: try these.",
        ValueError: "No threshold will do in one of the cases, so there is none to choose from. "
            "Return math.inf there.",
    },
)  # fmt: skip
