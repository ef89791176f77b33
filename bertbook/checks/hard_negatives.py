"""Exercise of Chapter 19: negatives that are hard, and surely wrong."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise


def _hard(scores, right, margin):
    own = scores[np.arange(len(scores)), right][:, None]
    allowed = scores < own - margin
    return np.where(allowed, scores, -np.inf).argmax(axis=1)


check_hard_negatives = Exercise(
    "Choose for each query the best document that is clearly worse than its own.",
    _hard,
    cases=[
        (np.array([[0.9, 0.7, 0.2], [0.5, 0.4, 0.1], [0.8, 0.6, 0.9]]), np.array([0, 1, 2]), 0.15),
        (np.array([[0.3, 0.9, 0.1, 0.2], [0.6, 0.5, 0.7, 0.1]]), np.array([0, 2]), 0.05),
        (np.array([[0.2, 0.6, 0.5, 0.42]]), np.array([2]), 0.1),
    ],
    edges=[
        (np.array([[0.5, 0.25, 0.125]]), np.array([0]), 0.25),
        (np.array([[0.3, -0.2, -0.5]]), np.array([0]), 0.1),
    ],
    mistakes={
        "scores < own - margin → np.arange(scores.shape[1]) != right[:, None]":
            "You take the best of all others. One that scores as high as the right one, or higher, "
            "may well be right itself: leave a margin below it.",
        "own - margin → own + margin": "You allow what scores above the right one. The margin lies "
            "below it.",
        "own - margin → own": "Where is the margin?",
        "own - margin → own * (1 - margin)": "Your margin is a share of the score. Here it is a "
            "difference.",
        "scores < own - margin → abs(scores - own) > margin": "You allow what lies far above the "
            "right one, too. Only what is below is surely wrong.",
        "< → <=": "More than the margin is asked for: with a margin of 0 you would take the right "
            "one itself.",
        "-np.inf → 0.0": "You write 0 where nothing may be chosen, and cosines can be below 0. "
            "Write minus infinity.",
        "scores[np.arange(len(scores)), right][:, None] → scores.max(axis=1, keepdims=True)":
            "You measure from the best score of the row. Measure from that of the right document.",
        "[np.arange(len(scores)), right][:, None] → [:, right]": "scores[:, right] has all those "
            "columns for every query. Each query needs its own: scores[np.arange(len(scores)), "
            "right].",
        "[:, None] →": "The scores of the right documents lie in a row. Make a column of them, [:, "
            "None], so that each is compared with its own query.",
        "np.where(allowed, scores, -np.inf) → allowed": "That is the first one allowed. Of all "
            "that are allowed take the one with the highest score.",
        "argmax → max": "That is its score. Return the number of the document.",
        "→ scores.argmin(axis=1)": "That is the worst document. It teaches nothing: nobody would "
            "mistake it for the right one.",
        "→ scores.argmax(axis=1)": "That may be the right document itself.",
    },
)  # fmt: skip
