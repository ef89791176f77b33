"""The room of labels, losses, averages: the loss goes down, and it is another one. Chapter 26."""

# An exhibit takes the arguments that the reader sees it use, and no others.
# pyright: reportIncompatibleMethodOverride=false

import torch
from torch import nn
from torch.nn import functional

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


LABELS = [
    Bug(_HappyTransformer128, "−1 for −100", "mark and ignore with −100",
        "EricFillion/happy-transformer #128"),
    Bug(_Transformers2759, "a loss at every position", "leave −100 where it is",
        "huggingface/transformers #2759"),
    Bug(_Transformers34191, "a mean of means", "sum, and divide by all labels",
        "huggingface/transformers #34191"),
    Bug(_Accelerate1204, "a table no longer tied", "tie it again after loading",
        "huggingface/accelerate #1204"),
    Bug(_NoWayBack, "a gradient cut off", "compute without torch.no_grad()", role=BertEmbeddings),
]  # fmt: skip
