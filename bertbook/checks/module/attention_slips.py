"""The usual mistakes in self-attention. Chapter 8."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from .slip import NO_BIAS, Slip, Spoil, computing, typing


def _split(self: Any, x: Tensor) -> Tensor:
    return self.split_heads(x)


def _join(self: Any, x: Tensor) -> Tensor:
    return self.join_heads(x)


def _split_by_view(self: Any, x: Tensor) -> Tensor:
    """Give each head several pieces of one token."""
    batch, seq, hidden = x.shape
    return x.reshape(batch, hidden // self.head_size, seq, self.head_size)


def _split_like_cards(self: Any, x: Tensor) -> Tensor:
    """Deal the numbers out, one to each head in turn."""
    return x.unflatten(-1, (self.head_size, -1)).permute(0, 3, 1, 2)


def _join_by_view(self: Any, x: Tensor) -> Tensor:
    """Join the heads without changing the axes back."""
    batch, heads, seq, head_size = x.shape
    return x.reshape(batch, seq, heads * head_size)


def _attend(
    self: Any,
    hidden_states: Tensor,
    additive_mask: Tensor | None = None,
    output_attentions: bool = False,
    *,
    scale: float | None = None,
    mask: str = "added",
    axis: int = -1,
    sides: str = "query key value",
    split: Callable = _split,
    join: Callable = _join,
) -> tuple[Tensor, Tensor | None]:
    """Attend as ours does, but for one change."""
    query, key, value = (split(self, getattr(self, s)(hidden_states)) for s in sides.split())
    scores = query @ key.transpose(-1, -2) / (scale or math.sqrt(self.head_size))
    if additive_mask is not None and mask == "added":
        scores = scores + additive_mask
    probs = scores.softmax(axis)
    if additive_mask is not None and mask == "multiplied":
        probs = probs * (additive_mask == 0)
    context = join(self, probs @ value)
    return context, probs if output_attentions else None


def _scaled(size: Callable[[Any], float]) -> Spoil:
    """Divide the scores by another number."""
    return lambda part: computing(_attend, scale=size(part))(part)


SELF_ATTENTION = [
    Slip(_scaled(lambda part: math.sqrt(part.query.in_features)), "You divide the scores by "
         "√hidden. How long are the vectors that a head multiplies?"),
    Slip(_scaled(lambda part: 1.0), "You do not divide the scores. How large does a sum of "
         "head_size products grow, and what does the softmax make of it?"),
    Slip(_scaled(lambda part: part.head_size), "You divide the scores by head_size. Does the "
         "spread of a sum of head_size products grow as head_size, or as its root?"),
    Slip(_scaled(lambda part: math.sqrt(part.query.in_features / part.head_size)), "You divide "
         "the scores by the root of the number of heads. How long are the vectors that a head "
         "multiplies?"),
    Slip(computing(_attend, mask="multiplied"), "You hide the padding after the softmax. Do the "
         "rows of the map still sum to 1? What must be hidden before the softmax, and how?"),
    Slip(computing(_attend, mask="forgotten"), "The mask has no effect. To what is it to be "
         "added?"),
    Slip(typing("scores + fit_mask(additive_mask, scores)",
                "scores.masked_fill(additive_mask == 0, -1e9)"), "You hide where the additive "
         "mask is 0, and that is where a query may look. To what is it to be added?"),
    Slip(typing("+ fit_mask", "- fit_mask"), "You subtract the mask. It is very negative already "
         "where nobody may look: what does adding it do?"),
    Slip(typing("+ fit_mask", "* fit_mask"), "You multiply the scores by the mask. To what is it "
         "to be added?"),
    Slip(typing("probs if output_attentions else None", "None"), "No map is returned, though it is "
         "asked for. scaled_dot_product_attention gives none: where output_attentions is true, "
         "write the softmax out."),
    Slip(typing("self.join_heads(probs @ value)", "(probs @ value).flatten(2)"), "The heads are "
         "flattened before the tokens. Which two axes must change places back first?"),
    Slip(computing(_attend, sides="query query value"), "Your keys are made by the layer of the "
         "queries. Which layer makes them?"),
    Slip(computing(_attend, axis=-2), "Your softmax runs over the queries. Which axis must sum to "
         "1: to whom does one token share out its attention?"),
    Slip(computing(_attend, axis=1), "Your softmax runs over the heads. Which axis must sum to 1: "
         "to whom does one token share out its attention?"),
    Slip(computing(_attend, split=_split_by_view), "The shape is right, but a head holds "
         "several pieces of one token. Cut the last axis in two first. Which two axes must "
         "then change places?"),
    Slip(computing(_attend, split=_split_by_view, join=_join_by_view), "The shapes are "
         "right, but a head holds several pieces of one token. Cut the last axis in two first. "
         "Which two axes must then change places, and back again at the end?"),
    Slip(computing(_attend, split=_split_like_cards), "You deal the numbers out like cards, "
         "one to each head in turn. Which numbers does the first head take?"),
    Slip(computing(_attend, join=_join_by_view), "The heads are right, but their contexts "
         "are joined wrongly. Which two axes must change places back, before the last two are "
         "flattened?"),
    Slip(computing(_attend, sides="key query value"), "Your queries and keys have changed places. "
         "Whose is a row of the map, the one who looks or the one who is looked at?"),
    Slip(computing(_attend, sides="query key key"), "You mix the keys. What does a token take "
         "from those it looks at?"),
    NO_BIAS,
]  # fmt: skip
