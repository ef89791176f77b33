"""Exercises of Chapter 2: softmax, attention, a query that does not listen, keys in blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import attention, softmax

from .exercise import Exercise, Mistake, as_it_is, attempt
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
    forbidden=["a loop", "softmax", "apply_along_axis", "vectorize"],
    mistakes=[
        Mistake({"axis": 0, "subtracted": np.max}, "Your probabilities sum to 1 down the first "
                "axis. Along which axis lie the keys?"),
        Mistake({"axis": None, "subtracted": np.max}, "Your probabilities sum to 1 over the "
                "whole array. Should one row know about another?"),
        Mistake({"subtracted": lambda x: x.max(axis=0)}, "You subtract another number from each "
                "score of a row, the maximum of its column. Which maximum does a row need?"),
        Mistake({"divided": False}, "All numbers are positive, but do they sum to 1?"),
        Mistake({"divided": False, "subtracted": lambda x: 0}, "All numbers are positive, but do "
                "they sum to 1?"),
        Mistake({"exp": as_it_is, "subtracted": lambda x: 0}, "Where is the exponential? Without "
                "it, negative scores give negative probabilities."),
        Mistake({"exp": as_it_is}, "You divide differences by their sum. Where is the "
                "exponential?"),
        Mistake({"exp": np.exp2}, "These are powers of 2. The exponential is np.exp."),
        Mistake({"exp": lambda x: np.exp(-x)}, "The lowest score gets the highest probability. "
                "Look at the sign in the exponent."),
        Mistake(lambda x: np.log(_softmax(x)), "These are logarithms of the probabilities."),
        Mistake(lambda x: 1 / (1 + np.exp(-x)), "Each score was turned into a probability by "
                "itself, so a row need not sum to 1. By what do you divide?"),
        Mistake(lambda x: np.exp(np.clip(x, -700, 700)) / np.exp(np.clip(x, -700, 700)).sum(
                axis=-1, keepdims=True), "You cut large scores off, so 1000 and 1001 get the same "
                "probability. Which number can you subtract from a row instead?"),
        Mistake(lambda x: np.exp(x / _highest(x)) / np.exp(x / _highest(x)).sum(
                axis=-1, keepdims=True), "You divide by the largest score, which changes the gaps "
                "between scores. Subtract it."),
        Mistake(lambda x: np.nan_to_num(np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)), "Where "
                "a score overflowed you put 0 for nan. Which number can you subtract from a row, "
                "so that nothing overflows?"),
        Mistake({"subtracted": lambda x: 0}, "Right for small scores, but a score of 1000 "
                "overflows to nan. Which number can you subtract from a row without changing its "
                "probabilities?"),
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
        Mistake({"scale": lambda q, k: np.sqrt(k.shape[1])}, "key.shape[1] is the size of a key "
                "only while no axes stand in front. Count from the end: key.shape[-1]."),
        Mistake({"scale": lambda q, k: np.sqrt(k.shape[0])}, "key.shape[0] is the first axis. The "
                "size of a key is the last one, key.shape[-1]."),
        Mistake({"scale": lambda q, k: 1 / _root(q, k)}, "You multiply by the square root instead "
                "of dividing by it."),
        Mistake({"shares": lambda x: softmax(x, axis=-2)}, "Your softmax runs over the queries. "
                "The probabilities of each query must sum to 1 over the keys."),
        Mistake({"shares": lambda x: softmax(x, axis=1)}, "Your softmax runs along axis 1, which "
                "is the axis of the keys only while nothing stands in front. Count from the end."),
        Mistake({"shares": as_it_is}, "Where is softmax? Scores are no probabilities: they do "
                "not sum to 1."),
        Mistake(_scaled_after, "You divide after the softmax, so the probabilities no longer "
                "sum to 1. The scores are what is too large."),
        Mistake({"turn": lambda key: key.T}, "key.T turns all axes around. With axes in front only "
                "the last two change places: key.swapaxes(-1, -2)."),
        Mistake({"turn": as_it_is}, "Each query meets each key: one of the two is to be "
                "transposed, key.swapaxes(-1, -2)."),
        Mistake(lambda q, k, v: attention(q, k, v)[1], "These are the probabilities. Of what do "
                "they take the mean?"),
        Mistake(lambda q, k, v: attention(q, k, v), "Return the context only."),
        Mistake(lambda q, k, v: _attention(q, k, k), "You take the mean of the keys. Which vectors "
                "are handed on?"),
    ],
)  # fmt: skip


def check_query(function: Callable) -> Verdict:
    """Check a query that makes *one* keep at least 99 % of itself."""
    answer, problem = attempt(function)
    if problem:
        return Verdict(False, problem)
    query = np.asarray(answer)
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


def _streamed(query, blocks, *, rescaled=("total", "mixed"), highest=np.maximum, scale=None,
              divided=True, last=False, upside_down=False):  # fmt: skip
    """Attend to blocks one after another, with a running maximum, sum and mix."""
    top, total, mixed = -np.inf, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / (scale(query, key) if scale else _root(query, key))
        new = highest(top, _highest(scores))
        shrink = np.exp(new - top if upside_down and np.isfinite(top).all() else top - new)
        powers = np.exp(scores - new)
        kept = 0.0 if last else 1.0
        factors = {name: kept * (shrink if name in rescaled else 1.0) for name in _RUNNING}
        total = total * factors["total"] + powers.sum(axis=-1, keepdims=True)
        mixed = mixed * factors["mixed"] + powers @ value
        top = new
    return mixed / total if divided else mixed


_RUNNING = ("total", "mixed")


def _block_means(query, blocks, *, weight=len):
    parts = [(weight(key), attention(query, key, value)[0]) for key, value in blocks]
    return sum(w * context for w, context in parts) / sum(w for w, _ in parts)


def _blocks(queries, sizes, size, spread=1.0):
    query = _RNG.standard_normal((queries, size))
    draw = _RNG.standard_normal
    return query, [(spread * i * draw((n, size)), draw((n, size))) for i, n in enumerate(sizes, 1)]


check_streamed_attention = Exercise(
    "Attend to keys and values that come in blocks, without ever holding all scores at once.",
    _streamed,
    cases=[_blocks(1, [2, 3], 2), _blocks(3, [4, 1, 5], 4), _blocks(2, [3], 3)],
    edges=[_blocks(2, [2, 3, 2], 3, spread=900.0)],
    given=lambda value: iter(value) if isinstance(value, list) else value,
    forbidden=["concatenate", "vstack", "hstack", "stack", "append", "extend", "attention",
               "scaled_dot_product_attention"],
    mistakes=[
        Mistake({"rescaled": ()}, "When a block brings a higher score, all that was summed before "
                "was measured against a lower one. By what must it be multiplied?"),
        Mistake({"rescaled": ("mixed",)}, "The mix is rescaled when the maximum rises, and the sum "
                "below it is not."),
        Mistake({"rescaled": ("total",)}, "The sum is rescaled when the maximum rises, and the mix "
                "above it is not."),
        Mistake({"upside_down": True}, "Your factor is upside down. What was summed before must "
                "shrink when the highest score rises."),
        Mistake({"last": True}, "Only the last block is heard. Add to what you have; do not begin "
                "anew."),
        Mistake(lambda q, b: attention(q, *next(iter(b)))[0], "Only the first block is heard. Does "
                "your return stand inside the loop?"),
        Mistake({"divided": False}, "Where is the division by the sum of all exponentials?"),
        Mistake({"scale": lambda q, k: 1.0}, "The scores are not divided by the square root of the "
                "size of a key."),
        Mistake({"highest": lambda top, new: new}, "Your maximum is that of the newest block. It "
                "must be the highest score so far, or the old sums overflow."),
        Mistake({"highest": lambda top, new: 0 * new}, "Right for small scores, but large ones "
                "overflow to nan. Keep the highest score so far."),
        Mistake(lambda q, b: _block_means(q, b, weight=lambda key: 1), "You took the mean of the "
                "blocks' results. A block with high scores must count more."),
        Mistake(_block_means, "You weighed the blocks by how many keys they have. What counts is "
                "the sum of their exponentials."),
    ],
)  # fmt: skip
