"""Exercise of Chapter 11: how far to trust a word. The corruption has a checker of its own."""

from __future__ import annotations

import numpy as np

from minibert.losses import IGNORED_LABEL

from .exercise import Exercise, Mistake

_MASK_ID = 4
_RNG = np.random.default_rng(11)


def _at_words(seen, labels, mask_id):
    return (labels != IGNORED_LABEL) & (seen != mask_id)


def _rate_error(p, n):
    return np.sqrt(p * (1 - p) / n)


def _trust(seen, labels, mask_id, *, among=_at_words, right=np.equal, error=_rate_error):
    """Measure how often a word that is asked about and shown is the true one."""
    places = among(seen, labels, mask_id)
    p = right(seen[places], labels[places]).mean()
    return p, error(p, places.sum())


def _trust_case(shape):
    true, lots = _RNG.integers(5, 60, shape), _RNG.integers(60, 99, shape)
    draws, asked = _RNG.random(shape), _RNG.random(shape) < 0.6
    seen = np.where(draws < 0.5, _MASK_ID, np.where(draws < 0.7, lots, true))
    return np.where(asked, seen, true), np.where(asked, true, IGNORED_LABEL), _MASK_ID


check_trust = Exercise(
    "Measure how often the word at an asked place is the true one, and the standard error.",
    _trust,
    cases=[_trust_case((20,)), _trust_case((4, 12)), _trust_case((9, 30))],
    mistakes=[
        Mistake({"among": lambda seen, labels, mask_id: labels != IGNORED_LABEL}, "You count the "
                "places with [MASK] as well. There nobody is shown a word to trust."),
        Mistake({"among": lambda seen, labels, mask_id: seen != mask_id}, "You count places that "
                "nobody asks about. Only those with a label are asked."),
        Mistake({"right": np.not_equal}, "That is how often the word is a random one."),
        Mistake({"error": lambda p, n: np.sqrt(p * (1 - p))}, "That is the spread of one place. "
                "The mean of n places has a standard error smaller by the root of n."),
        Mistake({"error": lambda p, n: np.sqrt(p * (1 - p) / (n - 1))}, "You divide by n - 1. The "
                "formula of a proportion divides by n."),
        Mistake(lambda seen, labels, mask_id: (
            _trust(seen, labels, mask_id)[0],
            _rate_error(_trust(seen, labels, mask_id)[0], (labels != IGNORED_LABEL).sum())),
                "Your n counts all asked places. At how many of them did you look at a word?"),
        Mistake({"error": lambda p, n: p * (1 - p) / n}, "That is the variance of the mean. Its "
                "root is the standard error."),
        Mistake({"error": lambda p, n: np.sqrt(p * (1 - p)) / n}, "You divide by n. It stands "
                "under the root."),
        Mistake({"error": lambda p, n: 2 * _rate_error(p, n)}, "That is half of an interval, two "
                "standard errors. Return one."),
        Mistake(lambda *case: _trust(*case)[0], "That is the proportion. Return its standard error "
                "as well: a measurement without one cannot be judged."),
        Mistake(lambda seen, labels, mask_id: (
            _trust(seen, labels, mask_id)[0],
            _rate_error(_trust(seen, labels, mask_id)[0], labels.size)),
                "Your n is the number of all places. How many have you looked at?"),
    ],
)  # fmt: skip
