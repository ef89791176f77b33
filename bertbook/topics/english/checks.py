"""The exercise of the optional page of Chapter 14 on a real book: backing off."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise


def _back_off(counts, shorter):
    counts, shorter = np.array(counts, dtype=float), np.array(shorter)
    kinds = np.count_nonzero(counts)
    return (counts + kinds * shorter) / (counts.sum() + kinds)


check_back_off = Exercise(
    "Mix the counts of a context with the guess of a shorter one, as Witten and Bell do.",
    _back_off,
    cases=[([3, 1, 0, 0], [0.25, 0.25, 0.25, 0.25]), ([0, 7, 0], [0.5, 0.2, 0.3]),
           ([1, 1, 1, 1, 1, 0], [0.1, 0.1, 0.1, 0.1, 0.1, 0.5]),
           ([20, 4, 0, 1], [0.4, 0.3, 0.2, 0.1])],
    mistakes={
        "/ (counts.sum() + kinds) →": "Do these add up to 1?",
        "counts.sum() + kinds → counts.sum()": "Do these add up to 1?",
        "+ kinds * shorter →||counts.sum() + kinds → counts.sum()":
            "What was never seen here gets nothing.",
        "kinds * shorter → shorter||counts.sum() + kinds → counts.sum() + 1":
            "How many different pieces were seen? So much weight has the shorter context.",
        "np.count_nonzero(counts) → len(counts)": "Count only the pieces that were seen here.",
        "kinds * shorter → kinds / len(counts)": "The rest is shared as the shorter context says.",
    },
)  # fmt: skip
