"""Exercises of Chapter 8: attend with many heads, and design one that looks back."""

from __future__ import annotations

import numpy as np
import torch

from minibert.reference import additive_mask, softmax

from .exercise import Exercise, Mistake, as_it_is
from .tensors import to_tensor

_RNG = np.random.default_rng(81)


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


def _only_cut(x, heads):
    return x.reshape(*x.shape[:2], heads, -1)


def _by_queries(scores):
    return softmax(scores, axis=-2)


def _many_heads(query, key, value, heads, mask, *, divide=lambda size, heads: np.sqrt(size),
                shares=softmax, split=_split, join=_join, masked=lambda scores, mask: scores + mask,
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
    given=to_tensor,
    forbidden=["scaled_dot_product_attention", "MultiheadAttention"],
    mistakes=[
        Mistake({"parts": 1}, "You attend with one big head. Each head needs probabilities of "
                "its own."),
        Mistake({"masked": lambda scores, mask: scores}, "The mask has no effect. Add it to the "
                "scores, before the softmax."),
        Mistake(_masked_late, "You add the mask to the probabilities. It belongs to the scores, "
                "before the softmax."),
        Mistake({"masked": lambda s, m: s, "after": lambda p, m: p * (m == 0)}, "You hide after "
                "the softmax: the probabilities of a query no longer sum to 1. Add the mask to the "
                "scores."),
        Mistake({"masked": lambda scores, mask: scores * mask}, "You multiply by the mask. It is "
                "added to the scores."),
        Mistake({"masked": lambda scores, mask: scores - mask}, "You subtract the mask. It is very "
                "negative already where nobody may look."),
        Mistake({"divide": lambda size, heads: np.sqrt(size * heads)}, "You divide by the square "
                "root of hidden. How long is a key of one head?"),
        Mistake({"divide": lambda size, heads: size}, "You divide by the size of a head. The "
                "typical size of a dot product is its square root."),
        Mistake({"divide": lambda size, heads: np.sqrt(heads)}, "You divide by the square root of "
                "the number of heads. How long is a key of one head?"),
        Mistake({"divide": lambda size, heads: 1}, "The scores are not divided. By what, and why?"),
        Mistake({"shares": _by_queries}, "Your softmax runs over the queries. The shares of each "
                "query must sum to 1 over the keys."),
        Mistake({"shares": lambda scores: softmax(scores, axis=1)}, "Your softmax runs over the "
                "heads. The shares of each query must sum to 1 over the keys."),
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
        Mistake({"join": lambda x: x.reshape(*x.shape[:2], -1)}, "The heads are flattened before "
                "the tokens. Which two axes must change places back first?"),
        Mistake({"join": lambda x: x}, "The contexts of the heads stand apart. Join them to one "
                "vector a token."),
    ],
)  # fmt: skip


def _turned(angles):
    """Turn each pair of (cos, sin) of a row vector by its angle."""
    turned = np.zeros((4, 4))
    for i, angle in enumerate(angles):
        cos, sin = np.cos(angle), np.sin(angle)
        turned[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return turned


def _query_weight(steps, *, speeds=(1, 3), unit=np.pi / 10, count=as_it_is, flip=True):
    """Turn back by some steps, as a weight that a linear layer transposes."""
    weight = _turned(-count(steps) * unit * np.array(speeds))
    return weight.T if flip else weight


check_query_weight = Exercise(
    "Write the weight of the linear layer whose queries look some steps back.",
    _query_weight,
    cases=[(1,), (2,), (3,)],
    mistakes=[
        Mistake({"flip": False}, "Your head looks the other way. A linear layer computes x times "
                "the transposed weight; and in which direction is back?"),
        Mistake({"count": lambda steps: 1}, "Your head looks one step away, whatever is asked for. "
                "By how much do the hands turn in several steps?"),
        Mistake({"speeds": (1, 1)}, "Both hands turn at one speed. The second one is three times "
                "as fast."),
        Mistake({"speeds": (3, 1)}, "The speeds have changed places. Which pair is the slow one?"),
        Mistake(lambda steps: np.eye(4), "With this query a word looks at itself. Turn it."),
        Mistake(lambda steps: 5.5 * _query_weight(steps), "The right direction. But this query "
                "should be as long as the place: only turn it."),
        Mistake({"speeds": (1, 0)}, "The second hand stands still. It turns, too."),
        Mistake({"unit": 1}, "Your hands turn by 1 radian a word. With which speeds were the "
                "places made?"),
    ],
)  # fmt: skip
