"""Exercises of Chapter 2: softmax, attention, a query that does not listen, keys in blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from minibert.reference import attention, softmax

from .blocks import block_means, draw_blocks, in_one_memory, root, streamed
from .compare import form_problem, short_text
from .exercise import Exercise, Mistake, as_it_is, attempt
from .verdict import Verdict

_ONE_CAT_KEYS = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 2.0]])
_RNG = np.random.default_rng(21)


def _highest(x):
    return x.max(axis=-1, keepdims=True)


def _zero(x):
    return 0


def _softmax(x, *, axis=-1, subtracted=_highest, below=None, exp=np.exp, divided=True):
    powers = exp(x - subtracted(x))
    parts = exp(x - below(x)) if below else powers
    return powers / parts.sum(axis=axis, keepdims=True) if divided else powers


check_softmax = Exercise(
    "Write softmax along the last axis, for any number of axes; it survives scores of any size.",
    _softmax,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4,), (2, 3), (2, 3, 5)]],
    edges=[
        (np.array([[1000.0, 1001.0], [-1000.0, 0.0], [1000.0, -1000.0]]),),
        (np.array([-1000.0, -1001.0]),),
        (np.array([100_000.0, 100_001.0]),),
    ],
    forbidden=["a loop", "softmax", "apply_along_axis", "vectorize"],
    mistakes=[
        *(Mistake({"axis": 0, "subtracted": highest}, "Your probabilities sum to 1 down the first "
                  "axis. Along which axis lie the keys?") for highest in (np.max, _highest)),
        *(Mistake({"axis": None, "subtracted": highest}, "Your probabilities sum to 1 over the "
                  "whole array. Should one row know about another?")
          for highest in (np.max, _highest)),
        *(Mistake(wrong, "The maximum is subtracted above the line or below it, and not "
                  "in both places. Divide by the sum of the very numbers that stand above.")
          for wrong in ({"below": _zero}, {"subtracted": _zero, "below": _highest})),
        Mistake({"subtracted": lambda x: x.max(axis=0)}, "You subtract another number from each "
                "score of a row, the maximum of its column. Which maximum does a row need?"),
        Mistake({"divided": False}, "All numbers are positive, but do they sum to 1?"),
        Mistake({"divided": False, "subtracted": _zero}, "All numbers are positive, but do "
                "they sum to 1?"),
        Mistake({"exp": as_it_is, "subtracted": _zero}, "Where is the exponential? Without "
                "it, negative scores give negative probabilities."),
        Mistake({"exp": as_it_is}, "You divide differences by their sum. Where is the "
                "exponential?"),
        Mistake({"exp": np.exp2}, "These are powers of 2. The exponential is np.exp."),
        Mistake({"exp": lambda x: np.exp(-x)}, "The lowest score gets the highest probability. "
                "Look at the sign in the exponent."),
        Mistake(lambda x: np.log(_softmax(x)), "These are logarithms of the probabilities."),
        Mistake(lambda x: 1 / (1 + np.exp(-x)), "Each score was turned into a probability by "
                "itself, so a row need not sum to 1. By what do you divide?"),
        *(Mistake(lambda x, low=low: _softmax(np.clip(x, low, 700), subtracted=_zero), "You cut "
                  "large scores off, so 1000 and 1001 get the same probability. Which number can "
                  "you subtract from a row instead?") for low in (-700, -np.inf)),
        Mistake(lambda x: np.exp(x / _highest(x)) / np.exp(x / _highest(x)).sum(
                axis=-1, keepdims=True), "You divide by the largest score, which changes the gaps "
                "between scores. Subtract it."),
        Mistake(lambda x: np.nan_to_num(np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)), "Where "
                "a score overflowed you put 0 for nan. Which number can you subtract from a row, "
                "so that nothing overflows?"),
        Mistake({"subtracted": _zero}, "Right for small scores, but a score of 1000 "
                "overflows to nan. Which number can you subtract from a row without changing its "
                "probabilities?"),
        Mistake({"subtracted": np.max}, "You subtract the largest score of the whole array. A row "
                "far below it underflows to 0 / 0. Which maximum does each row need?"),
        Mistake({"subtracted": lambda x: abs(x).max(axis=-1, keepdims=True)}, "You subtract a "
                "number that is far above all scores of a row when these are negative, as the "
                "largest |x| is, and get 0 / 0. Which number is never above all of them?"),
        Mistake({"subtracted": lambda x: 1000.0}, "You subtract 1000 from everything, and small "
                "scores underflow to 0 / 0. Each row needs a number of its own."),
        Mistake(lambda x: np.where(_highest(x) > 11_000, np.nan, _softmax(x)), "Longer numbers "
                "move the place of the overflow, and a score of 100,000 is beyond it. Which number "
                "can you subtract from a row without changing its probabilities?"),
        Mistake({"subtracted": lambda x: x.mean(axis=-1, keepdims=True)}, "You subtract the mean "
                "of a row. A score far above it still overflows. Which number leaves none above "
                "0?"),
        Mistake({"subtracted": lambda x: x.min(axis=-1, keepdims=True)}, "You subtract the lowest "
                "score of a row. The highest still overflows: subtract that one."),
    ],
)  # fmt: skip


def _swapped(key):
    return key.swapaxes(-1, -2)


def _attention(query, key, value, *, scale=root, shares=softmax, turn=_swapped):
    return shares(query @ turn(key) / scale(query, key)) @ value


def _scaled_after(query, key, value):
    return softmax(query @ _swapped(key)) / root(query, key) @ value


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
        Mistake({"scale": lambda q, k: len(k)}, "len(key) is the first axis. A key has "
                "key.shape[-1] numbers, and the root of that is wanted."),
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
        Mistake({"scale": lambda q, k: 1 / root(q, k)}, "You multiply by the square root instead "
                "of dividing by it."),
        Mistake({"shares": lambda x: softmax(x, axis=-2)}, "Your softmax runs over the queries. "
                "The probabilities of each query must sum to 1 over the keys."),
        Mistake({"shares": lambda x: softmax(x, axis=0)}, "Your softmax runs along the first axis. "
                "The probabilities of each query must sum to 1 over the keys."),
        Mistake({"shares": lambda x: softmax(softmax(x))}, "You take softmax twice. The first has "
                "made probabilities already."),
        Mistake({"shares": lambda x: softmax(-x)}, "What fits worst gets the highest probability. "
                "Look at the sign of the scores."),
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
        Mistake(lambda q, k, v: _attention(q, v, v), "You score against the values. What does a "
                "query meet?"),
        Mistake(lambda q, k, v: _attention(q, v, k), "Keys and values have changed places. Which "
                "of them does a query meet?"),
        Mistake(lambda q, k, v: _attention(q, k, k), "You take the mean of the keys. Which vectors "
                "are handed on?"),
    ],
)  # fmt: skip


def check_query(function: Callable) -> Verdict:
    """Check a query that makes *one* keep at least 99 % of itself."""
    answer, problem = attempt(function)
    if problem:
        return Verdict(False, problem)
    if form_problem(answer, np.zeros(3)):
        told = f"A query has three numbers, as each key has; yours is {short_text(answer)}."
        return Verdict(False, told)
    query = np.asarray(answer, dtype=float)
    if not np.isfinite(query).all():
        return Verdict(False, f"The query {query} holds numbers that are not finite.")
    _, probs = attention(query[None], _ONE_CAT_KEYS, _ONE_CAT_KEYS)
    kept = float(probs[0, 0])
    if kept >= 0.99:
        return Verdict(True, f"Right: with this query, one keeps {kept:.2%} of itself.")
    hint = "The direction is right. What does a longer query do to the scores?"
    if kept < 0.5:
        hint = "It prefers cat. Turn it around?"
    if np.isclose(kept, 0.5):
        hint = "Both keys get the same score. In which direction is one's higher than cat's?"
    return Verdict(False, f"Not yet: one keeps {kept:.2%} of itself. {hint}")


_blocks = partial(draw_blocks, _RNG)

check_streamed_attention = Exercise(
    "Attend to keys and values that come in blocks, without ever holding all scores at once.",
    streamed,
    cases=[_blocks(1, [2, 3], 2), _blocks(3, [4, 1, 5], 4), _blocks(2, [3], 3)],
    edges=[_blocks(1, [2, 3, 2], 2, spread=900.0), _blocks(5, [2, 3, 2], 3, spread=900.0)],
    given=lambda value: in_one_memory(value) if isinstance(value, list) else value,
    forbidden=["concatenate", "vstack", "hstack", "stack", "append", "extend", "attention",
               "scaled_dot_product_attention"],
    mistakes=[
        Mistake(lambda q, b: 0 * q, "You keep blocks for later. Each is gone when the next one "
                "comes: take what you need from it at once."),
        Mistake(ZeroDivisionError, "Nothing was left to go through: the blocks come once. Can a "
                "single loop do it all?"),
        Mistake(partial(streamed, again=True), "What the new block brings is rescaled as well. It "
                "is measured against the new maximum already: only the old sums are not."),
        Mistake({"late": True}, "The exponentials of a block are measured against the old maximum, "
                "which is −∞ at first. Take the new one."),
        Mistake({"divided": "early"}, "You divide in every round. Keep the mix as a sum, and "
                "divide once, at the end."),
        Mistake({"summed": np.sum}, "Your sum of exponentials is one number for all queries. Each "
                "query has its own: along which axis do its keys lie?"),
        Mistake(lambda q, b: sum(attention(q, *block)[0] for block in b), "You add up the results "
                "of the blocks. For how many blocks is the sum of probabilities 1?"),
        Mistake({"rescaled": ()}, "When a block brings a higher score, all that was summed before "
                "was measured against a lower one. By what must it be multiplied?"),
        Mistake({"rescaled": ("mixed",)}, "The mix is rescaled when the maximum rises, and the sum "
                "below it is not."),
        Mistake({"rescaled": ("total",)}, "The sum is rescaled when the maximum rises, and the mix "
                "above it is not."),
        Mistake({"upside_down": True}, "Your factor is upside down. What was summed before must "
                "shrink when the highest score rises."),
        Mistake({"last": True}, "Only the last block is heard. Do you begin anew in each round, or "
                "never write the new maximum down?"),
        Mistake(lambda q, b: attention(q, *next(iter(b)))[0], "Only the first block is heard. Does "
                "your return stand inside the loop?"),
        Mistake({"divided": "never"}, "Where is the division by the sum of all exponentials?"),
        Mistake({"scale": lambda q, k: 1.0}, "The scores are not divided by the square root of the "
                "size of a key."),
        Mistake({"highest": lambda top, new: new}, "Your maximum is that of the newest block. It "
                "must be the highest score so far, or the old sums overflow."),
        Mistake({"highest": lambda top, new: np.maximum(top, new.max())}, "You keep one maximum "
                "for all queries. A query far below it underflows to 0 / 0: each needs its own."),
        *(Mistake({"highest": highest}, "Right for small scores, but large ones overflow to nan. "
                  "Keep the highest score so far.")
          for highest in (lambda top, new: 0 * new,
                          lambda top, new: new if np.isneginf(top).all() else top)),
        Mistake(lambda q, b: block_means(q, b, weight=lambda key: 1), "You took the mean of the "
                "blocks' results. A block with high scores must count more."),
        Mistake(block_means, "You weighed the blocks by how many keys they have. What counts is "
                "the sum of their exponentials."),
    ],
)  # fmt: skip
