"""The best legal answer: of the spans in the passage, the one that scores highest. Chapter 18."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Num
from torch import Tensor
from torch.nn import functional

from minibert.inputs import FLOATS, require_entries, require_number, require_tensor
from minibert.losses import IGNORED_LABEL


class BestSpans(NamedTuple):
    """The best spans of each row, best first, and the score of no answer.

    Args:
        start, end: Places of the first and the last token of each span; -100 where a row has no
            further span.
        score: ``start_logits[start] + end_logits[end]``; minus infinity without a span.
        no_answer: ``start_logits[0] + end_logits[0]``, the score of [CLS] as both ends.
    """

    start: Int[Tensor, "*shape"]
    end: Int[Tensor, "*shape"]
    score: Float[Tensor, "*shape"]
    no_answer: Float[Tensor, "*shape"]


def best_spans(
    start_logits: Float[Tensor, "*batch seq"],
    end_logits: Float[Tensor, "*batch seq"],
    passage: Bool[Tensor, "*batch seq"],
    *,
    max_answer_length: int = 30,
    top_n: int = 1,
) -> BestSpans:
    """Return the spans with the highest scores among those that can be an answer.

    ``score(i, j) = start_logits[i] + end_logits[j]``, over all i <= j < i + `max_answer_length`
    with every token from i to j in the passage. The two best ends by themselves may lie the wrong
    way round, or in the question. Of equal scores the earlier start comes first, then the shorter
    span.

    Args:
        start_logits, end_logits: One score per token, or minus infinity for what cannot be; any
            leading dimensions.
        passage: True for the tokens of the passage: not the question, special tokens or padding.
        max_answer_length: The most tokens of an answer, at least 1.
        top_n: How many spans of each row to return, at least 1; fewer if no row has so many.

    Source: Devlin et al. (2019), sections 4.2 and 4.3.

    >>> import torch
    >>> start_logits = torch.tensor([0.0, 9.0, 1.0, 5.0])
    >>> end_logits = torch.tensor([0.0, 1.0, 8.0, 2.0])
    >>> passage = torch.tensor([False, False, True, True])
    >>> best = best_spans(start_logits, end_logits, passage)
    >>> best.start.tolist(), best.end.tolist(), best.score.tolist()
    ([2], [2], [9.0])
    """
    _require_sound(start_logits, end_logits, passage, max_answer_length, top_n)
    # Along the last dimension: what is met at i, i + 1, …, i + max_answer_length - 1. A span that
    # has met as many outsiders at its end as at its start holds none.
    outsiders = (~passage).cumsum(-1)
    met = _windows(outsiders, max_answer_length, fill=-1)
    legal = passage.unsqueeze(-1) & (met == outsiders.unsqueeze(-1))
    scores = start_logits.unsqueeze(-1) + _windows(end_logits, max_answer_length, fill=-math.inf)
    scores = scores.masked_fill(~legal, -math.inf).flatten(-2)
    score, place = scores.sort(dim=-1, descending=True, stable=True)
    most = min(top_n, int((score > -math.inf).sum(dim=-1).max()))
    score, place = score[..., :most], place[..., :most]
    start = place // max_answer_length
    end = start + place % max_answer_length
    start, end = (x.masked_fill(score == -math.inf, IGNORED_LABEL) for x in (start, end))
    no_answer = start_logits[..., 0] + end_logits[..., 0]
    return BestSpans(start, end, score, no_answer)


def _windows(values: Num[Tensor, "*batch seq"], width: int, fill: float) -> Tensor:
    """Return for each position the next `width` values, its own included; `fill` beyond the end."""
    return functional.pad(values, (0, width - 1), value=fill).unfold(-1, width, 1)


def _require_sound(
    start_logits: Tensor, end_logits: Tensor, passage: Tensor, max_answer_length: int, top_n: int
) -> None:
    require_tensor("passage", passage, [torch.bool])  # passage.bool(), if it is 1 and 0
    for name, logits in (("start_logits", start_logits), ("end_logits", end_logits)):
        require_tensor(name, logits, FLOATS, [passage.shape], ", that of passage")
        rule = "are numbers, or minus infinity for what cannot be"
        require_entries(name, logits, logits < math.inf, rule)
    if not passage.dim():
        raise ValueError("passage has no dimension of tokens; one sequence has the shape (seq,)")
    require_number("max_answer_length", max_answer_length, 1)
    require_number("top_n", top_n, 1)
