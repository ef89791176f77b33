"""Checkers of Chapter 8: split heads, join them, attend with many, count the parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from minibert.reference import additive_mask, attention, softmax

from .verdict import Mistake, Verdict, check


def check_split_heads(function: Callable) -> Verdict:
    """Check the way from one vector a token to a piece of it for every head.

    Parameters
    ----------
    function : callable
        Takes a tensor (batch, seq, hidden) and the number of heads; returns a tensor
        (batch, heads, seq, head_size).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 8.
    """
    mistakes = [
        Mistake(_reshape_to_heads, "The shape is right, the numbers are not: a head now holds "
                "several pieces of one token. Cut the last axis in two first. Which two axes must "
                "then change places?"),
        Mistake(_deal_out, "You deal the numbers out like cards, one to each head in turn. A head "
                "takes neighbors: the first head the first head_size numbers of every token."),
        Mistake(lambda x, heads: _split(x, heads)[:, ::-1], "Your heads stand in reverse order. "
                "Where do the first numbers of a token go?"),
    ]  # fmt: skip
    rng = np.random.default_rng(81)
    sizes = [(1, 4, 6, 2), (2, 5, 12, 3), (3, 2, 20, 4), (2, 3, 4, 1)]
    cases = [(rng.standard_normal(shape), heads) for *shape, heads in sizes]
    return check(_with_tensors(function), right=_split, cases=cases, mistakes=mistakes)


def check_join_heads(function: Callable) -> Verdict:
    """Check the way back from a piece for every head to one vector a token.

    Parameters
    ----------
    function : callable
        Takes a tensor (batch, heads, seq, head_size); returns a tensor (batch, seq, hidden).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 8.
    """
    mistakes = [
        Mistake(_reshape_to_rows, "The shape is right, the numbers are not: a row holds pieces of "
                "several tokens. Which two axes must change places before you flatten?"),
        Mistake(_collect_cards, "You take one number of every head in turn. The pieces of a token "
                "stand side by side: all of the first head, then all of the second."),
        Mistake(lambda x: _join(x[:, ::-1]), "Your heads stand in reverse order. Which piece "
                "comes first in a row?"),
    ]  # fmt: skip
    rng = np.random.default_rng(82)
    shapes = [(1, 2, 4, 3), (2, 3, 5, 4), (3, 4, 2, 5), (2, 1, 3, 4)]
    cases = [(rng.standard_normal(shape),) for shape in shapes]
    return check(_with_tensors(function), right=_join, cases=cases, mistakes=mistakes)


def check_many_heads(function: Callable) -> Verdict:
    """Check attention with many heads and a mask.

    Parameters
    ----------
    function : callable
        Takes query, key and value, tensors (batch, seq, hidden), the number of heads, and an
        additive mask (batch, 1, 1, seq); returns the context (batch, seq, hidden).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 8.
    """
    mistakes = [
        Mistake(lambda q, k, v, heads, mask: _attend(q, k, v, 1, mask), "You attend with one big "
                "head. Each head needs shares of its own."),
        Mistake(lambda q, k, v, heads, mask: _attend(q, k, v, heads, 0 * mask), "The mask has no "
                "effect. Add it to the scores, before the softmax."),
        Mistake(lambda q, k, v, heads, mask: _attend(q / heads**0.5, k, v, heads, mask),
                "You divide by the square root of hidden. How long is a key of one head?"),
        Mistake(_attend_unscaled, "The scores are not divided. By what, and why?"),
        Mistake(_attend_over_queries, "Your softmax runs over the queries. The shares of each "
                "query must sum to 1 over the keys."),
        Mistake(_attend_over_heads, "The heads of one token look at each other, and no token sees "
                "another one. The axis of the tokens must stand next to the last."),
        Mistake(lambda *given: _attend(*given, split=_reshape_to_heads, join=_reshape_to_rows),
                "You reshape straight to (batch, heads, seq, head_size). A head then holds several "
                "pieces of one token. Cut the last axis, and let two axes change places."),
        Mistake(lambda *given: _attend(*given, join=_reshape_to_rows), "The heads are right, but "
                "their contexts are joined wrongly. Which two axes must change places back?"),
    ]  # fmt: skip
    rng = np.random.default_rng(83)
    cases = []
    for batch, seq, hidden, heads in [(1, 3, 4, 2), (2, 5, 12, 3), (3, 4, 10, 5), (2, 3, 4, 1)]:
        seen = np.arange(seq) < np.arange(seq, seq - batch, -1)[:, None]
        mask = additive_mask(seen.astype(int))[:, None]
        cases.append((*rng.standard_normal((3, batch, seq, hidden)), heads, mask))
    return check(_with_tensors(function), right=_attend, cases=cases, mistakes=mistakes)


def check_parameters(function: Callable) -> Verdict:
    """Check the number of parameters of an attention block with its dense layer and LayerNorm.

    Parameters
    ----------
    function : callable
        Takes hidden and heads; returns a whole number.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 8.
    """
    mistakes = [
        Mistake(lambda hidden, heads: 4 * hidden**2 + 2 * hidden, "The four linear layers have "
                "biases, too: one number for each output."),
        Mistake(lambda hidden, heads: 3 * (hidden**2 + hidden) + 2 * hidden, "You count query, "
                "key and value. A fourth linear layer mixes what the heads found."),
        Mistake(lambda hidden, heads: 4 * (hidden**2 + hidden), "LayerNorm has parameters as "
                "well: it stretches and shifts each of the hidden numbers."),
        Mistake(lambda hidden, heads: 3 * (hidden**2 + hidden), "You count query, key and value "
                "only. What does BertSelfOutput hold?"),
        Mistake(lambda hidden, heads: heads * 4 * (hidden**2 + hidden) + 2 * hidden, "You give "
                "every head matrices of full size. A head gets its share of one matrix: "
                "hidden / heads of its rows."),
        Mistake(lambda hidden, heads: 4 * (hidden**2 // heads + hidden // heads) + 2 * hidden,
                "You count one head only. How many are there?"),
        Mistake(lambda hidden, heads: 4 * (hidden**2 + hidden) + hidden, "LayerNorm has two "
                "numbers for each entry: one stretches it, one shifts it."),
    ]  # fmt: skip
    return check(
        function,
        right=lambda hidden, heads: 4 * (hidden**2 + hidden) + 2 * hidden,
        cases=[(3, 1), (12, 3), (128, 2), (768, 12)],
        mistakes=mistakes,
    )


def _with_tensors(function: Callable) -> Callable:
    """Give a function tensors where it is called with arrays, and take an array for a tensor."""

    @functools.wraps(function)
    def called(*arguments: object) -> object:
        # A tensor shares its memory with its array, so that a change of the input is seen.
        given = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        answer = function(*given)
        return answer.detach().numpy() if isinstance(answer, Tensor) else answer

    return called


def _split(x: np.ndarray, heads: int) -> np.ndarray:
    """Cut the last axis among the heads and put them before the tokens."""
    return np.stack(np.split(x, heads, axis=-1), axis=1)


def _join(x: np.ndarray) -> np.ndarray:
    """Put the heads' pieces of every token side by side."""
    return np.concatenate(list(np.moveaxis(x, 1, 0)), axis=-1)


