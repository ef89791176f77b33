"""Checkers of Chapter 7: segments, look up and add, one position code, what a table learns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .verdict import Mistake, Verdict, check


def check_segments(function: Callable) -> Verdict:
    """Check the segments of the row that a text, or a pair of texts, becomes.

    Parameters
    ----------
    function : callable
        Takes two numbers of pieces, the second may be None; returns a string of A and B.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 7.
    """
    mistakes = [
        Mistake(_segments(0, 0), "You count the pieces of the texts. Which special tokens does "
                "their row have?"),
        Mistake(_segments(1, 0), "One special token of the first text is missing. What begins a "
                "row, and what ends a text?"),
        Mistake(_segments(2, 0), "The last [SEP] is missing. To which text does it belong?"),
        Mistake(_segments(1, 2), "The first [SEP] ends the first text, so it has the segment A."),
        Mistake(_segments(3, 0), "The last [SEP] ends the second text, so it has the segment B."),
        Mistake(_segments(2, 2), "There is one special token too many: only the row as a whole "
                "begins with [CLS]."),
        Mistake(_segments(2, 1, only="A"), "The row is as long as it should be, but everything is "
                "segment A. The model could not tell the texts apart."),
        Mistake(_segments(2, 1, none_as_empty=True), "None means that there is no second text: "
                "then its [SEP] is not there either."),
        Mistake(_segments(2, 1, empty_as_none=True), "A second text with 0 pieces is there all the "
                "same, and has its [SEP]. Only None means that there is none."),
        Mistake(lambda a, b: _segments(2, 1)(a, b).replace("A", "0").replace("B", "1"), "Those "
                "are the segment ids. Write A for 0 and B for 1."),
        Mistake(lambda a, b: " ".join(_segments(2, 1)(a, b)), "Nearly: write the letters without "
                "spaces between them."),
    ]  # fmt: skip
    cases = [(1, 2), (4, 3), (4, None), (2, 0), (0, 5), (0, None)]
    return check(function, right=_segments(2, 1), cases=cases, mistakes=mistakes)


def check_input_vectors(function: Callable) -> Verdict:
    """Check the sums of token, segment and position embeddings.

    Parameters
    ----------
    function : callable
        Takes ids, segment ids and the three tables; returns one sum for each token.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 7.
    """
    mistakes = [
        Mistake(lambda i, s, w, t, p: w[i] + t[s], "You never look at the position table. The "
                "sums of a sentence would be a bag."),
        Mistake(lambda i, s, w, t, p: w[i] + p[: i.shape[1]], "You never look at the segment "
                "table. A pair would be one text."),
        Mistake(lambda i, s, w, t, p: w[i] + t[0] + p[: i.shape[1]], "Every token gets the row of "
                "segment A. Which row does token_type_ids ask for?"),
        Mistake(lambda i, s, w, t, p: w[i] + t[s] + p[0], "Every token gets the row of place 0."),
        Mistake(lambda i, s, w, t, p: w[i] + t[s] + p[1 : i.shape[1] + 1], "You count places from "
                "1. The first place is 0."),
        Mistake(lambda i, s, w, t, p: w[i] + t[s] + p[i % len(p)], "You look up positions by the "
                "id of the token. Where does the token stand?"),
        Mistake(lambda i, s, w, t, p: w[i] * t[s] * p[: i.shape[1]], "You multiply the three "
                "vectors. They are added."),
        Mistake(lambda i, s, w, t, p: (w[i] + t[s] + p[: i.shape[1]]) / 3, "You take the mean. It "
                "is a sum."),
        Mistake(lambda i, s, w, t, p: _normalized(_sums(i, s, w, t, p)), "That is the sum after "
                "LayerNorm. Return what LayerNorm receives."),
    ]  # fmt: skip
    return check(function, right=_sums, cases=_lookup_cases(), mistakes=mistakes)


def check_position_code(function: Callable) -> Verdict:
    """Check the sinusoidal code of one position.

    Parameters
    ----------
    function : callable
        Takes a position and the even number of entries; returns the code.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 7.
    """
    mistakes = [
        Mistake(_code(halves=True), "All sines come first, then all cosines. In this formula "
                "sine and cosine of a pair stand side by side."),
        Mistake(_code(swapped=True), "Sine and cosine have changed places: which of them stands "
                "at the even entries?"),
        Mistake(_code(exponent=1), "Your exponent is i / H. By how much does it grow from one "
                "pair to the next?"),
        Mistake(_code(own_angle=True), "The two entries of a pair have different angles. Both "
                "use the same i."),
        Mistake(_code(faster=True), "Your hands turn faster and faster. The angle is the position "
                "divided by the power."),
        Mistake(_code(base=1000), "Your base is 1000; in the formula it is 10000."),
        Mistake(_code(start=1), "You count positions from 1. At position 0 all hands stand at 0."),
        Mistake(_code(degrees=True), "Your angles are degrees. sin and cos expect radians, and "
                "the formula gives radians already."),
    ]  # fmt: skip
    cases = [(0, 4), (3, 4), (1, 2), (5, 8), (60, 6), (511, 16)]
    return check(function, right=_code(), cases=cases, mistakes=mistakes)


def check_table_gradient(function: Callable) -> Verdict:
    """Check the gradient of a token table whose padding row does not learn.

    Parameters
    ----------
    function : callable
        Takes the gradient of the vectors, the ids, the number of rows and the padding id.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 7.
    """
    mistakes = [
        Mistake(lambda g, i, v, p: _table_gradient(g, i, v, None), "The row of the padding token "
                "learns. Its gradient should be 0."),
        Mistake(lambda g, i, v, p: _table_gradient(g, i, v, 0), "You leave out row 0. Is the "
                "padding id always 0?"),
        Mistake(_last_only, "A word that occurs twice keeps only its last gradient. Add them. "
                "(In numpy, grad[ids] += … adds to each row once only; np.add.at adds every "
                "time.)"),
        Mistake(lambda g, i, v, p: _last_only(g, i, v, None), "A word that occurs twice keeps "
                "only its last gradient, and the row of the padding token learns."),
        Mistake(_mean_of_each, "You take the mean over the places where a word stands. Paths that "
                "meet are added."),
        Mistake(lambda g, i, v, p: _table_gradient(g[:1], i[:1], v, p), "You look at the first "
                "text only. The ids have one row for each text."),
    ]  # fmt: skip
    return check(function, right=_table_gradient, cases=_gradient_cases(), mistakes=mistakes)


def _segments(
    around_first: int,
    around_second: int,
    only: str = "B",
    none_as_empty: bool = False,
    empty_as_none: bool = False,
) -> Callable:
    """Build a way to write segments; with 2 and 1 special tokens it is the right one."""

    def segments(first: int, second: int | None) -> str:
        if none_as_empty and second is None:
            second = 0
        if second is None or (empty_as_none and second == 0):
            return "A" * (first + around_first)
        return "A" * (first + around_first) + only * (second + around_second)

    return segments


def _sums(ids, segments, word_table, segment_table, position_table) -> np.ndarray:
    return word_table[ids] + segment_table[segments] + position_table[: ids.shape[1]]


def _normalized(x: np.ndarray) -> np.ndarray:
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-12)


def _lookup_cases() -> list[tuple]:
    """Draw tables and ids; there are more places than tokens, and more ids than places."""
    rng = np.random.default_rng(7)
    cases = []
    for batch, seq, hidden in [(1, 4, 3), (3, 5, 2), (2, 6, 4)]:
        ids = rng.integers(0, 12, (batch, seq))
        segments = (np.arange(seq) >= rng.integers(1, seq, (batch, 1))).astype(int)
        tables = (rng.standard_normal((rows, hidden)) for rows in (12, 2, 9))
        cases.append((ids, segments, *tables))
    return cases


def _code(
    exponent: int = 2,
    base: float = 10000,
    start: int = 0,
    halves: bool = False,
    swapped: bool = False,
    own_angle: bool = False,
    faster: bool = False,
    degrees: bool = False,
) -> Callable:
    """Build a way to compute a position code; the right one, or with a usual mistake."""

    def code(position: int, hidden_size: int) -> np.ndarray:
        pairs = np.repeat(np.arange(hidden_size // 2), 2)
        powers = exponent * pairs
        if own_angle:
            powers = np.arange(hidden_size)
        speeds = base ** (powers / hidden_size * (1 if faster else -1))
        angles = (position + start) * speeds
        angles = np.radians(angles) if degrees else angles
        even = np.arange(hidden_size) % 2 == (1 if swapped else 0)
        result = np.where(even, np.sin(angles), np.cos(angles))
        return np.concatenate([result[0::2], result[1::2]]) if halves else result

    return code


def _table_gradient(grad_output, ids, vocab_size, pad_token_id) -> np.ndarray:
    grad = np.zeros((vocab_size, grad_output.shape[-1]))
    np.add.at(grad, ids, grad_output)
    if pad_token_id is not None:
        grad[pad_token_id] = 0
    return grad


def _last_only(grad_output, ids, vocab_size, pad_token_id) -> np.ndarray:
    grad = np.zeros((vocab_size, grad_output.shape[-1]))
    for index, token in np.ndenumerate(ids):
        if token != pad_token_id:
            grad[token] = grad_output[index]
    return grad


def _mean_of_each(grad_output, ids, vocab_size, pad_token_id) -> np.ndarray:
    times = np.bincount(ids.ravel(), minlength=vocab_size)[:, None]
    return _table_gradient(grad_output, ids, vocab_size, pad_token_id) / np.maximum(times, 1)


def _gradient_cases() -> list[tuple]:
    """Repeat a word, pad with 0 and with another id, leave some words out."""
    rng = np.random.default_rng(8)
    rows = [
        (np.array([[1, 3, 1, 0]]), 5, 0),
        (np.array([[2, 5, 5], [5, 4, 4]]), 6, 4),
        (np.array([[1, 2, 0, 3, 6, 6], [2, 2, 0, 1, 3, 6]]), 7, 6),
    ]
    return [(rng.standard_normal((*ids.shape, 3)), ids, vocab, pad) for ids, vocab, pad in rows]
