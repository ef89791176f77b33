"""Exercises of Chapter 2: softmax, attention, a query that does not listen, keys in blocks."""

from collections.abc import Callable

import numpy as np

from bertbook.core.exercises.compare import form_problem, short_text
from bertbook.core.exercises.exercise import Exercise, attempt
from bertbook.core.exercises.verdict import Verdict
from minibert.reference import attention, softmax

_ONE_CAT_KEYS = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 2.0]])
_RNG = np.random.default_rng(21)


def _softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


check_softmax = Exercise(
    "Write softmax along the last axis, for any number of axes; it survives scores of any size.",
    _softmax,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4,), (2, 3), (2, 3, 5)]],
    edges=[(np.array([[1000.0, 1001.0], [-1000.0, 0.0], [1000.0, -1000.0]]),),
           (np.array([-1000.0, -1001.0]),), (np.array([100_000.0, 100_001.0]),)],
    forbidden=["a loop", "softmax", "apply_along_axis", "vectorize"],
    mistakes={
        "x.max(…) → x.max() || sum(axis=-1 → sum(axis=0 ¦ sum(axis=None":
            "Along which axis lie the keys?",
        ("/ exponentials.sum → / (x - x.max(-1, keepdims=True)).sum", "return exponentials → "
            "return np.exp(x)"): "Divide by the sum of what stands above the line.",
        "x.max(…) → x.max()": "Each row needs a maximum of its own.",
        "/ exponentials.sum(…) → ¦ / np.sqrt((exponentials**2).sum(axis=-1, keepdims=True))":
            "Does each row sum to 1?",
        "x - x.max(…) → x.max(axis=-1, keepdims=True) - x": "Turned around: the largest score "
            "should get the largest probability.",
        "np.exp(…) → x": "Where is the exponential? Scores can be negative.",
        "np.exp → np.exp2": "These are powers of 2. The exponential is np.exp.",
        "x - x.max(…) → x - 1000": "One number for all scores? Subtract one of its own from each "
            "row.",
        ("→ np.where(abs(x).max() > 11_000, np.nan, right(x))", "- x.max(…) →"):
            "What keeps scores from overflowing?",
        "x.max( → abs(x).max(": "A row of negative scores underflows.",
        "x.max → x.mean ¦ x.min": "A high score still overflows. What leaves none above 0?",
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
    edges=[(np.eye(2, 3), np.eye(4, 3), np.eye(4, 2))],
    forbidden=["attention", "scaled_dot_product_attention"],
    mistakes={
        "/ np.sqrt(key.shape[-1]) →": "The scores are not divided. By what, and why?",
        ("np.sqrt( → (", "np.sqrt(key.shape[-1]) → len(key)"): "A dot product grows with the root.",
        "key.shape[-1] → key.shape[-2] ¦ query.shape[-2] ¦ 3": "Which size makes a dot product "
            "large? Count axes from the end.",
        "/ np.sqrt → * np.sqrt": "You multiply by the square root. Divide by it.",
        "softmax(…) → softmax(…, axis=-2)": "Over which axis do the probabilities of a query sum "
            "to 1? Count from the end.",
        "softmax( → (": "Where is softmax? Scores do not sum to 1.",
        "softmax( → softmax(-": "What fits worst gets most. Look at the sign of the scores.",
        "softmax(scores) @ value → softmax(scores @ value)": "What sums to 1 before the mix?",
        "softmax(…) → softmax(softmax(…))": "One softmax is enough.",
        ".swapaxes(…) →": "Each query meets each key. Which of the two is to be transposed?",
        "@ value →": "These are the probabilities. Of what do they take the mean?",
        ("→ right(query, value, key)", "@ value → @ key"): "A query meets the keys; the values are "
            "handed on.",
    },
)  # fmt: skip


def check_query(function: Callable) -> Verdict:
    """Check a query that makes *one* keep at least 99 % of itself.

    Args:
        function: Yours: it takes nothing and returns a query of three numbers.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    answer, problem = attempt(function)
    if problem:
        return Verdict(False, problem)
    if form_problem(answer, np.zeros(3)):
        return Verdict(False, f"A query has three numbers; yours is {short_text(answer)}.")
    query = np.asarray(answer, dtype=float)
    if not np.isfinite(query).all():
        return Verdict(False, f"The query {query} holds numbers that are not finite.")
    kept = float(attention(query[None], _ONE_CAT_KEYS, _ONE_CAT_KEYS)[1][0, 0])
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
    edges=[_blocks(1, [2, 3, 2], 2, spread=900.0), _blocks(5, [2, 3, 2], 3, spread=900.0),
           (np.ones((1, 2)), [(np.full((1, 2), n), _RNG.random((1, 2))) for n in (-1e3, -2e3)])],
    given=lambda value: _in_one_memory(value) if isinstance(value, list) else value,
    forbidden=["concatenate", "vstack", "hstack", "stack", "append", "extend", "r_", "c_",
               "attention", "scaled_dot_product_attention"],
    mistakes={
        "→ 0 * query": "Each block is gone when the next one comes. Take what you need at once.",
        ZeroDivisionError: "The blocks come once. Can a single loop do it all?",
        ("shrunk * total → total", "shrunk * mixed → mixed"): "A block has brought a higher score. "
            "What becomes of the sum and of the mix so far?",
        "highest = higher →": "Which is the highest score after this block?",
        "np.exp(scores - higher) → np.exp(scores)": "Which number is taken off all scores first?",
        ("exponentials @ value → exponentials / exponentials.sum(axis=1, keepdims=True) @ value",
            "→ sum(attention(query, *block)[0] for block in blocks) ¦ np.mean([attention(query, "
            "*block)[0] for block in blocks], axis=0)"): "One softmax serves all keys.",
        "-np.inf → 0.0": "All scores may lie far below 0. Where does the highest start?",
        "/ total →": "Where is the division by the sum of all exponentials?",
        "/ np.sqrt(…) →": "The scores are not divided by the square root of the size of a key.",
        "scores.max(…) → scores.max()": "Each query has a maximum of its own.",
    },
)  # fmt: skip
