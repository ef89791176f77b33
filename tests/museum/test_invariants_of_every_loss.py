"""Every class of the package that takes labels keeps the invariants, whatever its loss."""

import importlib
import inspect
import pkgutil
from functools import partial

import pytest
import torch
from torch import nn

import bertfamily as family
import minibert
from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants
from minibert import pretraining, tasks
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import PackedMaskedLM, PackedShape, UnpaddedSelfAttention, pack
from minibert.parts import override

pytestmark = pytest.mark.usefixtures("unchecked")
FAMILY = {name for name in family.__all__ if "For" in name}


class Packed(PackedMaskedLM):
    """The loss of the same texts without their padding, and scores where no label is given."""

    def __init__(self, config):
        with override({BertSelfAttention: UnpaddedSelfAttention}):
            super().__init__(pretraining.BertForMaskedLM(config))
        self.config = config

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        if labels is None:
            return self.model(input_ids, attention_mask, token_type_ids)
        tables = {"input_ids": input_ids, "token_type_ids": token_type_ids, "labels": labels}
        real = attention_mask == 1  # (rows, seq)
        rows = [
            {name: table[row][real[row]] for name, table in tables.items()}
            for row in range(len(real))
        ]
        size, longest = real.numel(), real.shape[1]
        shape = PackedShape(size, 2 * len(real), labels=size, longest=longest)
        return super().forward(**pack(rows, shape))


def of_many_labels(config):
    """A classifier of rows with several labels; the check looks into the configuration for it."""
    kind = "multi_label_classification"
    model = tasks.BertForSequenceClassification(config, num_labels=3, problem_type=kind)
    object.__setattr__(model.config, "problem_type", kind)
    return model


LOSSES = {
    "BertForMaskedLM": pretraining.BertForMaskedLM,
    "BertForPreTraining": pretraining.BertForPreTraining,
    "BertForSequenceClassification": partial(tasks.BertForSequenceClassification, num_labels=3),
    "of many labels": of_many_labels,
    "of a number": partial(tasks.BertForSequenceClassification, num_labels=1),
    "BertForTokenClassification": tasks.BertForTokenClassification,
    "BertForQuestionAnswering": tasks.BertForQuestionAnswering,
    "PackedMaskedLM": Packed,
}
TIED = {"BertForMaskedLM", "BertForPreTraining", "PackedMaskedLM"}


def kinds_with_a_loss():
    """Find the classes of all modules whose forward takes labels or positions."""
    kinds = set()
    for module in pkgutil.walk_packages(minibert.__path__, "minibert."):
        if module.name.endswith("__main__"):
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, nn.Module):
                taken = inspect.signature(kind.forward).parameters
                if {"labels", "start_positions", "next_sentence_label"} & {*taken}:
                    kinds.add(kind)
    return {kind.__name__ for kind in kinds if kind.__module__.startswith("minibert.")}


def test_every_loss_is_asked_here_or_with_its_family():
    """`tests/family` asks the members."""
    assert kinds_with_a_loss() - FAMILY <= {*LOSSES}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_keeps_the_invariants(name):
    torch.manual_seed(0)
    findings = check_invariants(LOSSES[name](BertConfig(**SIZES)))
    assert findings.broken == [], findings
    held = {finding.name for finding in findings if finding.holds}
    assert ("split_batch_is_whole_batch" in held) == (name != "BertForQuestionAnswering")
    assert ("table_is_tied" in held) == (name in TIED)
