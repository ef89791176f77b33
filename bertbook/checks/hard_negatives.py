"""Exercise of Chapter 19: negatives that are hard, and surely wrong."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake


def _hard(scores, right, margin, *, allowed=lambda scores, own, margin: scores < own - margin,
          fill=-np.inf, pick=np.argmax):  # fmt: skip
    """Find the best document that is clearly worse than the right one."""
    scores, right = np.asarray(scores, dtype=float), np.asarray(right)
    own = scores[np.arange(len(scores)), right][:, None]
    found = np.where(allowed(scores, own, margin), scores, fill)
    return pick(found, axis=1)


def _hardest(scores, right, margin):
    found = np.array(scores, dtype=float)
    found[np.arange(len(found)), right] = -np.inf
    return found.argmax(axis=1)


def _with_own(own):
    """Build the answer of somebody who finds the scores of the right documents in another way."""
    return lambda scores, right, margin: np.where(
        scores < own(scores, right) - margin, scores, -np.inf
    ).argmax(axis=1)


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
    mistakes=[
        Mistake(_hardest, "You take the best of all others. One that scores as high as the right "
                "one, or higher, may well be right itself: leave a margin below it."),
        Mistake({"allowed": lambda scores, own, margin: scores < own + margin}, "You allow what "
                "scores above the right one. The margin lies below it."),
        Mistake({"allowed": lambda scores, own, margin: scores < own}, "Where is the margin?"),
        Mistake({"allowed": lambda scores, own, margin: scores < own * (1 - margin)}, "Your margin "
                "is a share of the score. Here it is a difference."),
        Mistake({"allowed": lambda scores, own, margin: abs(scores - own) > margin}, "You allow "
                "what lies far above the right one, too. Only what is below is surely wrong."),
        Mistake({"allowed": lambda scores, own, margin: scores <= own - margin}, "More than the "
                "margin is asked for: with a margin of 0 you would take the right one itself."),
        Mistake({"fill": 0.0}, "You write 0 where nothing may be chosen, and cosines can be below "
                "0. Write minus infinity."),
        Mistake(_with_own(lambda scores, right: scores.max(axis=1, keepdims=True)), "You measure "
                "from the best score of the row. Measure from that of the right document."),
        Mistake(_with_own(lambda scores, right: scores[:, right]), "scores[:, right] has all those "
                "columns for every query. Each query needs its own: "
                "scores[np.arange(len(scores)), right]."),
        Mistake(_with_own(lambda scores, right: scores[np.arange(len(scores)), right]), "The "
                "scores of the right documents lie in a row. Make a column of them, [:, None], so "
                "that each is compared with its own query."),
        Mistake({"pick": lambda found, axis: np.isfinite(found).argmax(axis)}, "That is the first "
                "one allowed. Of all that are allowed take the one with the highest score."),
        Mistake({"pick": np.max}, "That is its score. Return the number of the document."),
        Mistake(lambda scores, right, margin: np.argmin(scores, axis=1), "That is the worst "
                "document. It teaches nothing: nobody would mistake it for the right one."),
        Mistake(lambda scores, right, margin: np.argmax(scores, axis=1), "That may be the right "
                "document itself."),
    ],
)  # fmt: skip
