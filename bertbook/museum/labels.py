"""The room of labels, losses, averages: the loss goes down, and it is another one. Chapter 26."""

# An exhibit takes the arguments that the reader sees it use, and no others.
# pyright: reportIncompatibleMethodOverride=false

import math
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from bertfamily import DebertaV2Config, DebertaV2ForQuestionAnswering
from bertfamily.deberta_v2 import DisentangledSelfAttention
from minibert.embeddings import BertEmbeddings
from minibert.losses import IGNORED_LABEL
from minibert.pretraining import BertForMaskedLM, MaskedLMOutput

from .bug import Bug


class _OwnLoss(BertForMaskedLM):
    """A model that leaves its loss to be written."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        output = super().forward(input_ids, attention_mask, token_type_ids)
        if labels is None:
            return output
        return MaskedLMOutput(self.loss(output.logits, labels, input_ids), output.logits)

    def loss(self, logits, labels, input_ids):
        return functional.cross_entropy(logits.mT, labels)


class _HappyTransformer128(_OwnLoss):
    def loss(self, logits, labels, input_ids):
        scores = logits.flatten(0, 1)  # (batch * seq, vocab)
        return functional.cross_entropy(scores, labels.flatten(), ignore_index=-1)


class _Transformers2759(_OwnLoss):
    def loss(self, logits, labels, input_ids):
        scores = logits.flatten(0, 1)  # (batch * seq, vocab)
        labels = labels.where(labels != IGNORED_LABEL, input_ids)
        return functional.cross_entropy(scores, labels.flatten())


class _Transformers34191(_OwnLoss):
    def loss(self, logits, labels, input_ids):
        total = logits.new_zeros(())
        for scores, answers in zip(logits, labels):
            total = total + functional.cross_entropy(scores, answers)
        return total / len(logits)


class _Accelerate1204(BertForMaskedLM):
    def __init__(self, config) -> None:
        super().__init__(config)
        decoder = self.cls.predictions.decoder
        loaded = decoder.weight.detach().clone()
        decoder.weight = nn.Parameter(loaded)


class _NoWayBack(BertEmbeddings):
    def forward(self, *given):
        with torch.no_grad():
            vectors = super().forward(*given)
        return vectors.requires_grad_()


class _AddsTheLowest(DisentangledSelfAttention):
    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        query, key, value = (
            self.split_heads(linear(hidden_states)) for linear in (self.query, self.key, self.value)
        )
        assert self.table is not None  # the encoder has given it
        table = self.pos_dropout(self.table())[None]
        scores = query @ key.mT + self.score_distances(query, key, table)
        scores = scores / math.sqrt(3 * self.head_size)
        lowest = torch.finfo(scores.dtype).min
        if additive_mask is not None:
            scores = scores + (additive_mask < 0) * lowest
        probs = self.dropout(scores.softmax(dim=-1))
        return self.join_heads(probs @ value), probs if output_attentions else None


class _ThisBook25(DebertaV2ForQuestionAnswering):
    def __init__(self, config) -> None:
        super().__init__(config)
        for layer in self.bert.encoder.layer:
            layer.attention.self.__class__ = _AddsTheLowest


LABELS = [
    Bug(_HappyTransformer128, "−1 for −100", "mark and ignore with −100",
        "EricFillion/happy-transformer #128"),
    Bug(_Transformers2759, "a loss at every position", "leave −100 where it is",
        "huggingface/transformers #2759"),
    Bug(_Transformers34191, "a mean of means", "sum, and divide by all labels",
        "huggingface/transformers #34191"),
    Bug(_Accelerate1204, "a table no longer tied", "tie it again after loading",
        "huggingface/accelerate #1204"),
    Bug(_ThisBook25, "a gradient of what is hidden", "masked_fill, and no sum",
        "this book, Chapter 25, until it was reviewed",
        config=partial(DebertaV2Config, relative_attention=True, pos_att_type=["c2p", "p2c"],
                       initializer_range=0.3)),
    Bug(_NoWayBack, "a gradient cut off", "compute without torch.no_grad()", role=BertEmbeddings),
]  # fmt: skip
