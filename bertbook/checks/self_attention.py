"""Exercises of Chapter 2: softmax, attention, a query that does not listen, keys in blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import attention, softmax

from .compare import form_problem, short_text
from .exercise import Exercise, attempt
from .verdict import Verdict

_ONE_CAT_KEYS = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 2.0]])
_RNG = np.random.default_rng(21)


def _softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


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
    mistakes={
        ("sum(axis=-1 → sum(axis=0",
         "x.max(axis=-1, keepdims=True) → x.max() || sum(axis=-1 → sum(axis=0"): "Your "
            "probabilities sum to 1 down the first axis. Along which axis lie the keys?",
        ("sum(axis=-1 → sum(axis=None",
         "x.max(axis=-1, keepdims=True) → x.max() || sum(axis=-1 → sum(axis=None"): "Your "
            "probabilities sum to 1 over the whole array. Should one row know about another?",
        ("/ exponentials.sum → / np.exp(x).sum", "return exponentials → return np.exp(x)"):
            "The maximum is subtracted above the line or below it, and not in both places. Divide "
            "by the sum of the very numbers that stand above.",
        "max(axis=-1, keepdims=True) → max(axis=0)": "You subtract another number from each score "
            "of a row, the maximum of its column. Which maximum does a row need?",
        "/ exponentials.sum(axis=-1, keepdims=True) →": "All numbers are positive, but do they sum "
            "to 1?",
        "- x.max(axis=-1, keepdims=True) → || / exponentials.sum(axis=-1, keepdims=True) →":
            "All numbers are positive, but do they sum to 1?",
        "np.exp(x - x.max(axis=-1, keepdims=True)) → x": "Where is the exponential? Without it, "
            "negative scores give negative probabilities.",
        "np.exp( → (": "You divide differences by their sum. Where is the exponential?",
        "np.exp → np.exp2": "These are powers of 2. The exponential is np.exp.",
        "np.exp → 1 / np.exp": "The lowest score gets the highest probability. Look at the sign in "
            "the exponent.",
        "→ right(abs(x))": "You drop the signs of the scores. A low score should get a low "
            "probability.",
        "→ x**2 / (x**2).sum(axis=-1, keepdims=True)": "Squares are positive, too, but they favor "
            "very low scores as much as high ones. Which function always rises?",
        "→ 1.0 * (x == x.max(axis=-1, keepdims=True))": "You give everything to the highest score. "
            "Softmax is soft: every score gets a part.",
        "→ right(x / np.sqrt(x.shape[-1]))": "You divide the scores by a square root first. That "
            "belongs to attention; softmax takes the scores as they are.",
        "→ np.log(right(x))": "These are logarithms of the probabilities.",
        "→ 1 / (1 + np.exp(-x))": "Each score was turned into a probability by itself, so a row "
            "need not sum to 1. By what do you divide?",
        ("x - x.max(axis=-1, keepdims=True) → np.clip(x, -700, 700)",
         "x - x.max(axis=-1, keepdims=True) → np.minimum(x, 700)"): "You cut large scores off, so "
            "1000 and 1001 get the same probability. Which number can you subtract from a row "
            "instead?",
        "x - x.max( → x / x.max(": "You divide by the largest score, which changes the gaps "
            "between scores. Subtract it.",
        "→ np.nan_to_num(np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True))": "Where a score "
            "overflowed you put 0 for nan. Which number can you subtract from a row, so that "
            "nothing overflows?",
        "- x.max(axis=-1, keepdims=True) →": "Right for small scores, but a score of 1000 "
            "overflows to nan. Which number can you subtract from a row without changing its "
            "probabilities?",
        "max(axis=-1, keepdims=True) → max()": "You subtract the largest score of the whole array. "
            "A row far below it underflows to 0 / 0. Which maximum does each row need?",
        "x.max(axis=-1 → abs(x).max(axis=-1": "You subtract a number that is far above all scores "
            "of a row when these are negative, as the largest |x| is, and get 0 / 0. Which number "
            "is never above all of them?",
        "x.max(axis=-1, keepdims=True) → 1000": "You subtract 1000 from everything, and small "
            "scores underflow to 0 / 0. Each row needs a number of its own.",
        "→ np.where(x.max(axis=-1, keepdims=True) > 11_000, np.nan, right(x))": "Longer numbers "
            "move the place of the overflow, and a score of 100,000 is beyond it. Which number can "
            "you subtract from a row without changing its probabilities?",
        "x.max → x.mean": "You subtract the mean of a row. A score far above it still overflows. "
            "Which number leaves none above 0?",
        "x.max → x.min": "You subtract the lowest score of a row. The highest still overflows: "
            "subtract that one.",
    },
)  # fmt: skip


def _attention(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-1])
    return softmax(scores) @ value


def _attention_case(*shape):
    *front, queries, keys, size = shape
    return tuple(_RNG.standard_normal((*front, rows, size)) for rows in (queries, keys, keys))


check_attention = Exercise(
    "Write scaled dot-product attention for any number of axes in front; return the context.",
    _attention,
    cases=[_attention_case(2, 4, 3), _attention_case(2, 3, 5, 4), _attention_case(2, 2, 3, 4, 5)],
    forbidden=["attention", "scaled_dot_product_attention"],
    mistakes={
        "/ np.sqrt(key.shape[-1]) →": "The scores are not divided. By what, and why?",
        "np.sqrt(key.shape[-1]) → len(key)": "len(key) is the first axis. A key has key.shape[-1] "
            "numbers, and the root of that is wanted.",
        "np.sqrt( → (": "You divide by the size of a key. The typical size of a dot product is its "
            "square root.",
        "key.shape[-1] → key.shape[-2]": "You divide by the square root of the number of keys. "
            "Which size makes a dot product large?",
        "key.shape[-1] → query.shape[-2]": "You divide by the square root of the number of "
            "queries. Which size makes a dot product large?",
        "key.shape[-1] → key.shape[1]": "key.shape[1] is the size of a key only while no axes "
            "stand in front. Count from the end: key.shape[-1].",
        "key.shape[-1] → key.shape[0]": "key.shape[0] is the first axis. The size of a key is the "
            "last one, key.shape[-1].",
        "/ np.sqrt → * np.sqrt": "You multiply by the square root instead of dividing by it.",
        "softmax(scores) → softmax(scores, axis=-2)": "Your softmax runs over the queries. The "
            "probabilities of each query must sum to 1 over the keys.",
        "softmax(scores) → softmax(scores, axis=0)": "Your softmax runs along the first axis. The "
            "probabilities of each query must sum to 1 over the keys.",
        "softmax(scores) → softmax(softmax(scores))": "You take softmax twice. The first has made "
            "probabilities already.",
        "softmax(scores) → softmax(-scores)": "What fits worst gets the highest probability. Look "
            "at the sign of the scores.",
        "softmax(scores) → softmax(scores, axis=1)": "Your softmax runs along axis 1, which is the "
            "axis of the keys only while nothing stands in front. Count from the end.",
        "softmax(scores) → scores": "Where is softmax? Scores are no probabilities: they do not "
            "sum to 1.",
        ("/ np.sqrt(key.shape[-1]) → || softmax(scores) → softmax(scores) / "
         "np.sqrt(key.shape[-1])"): "You divide after the softmax, so the probabilities no longer "
            "sum to 1. The scores are what is too large.",
        "key.swapaxes(-1, -2) → key.T": "key.T turns all axes around. With axes in front only the "
            "last two change places: key.swapaxes(-1, -2).",
        ".swapaxes(-1, -2) →": "Each query meets each key: one of the two is to be transposed, "
            "key.swapaxes(-1, -2).",
        "@ value →": "These are the probabilities. Of what do they take the mean?",
        "@ value → @ value, softmax(scores)": "Return the context only.",
        "→ right(query, value, value)": "You score against the values. What does a query meet?",
        "→ right(query, value, key)": "Keys and values have changed places. Which of them does a "
            "query meet?",
        "→ right(query, key, value) + query": "You add the query to what comes out. Return the "
            "mix of the values alone.",
        ("@ value → @ value / value.shape[-2]", "@ value → @ value / len(value)"): "You divide "
            "once more at the end. The probabilities sum to 1 already.",
        "@ value → @ key": "You take the mean of the keys. Which vectors are handed on?",
    },
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


def _streamed_attention(query, blocks):
    highest, total, mixed = -np.inf, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / np.sqrt(key.shape[-1])
        higher = np.maximum(highest, scores.max(axis=1, keepdims=True))
        shrunk = np.exp(highest - higher)
        exponentials = np.exp(scores - higher)
        total = shrunk * total + exponentials.sum(axis=1, keepdims=True)
        mixed = shrunk * mixed + exponentials @ value
        highest = higher
    return mixed / total


def _blocks(queries, sizes, size, spread=1.0):
    """Draw queries and some blocks, each with larger scores than the one before."""
    query, draw = _RNG.standard_normal((queries, size)), _RNG.standard_normal
    return query, [(spread * i * draw((n, size)), draw((n, size))) for i, n in enumerate(sizes, 1)]


def _in_one_memory(blocks):
    """Hand out blocks, each of which is gone when the next one comes."""
    for key, value in blocks:
        yield key, value
        key[:], value[:] = 0.0, 0.0


check_streamed_attention = Exercise(
    "Attend to keys and values that come in blocks, without ever holding all scores at once.",
    _streamed_attention,
    cases=[_blocks(1, [2, 3], 2), _blocks(3, [4, 1, 5], 4), _blocks(2, [3], 3)],
    edges=[_blocks(1, [2, 3, 2], 2, spread=900.0), _blocks(5, [2, 3, 2], 3, spread=900.0)],
    given=lambda value: _in_one_memory(value) if isinstance(value, list) else value,
    forbidden=["concatenate", "vstack", "hstack", "stack", "append", "extend", "attention",
               "scaled_dot_product_attention"],
    mistakes={
        "→ 0 * query": "You keep blocks for later. Each is gone when the next one comes: take what "
            "you need from it at once.",
        ZeroDivisionError: "Nothing was left to go through: the blocks come once. Can a single "
            "loop do it all?",
        "exponentials = → exponentials = shrunk *": "What the new block brings is rescaled as "
            "well. It is measured against the new maximum already: only the old sums are not.",
        "scores - higher → scores - highest": "The first block turns into nan, and with it all that "
            "follows: before it the highest score is −∞. Measure a block against the new maximum.",
        ("exponentials @ value → exponentials @ value; mixed = mixed / total || return mixed "
         "/ total → return mixed"): "You divide in every round. Keep the mix as a sum, and divide "
            "once, at the end.",
        "exponentials.sum(axis=1, keepdims=True) → exponentials.sum()": "Your sum of exponentials "
            "is one number for all queries. Each query has its own: along which axis do its keys "
            "lie?",
        "→ sum(attention(query, *block)[0] for block in blocks)": "You add up the results of the "
            "blocks. For how many blocks is the sum of probabilities 1?",
        "shrunk * total → total || shrunk * mixed → mixed": "When a block brings a higher score, "
            "all that was summed before was measured against a lower one. By what must it be "
            "multiplied?",
        "shrunk * total → total": "The mix is rescaled when the maximum rises, and the sum below "
            "it is not.",
        "shrunk * mixed → mixed": "The sum is rescaled when the maximum rises, and the mix above "
            "it is not.",
        "highest - higher → np.where(highest > -np.inf, higher - highest, highest)": "Your factor "
            "is upside down. What was summed before must shrink when the highest score rises.",
        "shrunk * total + → || shrunk * mixed + →": "Only the last block counts. Do you begin "
            "anew in each round, or never write the new maximum down?",
        "→ attention(query, *next(iter(blocks)))[0]": "Only the first block counts. Does your "
            "return stand inside the loop?",
        "return mixed / total → return mixed": "Where is the division by the sum of all "
            "exponentials?",
        "/ np.sqrt(key.shape[-1]) →": "The scores are not divided by the square root of the size "
            "of a key.",
        "np.maximum(highest, → np.maximum(-np.inf,": "Your maximum is that of the newest block. It "
            "must be the highest score so far, or the old sums overflow.",
        "scores.max(axis=1, keepdims=True) → scores.max()": "You keep one maximum for all queries. "
            "A query far below it underflows to 0 / 0: each needs its own.",
        ("np.maximum(highest, → np.multiply(0,",
         "np.maximum(highest, → np.where(highest > -np.inf, highest,"): "Right for small scores, "
            "but large ones overflow to nan. Keep the highest score so far.",
        "→ np.mean([attention(query, *block)[0] for block in blocks], axis=0)": "You took the mean "
            "of the blocks' results. A block with high scores must count more.",
        ("→ parts = [(len(key), attention(query, key, value)[0]) for key, value in blocks]; "
         "return sum(n * part for n, part in parts) / sum(n for n, _ in parts)"): "You weighed the "
            "blocks by how many keys they have. What counts is the sum of their exponentials.",
    },
)  # fmt: skip
