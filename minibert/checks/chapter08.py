"""Exercises of Chapter 8: split heads, join them, attend with many, count the parameters."""

from __future__ import annotations

import numpy as np
import torch

from minibert.reference import additive_mask, softmax

from .exercise import Exercise, Mistake

_RNG = np.random.default_rng(81)


def _to_tensor(value):
    """See an array as a tensor; they share their memory, so that a change of it is seen."""
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def _split(x, heads):
    """Cut the last axis among the heads and put them before the tokens."""
    return np.stack(np.split(x, heads, axis=-1), axis=1)


def _join(x):
    """Put the heads' pieces of every token side by side."""
    return np.concatenate(list(np.moveaxis(x, 1, 0)), axis=-1)


def _reshape_to_heads(x, heads):
    batch, seq, hidden = x.shape
    return x.reshape(batch, heads, seq, hidden // heads)


def _reshape_to_rows(x):
    batch, heads, seq, head_size = x.shape
    return x.reshape(batch, seq, heads * head_size)


def _deal_out(x, heads):
    return np.stack([x[..., head::heads] for head in range(heads)], axis=1)


def _collect_cards(x):
    return np.moveaxis(x, 1, -1).reshape(x.shape[0], x.shape[2], -1)


def _only_cut(x, heads):
    return x.reshape(*x.shape[:2], heads, -1)


check_split_heads = Exercise(
    "Split (batch, seq, hidden) into (batch, heads, seq, head_size).",
    _split,
    cases=[
        (_RNG.standard_normal(shape), heads)
        for *shape, heads in [(1, 4, 6, 2), (2, 5, 12, 3), (3, 2, 20, 4), (2, 3, 4, 1)]
    ],
    given=_to_tensor,
    mistakes=[
        Mistake(_reshape_to_heads, "The shape is right, the numbers are not: a head now holds "
                "several pieces of one token. Cut the last axis in two first. Which two axes must "
                "then change places?"),
        Mistake(_deal_out, "You deal the numbers out like cards, one to each head in turn. A head "
                "takes neighbors: the first head the first head_size numbers of every token."),
        Mistake(lambda x, heads: _split(x, heads)[:, ::-1], "Your heads stand in reverse order. "
                "Where do the first numbers of a token go?"),
        Mistake(_only_cut, "The last axis is cut. Which two axes must still change places?"),
        Mistake(lambda x, heads: _split(x, heads).swapaxes(-1, -2), "The tokens stand last. Which "
                "two axes changed places that should not?"),
    ],
)  # fmt: skip

check_join_heads = Exercise(
    "Join (batch, heads, seq, head_size) to (batch, seq, hidden) again.",
    _join,
    cases=[
        (_RNG.standard_normal(shape),)
        for shape in [(1, 2, 4, 3), (2, 3, 5, 4), (3, 4, 2, 5), (2, 1, 3, 4)]
    ],
    given=_to_tensor,
    mistakes=[
        Mistake(_reshape_to_rows, "The shape is right, the numbers are not: a row holds pieces of "
                "several tokens. Which two axes must change places before you flatten?"),
        Mistake(_collect_cards, "You take one number of every head in turn. The pieces of a token "
                "stand side by side: all of the first head, then all of the second."),
        Mistake(lambda x: _join(x[:, ::-1]), "Your heads stand in reverse order. Which piece comes "
                "first in a row?"),
        Mistake(lambda x: x.swapaxes(1, 2), "The axes stand as they should. Now make one axis of "
                "the last two."),
        Mistake(lambda x: x.mean(axis=1), "You take the mean over the heads. Their pieces are put "
                "side by side."),
    ],
)  # fmt: skip


def _root(size, heads):
    return np.sqrt(size)


def _by_queries(scores):
    return softmax(scores, axis=-2)


def _many_heads(query, key, value, heads, mask, *, divide=_root, shares=softmax, split=_split,
                join=_join, masked=lambda scores, mask: scores + mask,
                after=lambda shares, mask: shares, parts=None):  # fmt: skip
    """Attend with many heads."""
    parts = parts or heads
    query, key, value = (split(side, parts) for side in (query, key, value))
    scores = query @ key.swapaxes(-1, -2) / divide(query.shape[-1], heads)
    return join(after(shares(masked(scores, mask)), mask) @ value)


def _in_torch(query, key, value, heads, mask, *, masked=True, turned=True, split=_only_cut):
    """Go wrong as tensors do: heads that look at each other, or a key that is not transposed."""
    query, key, value = (torch.tensor(split(side, heads)) for side in (query, key, value))
    scores = query @ (key.transpose(-1, -2) if turned else key) / query.shape[-1] ** 0.5
    shares = (scores + torch.tensor(mask) if masked else scores).softmax(dim=-1)
    return (shares @ value).flatten(2).numpy()


def _masked_late(query, key, value, heads, mask):
    """Add the mask to the shares, as tensors do: a sum of lowest numbers hangs on its order."""
    sides = (query, key, value)
    query, key, value = (torch.tensor(_only_cut(side, heads)).transpose(1, 2) for side in sides)
    shares = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).softmax(dim=-1)
    return ((shares + torch.tensor(mask)) @ value).transpose(1, 2).flatten(2).numpy()


