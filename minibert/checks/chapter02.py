"""Checkers of Chapter 2: softmax, attention, and a query that does not listen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import attention, softmax

from .verdict import Mistake, Verdict, check

ONE_CAT_KEYS = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 2.0]])


def check_softmax(function: Callable) -> Verdict:
    """Check a softmax along the last axis.

    Parameters
    ----------
    function : callable
        Takes an array of any shape, returns one of the same shape.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 2.
    """
    rng = np.random.default_rng(21)
    small = [rng.standard_normal(shape) for shape in [(4,), (2, 3), (2, 3, 5)]]
    # Small scores first: they show which formula it is; the large ones whether it survives.
    verdict = check(
        function,
        right=softmax,
        cases=[(x,) for x in small],
        mistakes=[
            Mistake(lambda x: softmax(x, axis=0), "Your shares sum to 1 down the first axis. Along "
                    "which axis lie the keys?"),
            Mistake(lambda x: np.exp(x) / np.exp(x).sum(), "Your shares sum to 1 over the whole "
                    "array. Should one row know about another?"),
            Mistake(lambda x: np.exp(x - x.max(axis=-1, keepdims=True)), "All numbers are "
                    "positive, but do they sum to 1?"),
            Mistake(np.exp, "All numbers are positive, but do they sum to 1?"),
            Mistake(lambda x: x / x.sum(axis=-1, keepdims=True), "Where is the exponential? "
                    "Without it, negative scores give negative shares."),
        ],
    )  # fmt: skip
    if not verdict.passed:
        return verdict
    return check(
        function,
        right=softmax,
        cases=[*((x,) for x in small), (np.array([[1000.0, 1001.0], [-1000.0, 0.0]]),)],
        mistakes=[
            Mistake(lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), "Right for small "
                    "scores, but a score of 1000 overflows to nan. Which number can you subtract "
                    "from a row without changing its shares?"),
            Mistake(lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(axis=-1, keepdims=True),
                    "You subtract the largest score of the whole array. A row far below it "
                    "underflows to 0 / 0. Which maximum does each row need?"),
        ],
    )  # fmt: skip


def _attention_with(scale: Callable, axis: int = -1, transpose: bool = True) -> Callable:
    """Build a wrong attention: another divisor, another axis, or keys that are not transposed."""

    def wrong(query, key, value):
        keys = key.swapaxes(-1, -2) if transpose else key
        return softmax(query @ keys / scale(query, key), axis=axis) @ value

    return wrong


def check_attention(function: Callable) -> Verdict:
    """Check scaled dot-product attention that returns the context.

    Parameters
    ----------
    function : callable
        Takes query (..., query, head_size), key and value (..., key, head_size).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 2.
    """
    rng = np.random.default_rng(22)

    def case(*shape):
        *front, queries, keys, size = shape
        return (
            rng.standard_normal((*front, queries, size)),
            rng.standard_normal((*front, keys, size)),
            rng.standard_normal((*front, keys, size)),
        )

    def root(_, key):
        return np.sqrt(key.shape[-1])

    return check(
        function,
        right=lambda query, key, value: attention(query, key, value)[0],
        cases=[case(2, 4, 3), case(2, 3, 5, 4), case(2, 2, 3, 4, 5)],
        mistakes=[
            Mistake(_attention_with(lambda q, k: 1.0), "The scores are not divided. By what, and "
                    "why?"),
            Mistake(_attention_with(lambda q, k: k.shape[-1]), "You divide by the size of a key. "
                    "The typical size of a dot product is its square root."),
            Mistake(_attention_with(lambda q, k: np.sqrt(k.shape[-2])), "You divide by the square "
                    "root of the number of keys. Which size makes a dot product large?"),
            Mistake(_attention_with(lambda q, k: 1 / root(q, k)), "You multiply by the square "
                    "root instead of dividing by it."),
            Mistake(_attention_with(root, axis=-2), "Your softmax runs over the queries. The "
                    "shares of each query must sum to 1 over the keys."),
        ],
    )  # fmt: skip


def check_query(function: Callable) -> Verdict:
    """Check a query that makes *one* keep at least 99 % of itself.

    Parameters
    ----------
    function : callable
        Takes nothing, returns three numbers.

    Returns
    -------
    Verdict
        Passed, or how far it is.

    References
    ----------
    Chapter 2.
    """
    query = function()
    if query is None or query is Ellipsis:
        return Verdict(False, "It returns nothing yet. Replace the … and return three numbers.")
    query = np.asarray(query)
    if query.shape != (3,) or query.dtype.kind not in "iuf":
        return Verdict(
            False, f"A query has three numbers, as each key has; yours has shape {query.shape}."
        )
    if not np.isfinite(query).all():
        return Verdict(False, f"The query {query} holds numbers that are not finite.")
    _, probs = attention(query[None].astype(float), ONE_CAT_KEYS, ONE_CAT_KEYS)
    kept = float(probs[0, 0])
    if kept >= 0.99:
        return Verdict(True, f"Right: with this query, one keeps {kept:.2%} of itself.")
    if kept < 0.5:
        hint = "It prefers cat. Turn it around?"
    else:
        hint = "The direction is right. What does a longer query do to the scores?"
    return Verdict(False, f"Not yet: one keeps {kept:.0%} of itself. {hint}")
