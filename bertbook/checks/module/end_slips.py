"""The usual mistakes at both ends: embeddings, pooler, heads, and LayerNorm itself. Chapter 8."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from .layer_slips import ACTIVATION
from .slip import NO_BIAS, NO_NORM, Slip, computing, epsilons, putting, typing, zeroing


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


def _turn_pairs(self: Any, *given: Any) -> Any:
    """Take 0 for 1 and 1 for 0; the labels of the pairs are the seventh argument."""
    labels = [None if label is None else 1 - label for label in given[6:7]]
    return type(self).forward(self, *given[:6], *labels, *given[7:])


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
_IDS = "input_ids, token_type_ids, position_ids, inputs_embeds\n"
_MASK = "self._additive_mask(attention_mask, hidden_states)"
_POOLED = "self.pooler(output.last_hidden_state)"
BERT = [
    Slip(typing(_IDS, "input_ids, None, position_ids, inputs_embeds\n"), "The numbers are those of "
         "a text that is all segment 0. To whom must token_type_ids be handed on?"),
    Slip(typing(_IDS, "input_ids, token_type_ids, None, inputs_embeds\n"), "The positions that are "
         "given have no effect. To whom must position_ids be handed on?"),
    Slip(typing(_IDS, "input_ids, position_ids, token_type_ids, inputs_embeds\n"),
         "Segments and positions have changed places. In which order do the embeddings take them?"),
    Slip(typing(_IDS, "input_ids, attention_mask, position_ids, inputs_embeds\n"),
         "The attention mask stands where the segments belong. What do the embeddings take "
         "second?"),
    Slip(typing(_IDS, "input_ids, attention_mask, token_type_ids, position_ids\n"),
         "The embeddings get the first four arguments of forward. Which four do they take, and in "
         "which order?"),
    Slip(typing(_IDS, "input_ids, token_type_ids, position_ids\n"), "The embeddings get no "
         "inputs_embeds. What do they need where there are no ids?"),
    Slip(typing(_IDS, "input_ids\n"), "The embeddings get nothing but ids. Which four arguments do "
         "they take?"),
    Slip(typing(_MASK,
                "(None if attention_mask is None else attention_mask[:, None, "
                "None].to(hidden_states.dtype))"), "You add ones and zeros to the scores. Which "
         "numbers hide a token, and which change nothing?"),
    Slip(typing(_MASK, "attention_mask"), "The layers get attention_mask as it is. What makes of "
         "it the numbers that they add to the scores?"),
    Slip(typing(_MASK,
                "(None if attention_mask is None else additive_mask(1 - attention_mask, "
                "hidden_states.dtype))"), "Your mask is inverted: tokens are hidden, and padding "
         "is shown. What does a 1 in attention_mask mean?"),
    Slip(typing(_MASK,
                "(None if input_ids is None else additive_mask(input_ids != "
                "self.config.pad_token_id, hidden_states.dtype))"), "Your mask is made from the "
         "ids. Which argument says what is padding?"),
    Slip(typing(_MASK, "None"), "The mask does not reach the encoder. Is it handed on?"),
    Slip(typing("(hidden_states, mask, output_attentions, output_hidden_states)",
                "(hidden_states, mask)"), "Hidden states and maps are missing. Are both flags "
         "handed on to the encoder, and does output._replace(…) keep what it returns?"),
    Slip(typing("mask, output_attentions, output_hidden_states)",
                "mask, output_hidden_states, output_attentions)"), "output_attentions and "
         "output_hidden_states have changed places. Which of them does the encoder take first?"),
    Slip(typing(_POOLED, "output.last_hidden_state[:, 0]"), "pooler_output is the vector of [CLS] "
         "as the encoder gives it. Where is the pooler?"),
    Slip(typing(_POOLED, "self.pooler(output.last_hidden_state[:, 0])"), "The pooler gets one "
         "vector for each sentence. Which tokens does it take, and who picks the first of them?"),
    Slip(typing(_POOLED, "self.pooler(hidden_states)"), "The pooler gets the embeddings. What is "
         "it to summarize?"),
    Slip(typing(_POOLED, "self.pooler(output)"), "The pooler gets all that the encoder returns. "
         "Which of its fields does it need?"),
    Slip(typing("output._replace(pooler_output=pooled)", "output"), "The pooler's result is not "
         "returned. The encoder leaves pooler_output empty: who fills it in?"),
]  # fmt: skip
_SUM = "loss = sum(losses) if losses else None"
PRETRAINING = [
    Slip(computing(_turn_pairs), "The labels of the pairs are turned round. Which number says that "
         "the second sentence follows?"),
    Slip(typing("encoded.pooler_output", "encoded.last_hidden_state[:, 0]"), "The pair is judged "
         "by the vector of [CLS] as the encoder gives it. What stands between encoder and head?"),
    Slip(typing("(scored, encoded.pooler_output)", "(encoded.pooler_output, scored)"),
         "The two heads have each other's vectors. Which of them needs one vector for each token?"),
    Slip(typing("words, pairs = self.cls", "pairs, words = self.cls"), "The two scores have "
         "changed places. Which of them do the heads return first?"),
    Slip(typing("pairs, about_words, about_pairs", "pairs, about_pairs, about_words"), "The two "
         "losses have changed places in the result. Which field is for the words?"),
    Slip(typing("masked_lm_loss(words, labels)", "masked_lm_loss(words, labels.clamp(min=0))"),
         "Where nothing is asked you take word 0 for the answer. Which label is left out of the "
         "loss?"),
    Slip(typing("masked_lm_loss(words, labels)",
                "masked_lm_loss(words, labels.where(labels != 0, -100))"),
         "Word 0 is left out of the loss as if it were not asked for. Which label says that "
         "nothing is asked?"),
    Slip(typing("masked_lm_loss(words,", "masked_lm_loss(words.softmax(-1),"),
         "The loss of the words takes probabilities for scores. Who computes the softmax?"),
    Slip(typing("next_sentence_loss(pairs,", "next_sentence_loss(pairs.softmax(-1),"),
         "The loss of the pairs takes probabilities for scores. Who computes the softmax?"),
    Slip(typing("masked_lm_loss(words,|next_sentence_loss(pairs,",
                "masked_lm_loss(words.softmax(-1),|next_sentence_loss(pairs.softmax(-1),"),
         "Both losses take probabilities for scores. Who computes the softmax?"),
    Slip(typing("masked_lm_loss(words, labels)",
                "masked_lm_loss(words, labels) * (labels != -100).sum()"),
         "The loss of the words is a sum. Over what is the mean taken?"),
    Slip(typing(_SUM, "loss = about_words"), "The loss of the pairs is not added. "
         "Which losses count?"),
    Slip(typing(_SUM, "loss = about_pairs"), "The loss of the words is not "
         "added. Which losses count?"),
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
    Slip(lambda part: part.bias.zero_(), "The scores agree with ours but for the decoder's bias. "
         "Has every word its own?"),
    NO_BIAS,
    Slip(putting("transform", nn.Identity()), "The vectors are compared with the words as they "
         "are. What prepares them?"),
    Slip(typing("self.decoder(prepared)", "self.decoder(prepared) + self.bias"),
         "The bias is added twice. Which part adds it already?"),
    Slip(typing("self.decoder(prepared)", "self.decoder(prepared).softmax(-1)"),
         "You return probabilities. The loss takes scores: who computes the softmax?"),
    Slip(typing("self.decoder(prepared)", "self.decoder(prepared).log_softmax(-1)"),
         "You return log-probabilities. The loss takes scores: who computes the softmax?"),
    Slip(typing("self.transform(hidden_states)", "self.transform(self.transform(hidden_states))"),
         "The vectors are transformed twice. How often does BERT do it?"),
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
