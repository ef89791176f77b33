"""The usual mistakes at both ends: embeddings, pooler, heads, and LayerNorm itself. Chapter 8."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from .layer_slips import ACTIVATION
from .slip import NO_BIAS, NO_NORM, Slip, computing, epsilons, putting, zeroing


def _embed_scaled(self: Any, *given: Tensor | None) -> Tensor:
    """Multiply the words by √hidden, as the first transformer did."""
    root = math.sqrt(self.word_embeddings.embedding_dim)
    ids, types, places, vectors = (*given, None, None, None)[:4]
    vectors = self.word_embeddings(ids) if vectors is None else vectors
    return type(self).forward(self, None, types, places, vectors * root)


def _pool(self: Any, hidden_states: Tensor, *, taken: Callable) -> Tensor:
    """Take something else than the first token."""
    return self.dense(taken(hidden_states)).tanh()


def _pool_without_tanh(self: Any, hidden_states: Tensor) -> Tensor:
    """Leave out the tanh."""
    return self.dense(hidden_states[:, 0])


def _forget_segments(self: Any, ids=None, mask=None, types=None, *given: Any, **named: Any) -> Any:
    """Hand on everything but the segments."""
    return type(self).forward(self, ids, mask, None, *given, **named)


def _turn_pairs(self: Any, *given: Any) -> Any:
    """Take 0 for 1 and 1 for 0; the labels of the pairs are the seventh argument."""
    labels = [None if label is None else 1 - label for label in given[6:7]]
    return type(self).forward(self, *given[:6], *labels, *given[7:])


def _take_first_token(model: Any) -> None:
    """Judge a pair by the encoder's own vector of [CLS]."""
    model.bert.pooler.forward = lambda hidden_states: hidden_states[:, 0]


def _add_raw_mask(bert: Any) -> None:
    """Let a whole model add ones and zeros to the scores."""
    bert._additive_mask = lambda mask, states: (
        None if mask is None else mask[:, None, None].to(states.dtype)
    )


def _norm_then_activate(self: Any, hidden_states: Tensor) -> Tensor:
    """Change LayerNorm and activation round."""
    return self.activation(self.LayerNorm(self.dense(hidden_states)))


def _norm(
    self: nn.LayerNorm,
    x: Tensor,
    *,
    center: bool = True,
    unbiased: bool = False,
    outside: bool = False,
    learned: bool = True,
) -> Tensor:
    """Normalize as LayerNorm does, but for one change."""
    centered = x - x.mean(-1, keepdim=True) if center else x
    variance = centered.square().sum(-1, keepdim=True) / (x.shape[-1] - unbiased)
    spread = variance.sqrt() + self.eps if outside else (variance + self.eps).sqrt()
    return centered / spread * self.weight + self.bias if learned else centered / spread


EMBEDDINGS = [
    Slip(zeroing("position_embeddings.weight"), "Positions have no effect. Which three vectors "
         "are added for each token?"),
    Slip(zeroing("token_type_embeddings.weight"), "Segments have no effect. Which three "
         "vectors are added for each token?"),
    Slip(computing(_embed_scaled), "The vectors of the words are multiplied by √hidden, as "
         "in the first transformer. Does BERT do it?"),
    NO_NORM,
    *epsilons("LayerNorm.eps"),
]  # fmt: skip
POOLER = [
    Slip(computing(_pool, taken=lambda states: states[:, -1]), "You take the last token. "
         "Which one stands for the whole sequence?"),
    Slip(computing(_pool, taken=lambda states: states.mean(dim=1)), "You take the mean of "
         "all tokens. Which one stands for the whole sequence?"),
    Slip(computing(_pool, taken=lambda states: states.amax(dim=1)), "You take the largest "
         "numbers of all tokens. Which one stands for the whole sequence?"),
    Slip(computing(_pool_without_tanh), "Where is the tanh?"),
    NO_BIAS,
]  # fmt: skip
BERT = [
    Slip(computing(_forget_segments), "The numbers are those of a text that is all segment 0. To "
         "whom must token_type_ids be handed on?"),
    Slip(_add_raw_mask, "You add ones and zeros to the scores. Which numbers hide a "
         "token, and which change nothing?"),
]  # fmt: skip
PRETRAINING = [
    Slip(_take_first_token, "The pair is judged by the vector of [CLS] as the encoder gives it. "
         "What stands between encoder and head?"),
    Slip(computing(_turn_pairs), "The labels of the pairs are turned round. Which number says that "
         "the second sentence follows?"),
]  # fmt: skip
PREDICTION_HEAD_TRANSFORM = [
    *ACTIVATION,
    Slip(computing(_norm_then_activate), "You normalize before the activation. In which "
         "order does the head do it?"),
    NO_NORM,
    NO_BIAS,
    *epsilons("LayerNorm.eps"),
]  # fmt: skip
PREDICTION_HEAD = [
    Slip(lambda part: part.bias.zero_(), "The scores agree with ours but for the decoder's "
         "bias. Has every word its own?"),
    NO_BIAS,
    Slip(putting("transform", nn.Identity()), "The vectors are compared with the words as they "
         "are. What prepares them?"),
]  # fmt: skip
LAYER_NORM = [
    *epsilons("eps"),
    Slip(computing(_norm, unbiased=True), "Your variance divides by n - 1. Nothing is "
         "estimated from a sample here: by what does LayerNorm divide?"),
    Slip(computing(_norm, outside=True), "You add ε to the root. It belongs inside, to the "
         "variance: what would the root of 0 have as its slope?"),
    Slip(computing(_norm, center=False), "You divide by the spread. What is to be "
         "subtracted before?"),
    Slip(computing(_norm, learned=False), "Mean 0 and variance 1 are right. Where are "
         "weight and bias?"),
]  # fmt: skip
