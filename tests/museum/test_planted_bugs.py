"""Six bugs that were written before anybody looked at what the invariants say of them."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from bertbook.museum import broken_model
from bertbook.museum.bug import Bug
from bertbook.museum.invariants import check_invariants
from bertbook.museum.stepwise import Attention
from minibert import tasks
from minibert.attention import BertSelfAttention
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM, MaskedLMOutput

pytestmark = [pytest.mark.usefixtures("unchecked"), pytest.mark.slow]


class DropsWithoutScale(Attention):
    """Drops weights and does not divide what is left by 1 - p."""

    def weigh(self, scores, mask):
        probs = (scores + mask).softmax(dim=-1)
        return probs * (torch.rand_like(probs) >= self.dropout.p) if self.training else probs


class OnePattern(nn.Dropout):
    """Drops the same numbers of every text."""

    def forward(self, x):
        return x * super().forward(torch.ones_like(x[:1]))


class DetachedTable(BertForMaskedLM):
    """Predicts with the table of words, and keeps its gradient back."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        states = self.bert(input_ids, attention_mask, token_type_ids).last_hidden_state
        head = self.cls.predictions
        table = self.bert.embeddings.word_embeddings.weight.detach()
        logits = functional.linear(head.transform(states), table, head.decoder.bias)
        loss = None if labels is None else functional.cross_entropy(logits.mT, labels)
        return MaskedLMOutput(loss, logits)


class TagsOfAllTokens(tasks.BertForTokenClassification):
    """Takes what has no label for class 0."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        labels = labels if labels is None else labels.clamp(min=0)
        return super().forward(input_ids, attention_mask, token_type_ids, labels=labels)


class MaskOfTheFirstBatch(BertModel):
    """Keeps the mask of the first batch of each shape."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, **named):
        self.masks = getattr(self, "masks", {})
        mask = self.masks.setdefault(input_ids.shape, attention_mask)
        return super().forward(input_ids, mask, token_type_ids, **named)


class BothEndsAtTheStart(tasks.BertForQuestionAnswering):
    """Trains the end of an answer on its start."""

    def forward(self, input_ids, *given, start_positions=None, end_positions=None, **named):
        ends = {"start_positions": start_positions, "end_positions": start_positions}
        return super().forward(input_ids, *given, **ends, **named)


class _EveryDropout(BertModel):
    def __init__(self, config):
        super().__init__(config)
        for part in [*self.modules()]:
            for name, child in part.named_children():
                if type(child) is nn.Dropout:
                    setattr(part, name, OnePattern(child.p))


PLANTED = {
    "drops without scale": Bug(DropsWithoutScale, "", role=BertSelfAttention),
    "one pattern": Bug(_EveryDropout, ""),
    "a detached table": Bug(DetachedTable, ""),
    "tags of all tokens": Bug(TagsOfAllTokens, ""),
    "the first mask": Bug(MaskOfTheFirstBatch, ""),
    "both ends at the start": Bug(BothEndsAtTheStart, ""),
}


FOUND = {
    "one pattern": "dropout_keeps_the_mean",
    "a detached table": "gradients_reach_everything",
    "tags of all tokens": "labels_count_alike",
    "the first mask": "padding_changes_nothing",
    "both ends at the start": "labels_count_alike",
}


@pytest.mark.parametrize("name", PLANTED)
def test_five_of_six_planted_bugs_are_found(name):
    findings = check_invariants(broken_model(PLANTED[name]))
    assert (FOUND[name] in findings.broken) if name in FOUND else findings.broken == [], findings
