"""Dropout in the family: as strong as theirs, and each counts in training and nowhere else."""

import pytest
import torch
import transformers
from family_pairs import MEMBERS
from torch import nn

import bertfamily as family

FIRST = ["roberta", "distilbert", "albert", "deberta v2, all apart", "electra", "modernbert"]
TASKS = ("SequenceClassification", "TokenClassification", "QuestionAnswering")
HEADS = ["Model", "ForMaskedLM", *(f"For{task}" for task in TASKS)]
SHARES = {  # every field that is a share, each another
    "DistilBert": ["dropout", "attention_dropout", "qa_dropout", "seq_classif_dropout"],
    "ModernBert": ["attention_dropout", "embedding_dropout", "mlp_dropout", "classifier_dropout"],
    "Albert": ["classifier_dropout_prob"],
    "DebertaV2": ["pooler_dropout", "cls_dropout"],
}
BERTS = ["hidden_dropout_prob", "attention_probs_dropout_prob"]
IDS = torch.tensor([[8, 11, 30, 9, 14], [9, 12, 31, 10, 15]])


def shares(name):
    """Return a share for each field."""
    fields = SHARES.get(name, ["classifier_dropout"])
    fields = fields if name in ("DistilBert", "ModernBert") else BERTS + fields
    return {field: (number + 1) / 16 for number, field in enumerate(fields)}


def strengths(model):
    """Collect all shares; some of the library's attentions keep theirs as a number."""
    names = ("p", "dropout_prob", "attention_dropout")
    found = [getattr(module, name, None) for module in model.modules() for name in names]
    return {share for share in found if isinstance(share, float) and share}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("member", FIRST)
def test_as_strong_as_theirs(member, head):
    name, fields = MEMBERS[member].name, MEMBERS[member].fields | shares(MEMBERS[member].name)
    ours = getattr(family, name + head)(getattr(family, f"{name}Config")(**fields))
    theirs = getattr(transformers, name + head)(getattr(transformers, f"{name}Config")(**fields))
    assert strengths(ours) == strengths(theirs)


def first_of(output):
    """Return the vectors or scores of a model."""
    return next(x for x in output if isinstance(x, torch.Tensor))


@pytest.mark.slow
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("member", FIRST)
def test_each_dropout_changes_what_is_trained_and_nothing_else(member, head):
    name = MEMBERS[member].name
    fields = MEMBERS[member].fields | dict.fromkeys(shares(name), 0.0)
    torch.manual_seed(0)
    model = getattr(family, name + head)(getattr(family, f"{name}Config")(**fields)).train()
    plain = first_of(model(IDS))
    dropouts = {n: m for n, m in model.named_modules() if isinstance(m, nn.Dropout)}
    assert len(dropouts) >= 3
    for place, dropout in dropouts.items():
        dropout.p = 0.5
        assert not torch.equal(first_of(model.train()(IDS)), plain), place
        torch.testing.assert_close(first_of(model.eval()(IDS)), plain)
        dropout.p = 0.0
