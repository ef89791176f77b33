"""No field of a configuration is ignored, and each dropout is as strong as theirs."""

import dataclasses
import json
from functools import cache
from pathlib import Path

import pytest
import torch
import transformers
from family_pairs import MEMBERS, SIZES
from torch import nn

import bertfamily as family
from minibert import tasks
from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM

# Another value for every field, under the names of all members.
OTHER = json.loads(Path(__file__).with_name("other_values.json").read_text("utf-8"))
FIRST = ["roberta", "distilbert", "albert", "deberta v2, all apart", "electra", "modernbert"]
HEADS = [
    *("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"),
    "ForQuestionAnswering",
]
IDS = torch.tensor([[8, 11, 30, 7, 5, 12, 0, 9, 14, 20]])


def classes_of(name):
    """Return the configuration of a member, its sizes, and its models."""
    if name == "bert":
        heads = [tasks.BertForSequenceClassification, tasks.BertForTokenClassification]
        return BertConfig, SIZES, [BertModel, BertForMaskedLM, *heads]
    member = MEMBERS[name]
    kinds = [getattr(family, member.name + head) for head in HEADS]
    return getattr(family, f"{member.name}Config"), member.fields, kinds


@torch.no_grad()
def trace(kind, config):
    """Return all that a model shows: its parts, the names and sizes of tensors, and numbers."""
    torch.manual_seed(0)
    model = kind(config).eval()
    sizes = {key: tuple(tensor.shape) for key, tensor in model.state_dict().items()}
    try:
        return str(model), sizes, [x.tolist() for x in model(IDS) if isinstance(x, torch.Tensor)]
    except ValueError as error:  # too long
        return str(model), sizes, str(error)


@cache
def plain_trace(kind, name):
    config_class, fields, _ = classes_of(name)
    return trace(kind, config_class(**fields))


CASES = [
    (name, field.name)
    for name in ["bert", *FIRST]
    for field in dataclasses.fields(classes_of(name)[0])
    if (name, field.name) != ("albert", "classifier_dropout")  # refused, see below
]


@pytest.mark.parametrize(("name", "field"), CASES)
def test_another_value_is_seen(name, field):
    config_class, fields, kinds = classes_of(name)
    assert OTHER[field] != fields.get(field, getattr(config_class(**fields), field))
    config = config_class(**fields | {field: OTHER[field]})
    assert any(trace(kind, config) != plain_trace(kind, name) for kind in kinds)


def test_alberts_dropout_can_be_copied_and_left_to_the_layers():
    config = family.AlbertConfig(**MEMBERS["albert"].fields)
    for changes, share in (
        ({"classifier_dropout_prob": 0.7, "classifier_dropout": 0.7}, 0.7),  # of older folders
        ({"classifier_dropout_prob": None, "hidden_dropout_prob": 0.2}, 0.2),
    ):
        assert dataclasses.replace(config, **changes).dropout_before_classifier == share
    with pytest.raises(ValueError, match=r"ALBERT's is classifier_dropout_prob, which is 0\.1; "):
        family.AlbertConfig(classifier_dropout=0.7)


BERTS = ["hidden_dropout_prob", "attention_probs_dropout_prob"]
SHARES = {  # every field that is a share
    "DistilBert": ["dropout", "attention_dropout", "qa_dropout", "seq_classif_dropout"],
    "ModernBert": ["attention_dropout", "embedding_dropout", "mlp_dropout", "classifier_dropout"],
    "Albert": [*BERTS, "classifier_dropout_prob"],
    "DebertaV2": [*BERTS, "pooler_dropout", "cls_dropout"],
    "Roberta": [*BERTS, "classifier_dropout"],
    "Electra": [*BERTS, "classifier_dropout"],
}


def strengths(model):
    """Collect all shares; some of the library's attentions keep theirs as a number."""
    names = ("p", "dropout_prob", "attention_dropout")
    found = [getattr(module, name, None) for module in model.modules() for name in names]
    return {share for share in found if isinstance(share, float) and share}


def first_of(output):
    """Return the vectors or scores of a model."""
    return next(x for x in output if isinstance(x, torch.Tensor))


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("member", FIRST)
def test_each_dropout_is_as_strong_as_theirs_and_changes_what_is_trained(member, head):
    name, fields = MEMBERS[member].name, MEMBERS[member].fields
    fields = fields | {field: (n + 1) / 16 for n, field in enumerate(SHARES[name])}
    torch.manual_seed(0)
    model = getattr(family, name + head)(getattr(family, f"{name}Config")(**fields)).train()
    theirs = getattr(transformers, name + head)(getattr(transformers, f"{name}Config")(**fields))
    assert strengths(model) == strengths(theirs)
    dropouts = {n: m for n, m in model.named_modules() if isinstance(m, nn.Dropout)}
    assert len(dropouts) >= 3
    for dropout in dropouts.values():
        dropout.p = 0.0
    plain = first_of(model(IDS))
    for place, dropout in dropouts.items():
        dropout.p = 0.5
        assert not torch.equal(first_of(model.train()(IDS)), plain), place
        torch.testing.assert_close(first_of(model.eval()(IDS)), plain)
        dropout.p = 0.0