def _reshape_to_heads(x: np.ndarray, heads: int) -> np.ndarray:
    batch, seq, hidden = x.shape
    return x.reshape(batch, heads, seq, hidden // heads)


def _reshape_to_rows(x: np.ndarray) -> np.ndarray:
    batch, heads, seq, head_size = x.shape
    return x.reshape(batch, seq, heads * head_size)


def _deal_out(x: np.ndarray, heads: int) -> np.ndarray:
    return np.stack([x[..., head::heads] for head in range(heads)], axis=1)


def _collect_cards(x: np.ndarray) -> np.ndarray:
    batch, _, seq, _ = x.shape
    return np.moveaxis(x, 1, -1).reshape(batch, seq, -1)


def _attend(query, key, value, heads, mask, split=_split, join=_join) -> np.ndarray:
    """Attend with many heads; with another way to split or join them, a usual mistake."""
    sides = (split(side, heads) for side in (query, key, value))
    return join(attention(*sides, mask)[0])


def _attend_unscaled(query, key, value, heads, mask) -> np.ndarray:
    head_size = query.shape[-1] // heads
    return _attend(query * head_size**0.5, key, value, heads, mask)


def _attend_over_queries(query, key, value, heads, mask) -> np.ndarray:
    query, key, value = (_split(side, heads) for side in (query, key, value))
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1]) + mask
    return _join(softmax(scores, axis=-2) @ value)


def _attend_over_heads(query, key, value, heads, mask) -> np.ndarray:
    """Leave the tokens before the heads; the mask does not fit these scores and is left out."""
    sides = (side.reshape(*side.shape[:2], heads, -1) for side in (query, key, value))
    return attention(*sides)[0].reshape(query.shape)
