"""Common mistakes in embeddings, LayerNorm, pooler, heads and whole models. Chapter 8."""

import torch
from torch import nn

from .layer_mistakes import ACTIVATION
from .mutation import NO_BIAS, NO_NORM, epsilons, replacing, zeroing

EMBEDDINGS = {
    zeroing("position_embeddings.weight"): "Positions have no effect. Which three vectors are "
        "added for each token?",
    zeroing("token_type_embeddings.weight"): "Segments have no effect. Which three vectors are "
        "added for each token?",
    "words + (segments → words * words.shape[-1] ** 0.5 + (segments": "The vectors of the words "
        "are multiplied by √hidden, as in the first transformer. Does BERT do it?",
    **NO_NORM,
    **epsilons("LayerNorm.eps"),
}  # fmt: skip
POOLER = {
    "hidden_states[:, 0] → hidden_states[:, -1]": "You take the last token. Which one stands for "
        "the whole sequence?",
    "hidden_states[:, 0] → hidden_states.mean(dim=1)": "You take the mean of all tokens. Which one "
        "stands for the whole sequence?",
    "hidden_states[:, 0] → hidden_states.amax(dim=1)": "You take the largest numbers of all "
        "tokens. Which one stands for the whole sequence?",
    "hidden_states[:, 0] → hidden_states[:, :1]": "The axis of the tokens is still there, with one "
        "entry. Which index takes it away?",
    "hidden_states[:, 0] → hidden_states[0]": "You take the first sentence of the batch. Which "
        "axis is that of the tokens?",
    "hidden_states[:, 0] → hidden_states[:, 0].squeeze()": "squeeze takes away each axis of length "
        "1, the batch's, too. Which axis alone should go?",
    "hidden_states[:, 0] → hidden_states": "Every token gets a summary. Which one stands for the "
        "whole sequence?",
    ".tanh() →": "Where is the tanh?",
    "self.dense(first).tanh() → self.dense(first.tanh())": "Your tanh comes before the linear "
        "layer. Which of them is first?",
    "self.dense(first) → first": "dense is built and never used. What comes before the tanh?",
    ".tanh() → .tanh() + first": "There is no residual in the pooler. What does it return?",
    **dict.fromkeys(
        (".tanh() → .sigmoid()", ".tanh() → .relu()",
         "self.dense(first).tanh() → nn.functional.gelu(self.dense(first))"),
        "Your activation is another one. Which of them gives numbers between -1 and 1?"),
    **NO_BIAS,
}  # fmt: skip
BERT = {
    "token_type_ids → None": "The numbers are those of a text that is all segment 0. To whom must "
        "token_type_ids be handed on?",
    "position_ids → None": "The positions that are given have no effect. To whom must position_ids "
        "be handed on?",
    "token_type_ids, position_ids → position_ids, token_type_ids": "Segments and positions have "
        "changed places. In which order do the embeddings take them?",
    "token_type_ids, position_ids → attention_mask, position_ids": "The attention mask stands "
        "where the segments belong. What do the embeddings take second?",
    ("input_ids, token_type_ids, position_ids, inputs_embeds → input_ids, attention_mask, "
     "token_type_ids, position_ids"): "The embeddings get the first four arguments of forward. "
        "Which four do they take, and in which order?",
    ", inputs_embeds →": "The embeddings get no inputs_embeds. What do they need where there are "
        "no ids?",
    "input_ids, token_type_ids, position_ids, inputs_embeds → input_ids": "The embeddings get "
        "nothing but ids. Which four arguments do they take?",
    ("self._additive_mask(attention_mask, hidden_states) → (None if attention_mask is None "
     "else attention_mask[:, None, None].to(hidden_states.dtype))"): "You add ones and zeros to "
        "the scores. Which numbers hide a token, and which change nothing?",
    "self._additive_mask(attention_mask, hidden_states) → attention_mask": "The layers get "
        "attention_mask as it is. What makes of it the numbers that they add to the scores?",
    ("self._additive_mask(attention_mask, hidden_states) → (None if attention_mask is None "
     "else additive_mask(1 - attention_mask, hidden_states.dtype))"): "Your mask is inverted: "
        "tokens are hidden, and padding is shown. What does a 1 in attention_mask mean?",
    ("self._additive_mask(attention_mask, hidden_states) → (None if input_ids is None else "
     "additive_mask(input_ids != self.config.pad_token_id, hidden_states.dtype))"): "Your mask is "
        "made from the ids. Which argument says what is padding?",
    "self._additive_mask(attention_mask, hidden_states) → None": "The mask does not reach the "
        "encoder. Is it handed on?",
    ", output_attentions, output_hidden_states) → )": "Hidden states and maps are missing. Are "
        "both flags handed on to the encoder, and does output._replace(…) keep what it returns?",
    ", output_hidden_states) → )": "The hidden states are missing. Which two flags does the "
        "encoder take?",
    "output_attentions, output_hidden_states → output_hidden_states, output_attentions":
        "output_attentions and output_hidden_states have changed places. Which of them does the "
        "encoder take first?",
    "self.pooler(output.last_hidden_state) → output.last_hidden_state[:, 0]": "pooler_output is "
        "the vector of [CLS] as the encoder gives it. Where is the pooler?",
    "self.pooler(output.last_hidden_state) → self.pooler(output.last_hidden_state[:, 0])": "The "
        "pooler gets one vector for each sentence. Which tokens does it take, and who picks the "
        "first of them?",
    "self.pooler(output.last_hidden_state) → self.pooler(hidden_states)": "The pooler gets the "
        "embeddings. What is it to summarize?",
    "self.pooler(output.last_hidden_state) → self.pooler(output)": "The pooler gets all that the "
        "encoder returns. Which of its fields does it need?",
    "output._replace(pooler_output=pooled) → output": "The pooler's result is not returned. The "
        "encoder leaves pooler_output empty: who fills it in?",
}  # fmt: skip
PRETRAINING = {
    "pairs, answers → pairs, 1 - answers": "The labels of the pairs are reversed. Which number "
        "says that the second sentence follows?",
    "encoded.pooler_output → encoded.last_hidden_state[:, 0]": "The pair is judged by the vector "
        "of [CLS] as the encoder gives it. What stands between encoder and head?",
    ("encoded.last_hidden_state, encoded.pooler_output → "
     "encoded.pooler_output, encoded.last_hidden_state"): "The two heads have each "
        "other's vectors. Which of them needs one vector for each token?",
    "words, pairs = → pairs, words =": "The two scores have changed places. Which of them do the "
        "heads return first?",
    "words, pairs, about_words → pairs, words, about_words": "The scores have changed places in "
        "the result. Which field is for the words?",
    ("words, pairs, about_words → words.softmax(-1), pairs, about_words ¦ words.softmax(-1), "
     "pairs.softmax(-1), about_words ¦ words, pairs.softmax(-1), about_words"): "Probabilities are "
        "returned where scores belong. Who computes the softmax?",
    "pairs, about_words, about_pairs → pairs, about_pairs, about_words": "The two losses have "
        "changed places in the result. Which field is for the words?",
    "(words, labels) → (words, labels.clamp(min=0))": "Where there is no label you take word 0 "
        "for the answer. Which number is left out of the loss?",
    "(words, labels) → (words, labels.where(labels != 0, -100))": "Word 0 is left out of the loss "
        "as if it were no label. Which number says that there is none?",
    "(pairs, answers) → (pairs, answers.where(answers != 0, -100))": "A pair with the label 0 has "
        "no loss. Which answer is 0?",
    "(words, → (words.softmax(-1),": "The loss of the words takes probabilities for scores. Who "
        "computes the softmax?",
    "(pairs, → (pairs.softmax(-1),": "The loss of the pairs takes probabilities for scores. Who "
        "computes the softmax?",
    "(words, → (words.softmax(-1), || (pairs, → (pairs.softmax(-1),": "Both losses take "
        "probabilities for scores. Who computes the softmax?",
    "(words, labels) → (words, labels) * (labels != -100).sum()": "The loss of the words is a sum. "
        "Over what is the mean taken?",
    "(pairs, answers) → (pairs, answers) / len(answers)": "The loss of the pairs is divided by "
        "their number twice. Which function takes the mean already?",
    "sum(losses) if losses else None → about_words": "The loss of the pairs is not added. Which "
        "losses count?",
    "sum(losses) if losses else None → about_pairs": "The loss of the words is not added. Which "
        "losses count?",
    "sum(losses) if losses else None → sum(losses) if len(losses) == 2 else None": "There is a "
        "loss only if all labels are given. What counts if some are?",
}  # fmt: skip
PREDICTION_HEAD_TRANSFORM = {
    **ACTIVATION,
    replacing("activation", torch.tanh): "Your activation is tanh, which is the pooler's. Which "
        "one does config.hidden_act ask for?",
    "→ self.LayerNorm(hidden_states + self.activation(self.dense(hidden_states)))": "You add what "
        "went in. Is there a residual in the head?",
    "→ self.activation(self.dense(self.LayerNorm(hidden_states)))": "You normalize what comes in. "
        "What comes last in the head?",
    "hidden_states → hidden_states[:, 0]": "You take the first token alone. Which tokens are "
        "compared with the words?",
    "self.LayerNorm(self.activation( → self.activation(self.LayerNorm(": "You normalize before the "
        "activation. In which order does the head do it?",
    **NO_NORM,
    **NO_BIAS,
    **epsilons("LayerNorm.eps"),
}  # fmt: skip


