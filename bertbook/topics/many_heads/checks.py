"""Exercise of Chapter 8: attend with many heads. Its classes are checked by their contracts."""

import math

import numpy as np
import torch

from bertbook.core.exercises.exercise import Exercise, as_it_is
from minibert.reference import additive_mask

_RNG = np.random.default_rng(81)


def _many_heads(q, k, v, heads, mask, dropout):
    q, k, v = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    probs = dropout(scores.softmax(dim=-1))
    return (probs @ v).transpose(1, 2).flatten(2), probs


def _dropout(probs):
    """Drop every third number, and enlarge the others: what dropout does, but never by chance."""
    kept = torch.arange(probs.numel()).reshape(probs.shape) % 3 > 0
    return probs * kept / (2 / 3)


def _heads_case(batch, seq, hidden, heads, dropout=as_it_is, masked=True, first=1, bias=0.0):
    seen = np.arange(seq) < np.arange(seq, seq - batch, -1)[:, None]
    seen[0] = first  # 0 hides all of a sentence
    mask = np.minimum(additive_mask(seen.astype(int))[:, None], bias * np.arange(seq))
    sides = torch.from_numpy(_RNG.standard_normal((3, batch, seq, hidden)))
    return *sides, heads, torch.from_numpy(mask) if masked else None, dropout


_CUT = "x.unflatten(-1, (heads, -1)).transpose(1, 2) → x.reshape(len(x), heads, x.shape[1], -1)"

check_many_heads = Exercise(
    "Write attention with many heads, a mask and dropout; return context and probabilities.",
    _many_heads,
    cases=[_heads_case(*sizes) for sizes in [(1, 3, 4, 2), (2, 5, 12, 3, as_it_is, True, 0),
           (3, 4, 10, 5, _dropout, True, 1, -0.7),
           (2, 3, 4, 1), (2, 4, 6, 3, _dropout, False)]],
    forbidden=["scaled_dot_product_attention", "MultiheadAttention"],
    mistakes={
        "scores + mask → scores.masked_fill(mask != 0, -torch.inf)": "A sentence of nothing but "
            "padding gives NaN: a row of −∞ alone has no softmax. The mask has numbers that hide "
            "as well: what is to be done with them?",
        "scores + mask → scores.masked_fill(mask < 0, torch.finfo(scores.dtype).min)":
            "You only look where the mask is below 0. Its other numbers count as well: add it.",
        "scores + mask → scores + mask / math.sqrt(q.shape[-1])":
            "The mask is divided along with the scores. Which of the two steps is first?",
        ("math.sqrt( → (", "/ math.sqrt(…) →", "q.shape[-1] → heads ¦ (heads * q.shape[-1]) ¦ "
            "q.shape[-2]"): "Scores are divided by the root of what a head's keys are long.",
        "scores + mask → scores * mask ¦ scores - mask": "The mask is added to the scores.",
        "dropout(…) → … ¦ dropout(scores).softmax(dim=-1)": "dropout is applied to the "
            "probabilities, and what it leaves mixes the values.",
        (_CUT, ".transpose(1, 2).flatten(2), → .reshape(len(v), v.shape[2], -1),"): "A reshape "
            "alone mixes positions with heads. Which two axes change places?",
        "flatten(2), probs → flatten(2), scores": "Return the probabilities, not the scores.",
        "dim=-1 → dim=-2 ¦ dim=1": "The probabilities of each query must sum to 1 over the keys.",
        "dropout(…) → torch.stack([dropout(p) for p in ….unbind(1)], 1)": "You go head by head.",
    },
)  # fmt: skip
