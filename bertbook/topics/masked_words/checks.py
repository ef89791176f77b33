"""Exercise of Chapter 11: how far to trust a word. The corruption has a checker of its own."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.losses import IGNORED_LABEL

_MASK_ID = 4
_RNG = np.random.default_rng(11)


def _trust(seen, labels, mask_id):
    words = (labels != -100) & (seen != mask_id)
    p = (seen[words] == labels[words]).mean()
    return p, np.sqrt(p * (1 - p) / words.sum())


def _trust_case(shape):
    true, lots = _RNG.integers(5, 60, shape), _RNG.integers(60, 99, shape)
    draws, asked = _RNG.random(shape), _RNG.random(shape) < 0.6
    seen = np.where(draws < 0.5, _MASK_ID, np.where(draws < 0.7, lots, true))
    return np.where(asked, seen, true), np.where(asked, true, IGNORED_LABEL), _MASK_ID


check_trust = Exercise(
    "Measure how often a word at a labeled position is the true one, and the standard error.",
    _trust,
    cases=[_trust_case((20,)), _trust_case((4, 12)), _trust_case((9, 30))],
    mistakes={
        "& (seen != mask_id) →": "At [MASK] no word stands that could be trusted.",
        "(labels != -100) & →": "Only positions with a label may have changed.",
        ("np.sqrt( → (", "/ words.sum() →", "np.sqrt(…) → np.sqrt(p * (1 - p)) / words.sum()",
            "p * (1 - p) → p ¦ 0.25 ¦ p * (1 + p)"): "Under the root stands p (1 - p) / n, and "
            "nothing else.",
        "words.sum() → words.size ¦ (labels != -100).sum() ¦ (words.sum() - 1)": "Which words have "
            "you looked at? So many is n.",
        "!= mask_id → == mask_id": "At [MASK] no word stands that could be trusted.",
        "np.sqrt → 2 * np.sqrt": "Return one standard error, and no interval.",
        ", np.sqrt(…) →": "Return the standard error as well.",
    },
)  # fmt: skip
