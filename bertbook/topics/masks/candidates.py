"""Attentions with a padding mask, right and broken, and what a test may look at. Chapter 3."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minibert.reference import softmax

_LOWEST = np.finfo(np.float64).min


@dataclass(frozen=True)
class _Attention:
    """Somebody's attention with a padding mask, called by what it does with the mask."""

    told: str
    weigh: Callable
    seen: Callable = lambda mask: mask == 1

    def __repr__(self) -> str:
        return f"an attention that {self.told}"

    def __call__(self, query, key, value, attention_mask):
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-1])
        with np.errstate(all="ignore"):
            probs = self.weigh(scores, self.seen(np.asarray(attention_mask))[..., None, :])
        return probs @ value, probs


def _added(number):
    return lambda scores, seen: softmax(scores + np.where(seen, 0.0, number))


def _divided_late(scores, seen):
    probs = softmax(scores) * seen
    return probs / np.maximum(probs.sum(axis=-1, keepdims=True), 1e-300)


def _first(mask):
    """See as many tokens as there are words, from the first on."""
    return np.arange(mask.shape[-1]) < mask.sum(axis=-1, keepdims=True)


def _swapped(scores, seen):
    """Hand the words each other's probabilities, once a token is hidden."""
    probs, words = _added(_LOWEST)(scores, seen), np.flatnonzero(seen[(0,) * (seen.ndim - 1)])
    if len(words) < probs.shape[-1]:
        probs[..., words, :] = probs[..., np.roll(words, 1), :]
    return probs


def _to_the_last(mask):
    """See all tokens from the first word to the last."""
    after, before = (np.cumsum(m, axis=-1) for m in (mask, mask[..., ::-1]))
    return (after > 0) & (before[..., ::-1] > 0)


RIGHT = _Attention("adds the lowest number", _added(_LOWEST))
BROKEN = [
    _Attention("has no mask", lambda scores, seen: softmax(scores)),
    _Attention("adds −10", _added(-10.0)),
    _Attention("adds −∞", _added(-np.inf)),
    _Attention("hides after the softmax", lambda scores, seen: softmax(scores) * seen),
    _Attention("hides after the softmax, then divides by the sum of each row", _divided_late),
    _Attention("hides the words", lambda scores, seen: _added(_LOWEST)(scores, ~seen)),
    _Attention("multiplies scores by the mask", lambda scores, seen: softmax(scores * seen)),
    _Attention("multiplies scores and probabilities by the mask",
               lambda scores, seen: softmax(scores * seen) * seen),
    _Attention("counts the words and sees as many tokens, from the first on", _added(_LOWEST),
               _first),
    _Attention("hands words each other's probabilities, once a token is hidden", _swapped),
    _Attention("sees all from the first word to the last", _added(_LOWEST), _to_the_last),
]  # fmt: skip


def has_zeros(attend: Callable) -> bool:
    """Return whether padding has the weight 0."""
    return bool((attend(*[np.eye(3)] * 3, np.array([1, 1, 0]))[1][:, 2] == 0).all())


def sums_to_one(attend: Callable) -> bool:
    """Return whether each row sums to 1."""
    probs = attend(*[np.eye(3)] * 3, np.array([1, 1, 0]))[1]
    return bool(np.allclose(probs.sum(axis=-1), 1))