def _heads_case(batch, seq, hidden, heads):
    seen = np.arange(seq) < np.arange(seq, seq - batch, -1)[:, None]
    mask = additive_mask(seen.astype(int))[:, None]
    return *_RNG.standard_normal((3, batch, seq, hidden)), heads, mask


check_many_heads = Exercise(
    "Write attention with many heads and a mask; return the context.",
    _many_heads,
    cases=[
        _heads_case(*sizes)
        for sizes in [(1, 3, 4, 2), (2, 5, 12, 3), (3, 4, 10, 5), (2, 3, 4, 1)]
    ],
    given=_to_tensor,
    forbidden=["scaled_dot_product_attention", "MultiheadAttention"],
    mistakes=[
        Mistake({"parts": 1}, "You attend with one big head. Each head needs shares of its own."),
        Mistake({"masked": lambda scores, mask: scores}, "The mask has no effect. Add it to the "
                "scores, before the softmax."),
        Mistake(_masked_late, "You add the mask to the shares. It belongs to the scores, before "
                "the softmax."),
        Mistake({"masked": lambda s, m: s, "after": lambda p, m: p * (m == 0)}, "You hide after "
                "the softmax: the shares of a query no longer sum to 1. Add the mask to the "
                "scores."),
        Mistake({"masked": lambda scores, mask: scores * mask}, "You multiply by the mask. It is "
                "added to the scores."),
        Mistake({"divide": lambda size, heads: np.sqrt(size * heads)}, "You divide by the square "
                "root of hidden. How long is a key of one head?"),
        Mistake({"divide": lambda size, heads: size}, "You divide by the size of a head. The "
                "typical size of a dot product is its square root."),
        Mistake({"divide": lambda size, heads: np.sqrt(heads)}, "You divide by the square root of "
                "the number of heads. How long is a key of one head?"),
        Mistake({"divide": lambda size, heads: 1}, "The scores are not divided. By what, and why?"),
        Mistake({"shares": _by_queries}, "Your softmax runs over the queries. The shares of each "
                "query must sum to 1 over the keys."),
        Mistake({"shares": lambda scores: scores}, "Where is softmax? Scores are no shares."),
        *(Mistake(lambda *case, masked=masked: _in_torch(*case, masked=masked), "The heads of one "
                  "token look at each other, and no token sees another one. The axis of the tokens "
                  "must stand next to the last.") for masked in (False, True)),
        Mistake(lambda *case: _in_torch(*case, turned=False, split=_split), "Every query meets "
                "every key: the last two axes of key must change places."),
        Mistake({"split": _reshape_to_heads, "join": _reshape_to_rows}, "You reshape straight to "
                "(batch, heads, seq, head_size). A head then holds several pieces of one token. "
                "Cut the last axis, and let two axes change places."),
        Mistake({"split": _reshape_to_heads}, "You reshape straight to (batch, heads, seq, "
                "head_size). A head then holds several pieces of one token. Cut the last axis, and "
                "let two axes change places."),
        Mistake({"join": _reshape_to_rows}, "The heads are right, but their contexts are joined "
                "wrongly. Which two axes must change places back?"),
        Mistake({"join": lambda x: x}, "The contexts of the heads stand apart. Join them to one "
                "vector a token."),
    ],
)  # fmt: skip


def _parameters(hidden, heads, *, linears=lambda heads: 4, biases=1, norm=2):
    return linears(heads) * (hidden**2 + biases * hidden) + norm * hidden


check_parameters = Exercise(
    "Count the parameters of a BertAttention, with its dense layer and LayerNorm.",
    _parameters,
    cases=[(3, 1), (12, 3), (128, 2), (768, 12)],
    forbidden=["BertAttention", "numel"],
    mistakes=[
        Mistake({"biases": 0}, "The four linear layers have biases, too: one number for each "
                "output."),
        Mistake({"linears": lambda heads: 3}, "You count query, key and value. A fourth linear "
                "layer mixes what the heads found."),
        Mistake({"norm": 0}, "LayerNorm has parameters as well: it stretches and shifts each of "
                "the hidden numbers."),
        Mistake({"norm": 0, "biases": 0}, "You count matrices only. Linear layers have biases, and "
                "LayerNorm stretches and shifts each of the hidden numbers."),
        Mistake({"linears": lambda heads: 3, "norm": 0}, "You count query, key and value only. "
                "What does BertSelfOutput hold?"),
        Mistake({"linears": lambda heads: 4 * heads}, "You give every head matrices of full size. "
                "A head gets its share of one matrix: hidden / heads of its rows."),
        Mistake(lambda h, heads: 4 * (h**2 // heads + h // heads) + 2 * h, "You count one head "
                "only. How many are there?"),
        Mistake({"norm": 1}, "LayerNorm has two numbers for each entry: one stretches it, one "
                "shifts it."),
        Mistake({"norm": 4}, "You count two LayerNorms. The second one belongs to the other half "
                "of a layer."),
    ],
)  # fmt: skip
