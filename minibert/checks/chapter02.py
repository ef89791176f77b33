"""Exercises of Chapter 2: softmax, attention, and a query that does not listen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import attention, softmax

from .exercise import Exercise, Mistake, as_it_is
from .verdict import Verdict

_ONE_CAT_KEYS = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 2.0]])
_RNG = np.random.default_rng(21)


def _highest(x):
    return x.max(axis=-1, keepdims=True)


def _softmax(x, *, axis=-1, subtracted=_highest, exp=np.exp, divided=True):
    powers = exp(x - subtracted(x))
    return powers / powers.sum(axis=axis, keepdims=True) if divided else powers


check_softmax = Exercise(
    "Write softmax along the last axis, for any number of axes; it survives scores of 1000.",
    _softmax,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4,), (2, 3), (2, 3, 5)]],
    edges=[(np.array([[1000.0, 1001.0], [-1000.0, 0.0], [1000.0, -1000.0]]),)],
    forbidden=["a loop", "softmax"],
    mistakes=[
        Mistake({"axis": 0, "subtracted": np.max}, "Your shares sum to 1 down the first axis. "
                "Along which axis lie the keys?"),
        Mistake({"axis": None, "subtracted": np.max}, "Your shares sum to 1 over the whole array. "
                "Should one row know about another?"),
        Mistake({"divided": False}, "All numbers are positive, but do they sum to 1?"),
        Mistake({"divided": False, "subtracted": lambda x: 0}, "All numbers are positive, but do "
                "they sum to 1?"),
        Mistake({"exp": as_it_is, "subtracted": lambda x: 0}, "Where is the exponential? Without "
                "it, negative scores give negative shares."),
        Mistake({"exp": as_it_is}, "You divide differences by their sum. Where is the "
                "exponential?"),
        Mistake({"subtracted": lambda x: 0}, "Right for small scores, but a score of 1000 "
                "overflows to nan. Which number can you subtract from a row without changing its "
                "shares?"),
        Mistake({"subtracted": np.max}, "You subtract the largest score of the whole array. A row "
                "far below it underflows to 0 / 0. Which maximum does each row need?"),
        Mistake({"subtracted": lambda x: x.mean(axis=-1, keepdims=True)}, "You subtract the mean "
                "of a row. A score far above it still overflows. Which number leaves none above "
                "0?"),
        Mistake({"subtracted": lambda x: x.min(axis=-1, keepdims=True)}, "You subtract the lowest "
                "score of a row. The highest still overflows: subtract that one."),
    ],
)  # fmt: skip


def _root(_, key):
    return np.sqrt(key.shape[-1])


def _swapped(key):
    return key.swapaxes(-1, -2)


def _attention(query, key, value, *, scale=_root, shares=softmax, turn=_swapped):
    return shares(query @ turn(key) / scale(query, key)) @ value


def _scaled_after(query, key, value):
    return softmax(query @ _swapped(key)) / _root(query, key) @ value


def _attention_case(*shape):
    *front, queries, keys, size = shape
    return tuple(_RNG.standard_normal((*front, rows, size)) for rows in (queries, keys, keys))


check_attention = Exercise(
    "Write scaled dot-product attention for any number of axes in front; return the context.",
    _attention,
    cases=[_attention_case(2, 4, 3), _attention_case(2, 3, 5, 4), _attention_case(2, 2, 3, 4, 5)],
    forbidden=["attention", "scaled_dot_product_attention"],
    mistakes=[
        Mistake({"scale": lambda q, k: 1.0}, "The scores are not divided. By what, and why?"),
        Mistake({"scale": lambda q, k: k.shape[-1]}, "You divide by the size of a key. The typical "
                "size of a dot product is its square root."),
        Mistake({"scale": lambda q, k: np.sqrt(k.shape[-2])}, "You divide by the square root of "
                "the number of keys. Which size makes a dot product large?"),
        Mistake({"scale": lambda q, k: np.sqrt(q.shape[-2])}, "You divide by the square root of "
                "the number of queries. Which size makes a dot product large?"),
        Mistake({"scale": lambda q, k: 1 / _root(q, k)}, "You multiply by the square root instead "
                "of dividing by it."),
        Mistake({"shares": lambda x: softmax(x, axis=-2)}, "Your softmax runs over the queries. "
                "The shares of each query must sum to 1 over the keys."),
        Mistake({"shares": as_it_is}, "Where is softmax? Scores are no shares: they do not sum to "
                "1."),
        Mistake(_scaled_after, "You divide after the softmax, so the shares no longer sum to 1. "
                "The scores are what is too large."),
        Mistake({"turn": lambda key: key.T}, "key.T turns all axes around. With axes in front only "
                "the last two change places: key.swapaxes(-1, -2)."),
        Mistake({"turn": as_it_is}, "Each query meets each key: one of the two is to be "
                "transposed, key.swapaxes(-1, -2)."),
        Mistake(lambda q, k, v: softmax(q @ _swapped(k) / _root(q, k)), "These are the shares. Of "
                "what do they take the mean?"),
        Mistake(lambda q, k, v: _attention(q, k, k), "You take the mean of the keys. Which vectors "
                "are handed on?"),
    ],
)  # fmt: skip


def check_query(function: Callable) -> Verdict:
    """Check a query that makes *one* keep at least 99 % of itself."""
    try:
        query = function()
        if query is None or query is Ellipsis:
            return Verdict(False, "It returns nothing yet. Replace the … and return three numbers.")
        query = np.asarray(query)
    except Exception as error:  # whatever it raises is an answer to explain
        return Verdict(False, f"It stopped with {type(error).__name__}: {error}.")
    if query.shape != (3,) or query.dtype.kind not in "iuf":
        told = f"A query has three numbers, as each key has; yours has shape {query.shape}."
        return Verdict(False, told)
    if not np.isfinite(query).all():
        return Verdict(False, f"The query {query} holds numbers that are not finite.")
    _, probs = attention(query[None].astype(float), _ONE_CAT_KEYS, _ONE_CAT_KEYS)
    kept = float(probs[0, 0])
    if kept >= 0.99:
        return Verdict(True, f"Right: with this query, one keeps {kept:.2%} of itself.")
    hint = "The direction is right. What does a longer query do to the scores?"
    hint = hint if kept >= 0.5 else "It prefers cat. Turn it around?"
    return Verdict(False, f"Not yet: one keeps {kept:.0%} of itself. {hint}")
