"""Attentions with a padding mask, right and broken, and ways to test them. Chapter 3."""

from __future__ import annotations

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

    def __repr__(self) -> str:
        return f"an attention that {self.told}"

    def __call__(self, query, key, value, attention_mask):
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-1])
        with np.errstate(all="ignore"):
            probs = self.weigh(scores, np.asarray(attention_mask)[..., None, :] == 1)
        return probs @ value, probs


def _added(number):
    return lambda scores, seen: softmax(scores + np.where(seen, 0.0, number))


def _divided_late(scores, seen):
    probs = softmax(scores) * seen
    return probs / np.maximum(probs.sum(axis=-1, keepdims=True), 1e-300)


RIGHT = _Attention("adds the lowest number", _added(_LOWEST))
BROKEN = [
    _Attention("has no mask", lambda scores, seen: softmax(scores)),
    _Attention("adds −10", _added(-10.0)),
    _Attention("adds −∞", _added(-np.inf)),
    _Attention("hides after the softmax", lambda scores, seen: softmax(scores) * seen),
    _Attention("hides after the softmax, then divides by the sum of each row", _divided_late),
    _Attention("hides the words", lambda scores, seen: _added(_LOWEST)(scores, ~seen)),
    _Attention("multiplies scores by the mask", lambda scores, seen: softmax(scores * seen)),
]


def keeps_all_promises(
    attend: Callable, *, alone: bool = True, finite: bool = True, size: float = 1e3
) -> bool:
    """Return whether padding changes nothing and an empty text gives numbers."""
    x = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [size, size, size]])
    seen = np.array([1, 1, 1, 0])
    padded, _ = attend(x, x, x, seen)
    expected, _ = attend(x[:3], x[:3], x[:3], seen[:3])
    empty, _ = attend(x, x, x, np.zeros(4))
    unmoved = bool(np.allclose(padded[:3], expected))
    return (unmoved or not alone) and (bool(np.isfinite(empty).all()) or not finite)


def has_zeros(attend: Callable) -> bool:
    """Return whether padding has the weight 0."""
    return bool((attend(*[np.eye(3)] * 3, np.array([1, 1, 0]))[1][:, 2] == 0).all())


def sums_to_one(attend: Callable) -> bool:
    """Return whether each row sums to 1."""
    probs = attend(*[np.eye(3)] * 3, np.array([1, 1, 0]))[1]
    return bool(np.allclose(probs.sum(axis=-1), 1))
