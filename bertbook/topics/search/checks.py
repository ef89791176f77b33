"""Exercises of Chapter 22: the contrastive loss and its lowest value, hard negatives."""

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_RNG = np.random.default_rng(19)


def _unit(vectors):
    return vectors / norm(vectors, axis=-1, keepdims=True)


def _contrast(q, d, t):
    scores = _unit(q) @ _unit(d).T / t
    return -np.diag(log_softmax(scores)).mean()


check_contrastive_loss = Exercise(
    "Compute the mean loss of picking each query's own document out of all.",
    _contrast,
    cases=[(*_RNG.normal(size=(2, 2, 3)), 1.0), (*np.split(_RNG.normal(size=(8, 4)), [3]), 0.5),
           (*_RNG.normal(size=(2, 4, 2)), 0.05)], forbidden=["a loop", "contrastive_loss"],
    edges=[(np.eye(2), np.array([[-1.0, 0.0], [0.0, 1.0]]), 0.001)], given=to_tensor,
    then=gradients_flow(np.ones((2, 3)), np.ones((4, 3)), 0.5, to=2),
    mistakes={
        "_unit → ¦ (lambda x: x / norm(x))": "Length still counts. Scale every vector to length "
            "1.",
        "/ t → ¦ * t ¦ / t**2": "Divide scores by the temperature, once.",
        "-….mean → np.exp(…).mean ¦ ….mean ¦ 1 - np.exp(…).mean": "Where is minus the logarithm?",
        ".mean() → ¦ .sum() ¦ .sum() / len(d)": "Take the mean over the queries.",
        "() → () if t > .01 else np.nan ¦ () if t > .01 else np.inf": OVERFLOW,
    },
)  # fmt: skip


def _lowest(pairs, temperature):
    apart = -1 / (pairs - 1)
    return np.log(1 + (pairs - 1) * np.exp((apart - 1) / temperature))


check_lowest_loss = Exercise(
    "Find the lowest contrastive loss that free vectors can reach.",
    _lowest,
    cases=[(2, 1.0), (3, 1.0), (4, 0.5), (8, 1.0)],
    edges=[(5, 0.2)],
    rtol=2e-3,
    mistakes={
        "-1 / (pairs - 1) → -1": "Can three vectors all point away from one another? Let vectors "
            "decide: minimize.",
        "-1 / (pairs - 1) → 0": "Right angles are not the end: vectors can lean further apart.",
        "/ temperature → ¦ * temperature": "Divide the cosines by the temperature.",
        "1 + (pairs - 1) → 1 + pairs": "How many of the documents are wrong ones?",
        "→ 0.0": "Loss 0 is out of reach for cosines. Does the length of your vectors count?",
        "→ np.log(pairs)": "That is guessing. Do your vectors move, or are all of them alike?",
        "→ np.log(np.exp((np.cos(2 * np.pi * np.arange(pairs) / pairs) - 1) / temperature).sum())":
            "Two numbers in each vector are too few. Give each as many as there are pairs.",
        "→ 1.03 * right(pairs, temperature)": ("A little above the lowest. Have your vectors "
            "stopped moving? Take more steps.",
            lambda got, want, *_: (got > want) & (got < 1.05 * want + 2e-3)),
    },
)  # fmt: skip


def _hard(scores, right, margin):
    own = scores[np.arange(len(scores)), right][:, None]
    return np.where(scores < own - margin, scores, -np.inf).argmax(axis=1)


def _below(got, want, scores, right, margin):
    chosen = got[rows := np.flatnonzero(got != want)].astype(int) % scores.shape[1]
    # A number that is no column's is neither: one entry each way fits no hint that asks this.
    below = scores[rows, chosen] < scores[rows, right[rows]] - margin
    return np.r_[below, True, False] if (got % 1).any() else below


check_hard_negatives = Exercise(
    "Choose for each query the best document that is clearly worse than its own.",
    _hard,
    cases=[(np.array([[0.9, 0.7, 0.2], [0.5, 0.4, 0.1], [0.8, 0.6, 0.9]]), np.array([0, 1, 2]),
           0.15), (np.array([[0.3, 0.9, 0.1, 0.2], [0.6, 0.5, 0.7, 0.1]]), np.array([0, 2]), 0.05),
           (np.array([[0.2, 0.6, 0.5, 0.42]]), np.array([2]), 0.1)],
    edges=[(np.array([[0.5, 0.25, 0.125]]), np.array([0]), 0.25),
           (np.array([[0.3, -0.2, -0.5], [-2.0, -3.0, -4.0]]), np.array([0, 0]), 0.1)],
    mistakes={
        "argmax → max": "That is its score. Return the number of the document.",
        "- margin → ¦ + margin ¦ + margin * (scores != "
            "own)": ("Is yours more than the margin below the right one?",
            lambda *case: not _below(*case).any()),
        "< → <=": "With a margin of 0 you would take the right one itself.",
        "-np.inf → 0.0 ¦ -1.0": "Scores can be below that. Write minus infinity.",
        "[:, None] → ¦ .mean() ¦ .min()": "Each query has a score of its own: a column, [:, None].",
    },
)  # fmt: skip