def _without_bias(head: nn.Module) -> None:
    """Forget the bias of the decoder alone."""
    head.get_parameter("bias").zero_()


PREDICTION_HEAD = {
    _without_bias: "The scores agree with ours but for the decoder's bias. Has every word its own?",
    **NO_BIAS,
    replacing("transform", nn.Identity()): "The vectors are compared with the words as they are. "
        "What prepares them?",
    "self.decoder(prepared) → self.decoder(prepared) + self.bias": "The bias is added twice. Which "
        "part adds it already?",
    "self.decoder(prepared) → self.decoder(prepared).softmax(-1)": "You return probabilities. The "
        "loss takes scores: who computes the softmax?",
    "self.decoder(prepared) → self.decoder(prepared).log_softmax(-1)": "You return "
        "log-probabilities. The loss takes scores: who computes the softmax?",
    "self.transform(hidden_states) → self.transform(self.transform(hidden_states))": "The vectors "
        "are transformed twice. How often does BERT do it?",
}  # fmt: skip
PRETRAINING_HEADS = {
    ("prediction_logits, self.seq_relationship(pooled_output) → "
     "self.seq_relationship(pooled_output), prediction_logits"): "The scores of the words and of "
        "the pair have changed places. Which come first?",
    "self.predictions(sequence_output) → self.predictions(pooled_output)": "The words are scored "
        "from the vector of the pooler. Which vectors does a word at every position need?",
    "self.seq_relationship(pooled_output) → self.seq_relationship(sequence_output[:, 0])": "The "
        "pair is scored from the vector of [CLS] as the encoder gives it. Which of the two "
        "arguments has gone through the pooler?",
    "self.seq_relationship(pooled_output) → self.seq_relationship(sequence_output)": "The pair is "
        "scored at every token. How many answers has one pair?",
    ("self.predictions(sequence_output) → self.predictions(pooled_output) || "
     "self.seq_relationship(pooled_output) → self.seq_relationship(sequence_output)"): "The two "
        "heads have each other's vectors. Which of them needs one vector for each token?",
    "self.seq_relationship(pooled_output) → self.seq_relationship(pooled_output.tanh())": "The "
        "pooled vector goes through a tanh once more. Which part has done that already?",
    "(pooled_output) → (pooled_output).softmax(-1)": "You return probabilities for the pair. The "
        "loss takes scores: who computes the softmax?",
    "(sequence_output) → (sequence_output).softmax(-1)": "You return probabilities for the words. "
        "The loss takes scores: who computes the softmax?",
    ("(pooled_output) → (pooled_output).softmax(-1) || (sequence_output) → "
     "(sequence_output).softmax(-1)"): "You return probabilities twice. The losses take scores: "
        "who computes the softmax?",
    "(pooled_output) → (pooled_output)[:, :1]": "There is one score for a pair. For how many "
        "answers does the softmax need one?",
    "(pooled_output) → (pooled_output).flip(-1)": "The two scores of a pair are reversed. "
        "Which number says that the second sentence follows?",
}  # fmt: skip
LAYER_NORM = {
    **epsilons("eps"),
    ("→ centered = input - input.mean(-1, keepdim=True); return centered / (input.var(-1, "
     "keepdim=True) + self.eps).sqrt() * self.weight + self.bias"): "Your variance divides by n - "
        "1. Nothing is estimated from a sample here: by what does LayerNorm divide?",
    ("→ centered = input - input.mean(-1, keepdim=True); return centered / "
     "(centered.square().mean(-1, keepdim=True).sqrt() + self.eps) * self.weight + self.bias"):
        "You add ε to the root. It belongs inside, to the variance: what would the root of 0 have "
        "as its slope?",
    ("→ input / (input.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight + "
     "self.bias"): "You divide by the spread. What is to be subtracted before?",
    "→ (right(self, input) - self.bias) / self.weight": "Mean 0 and variance 1 are right. Where "
        "are weight and bias?",
}  # fmt: skip
