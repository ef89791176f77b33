"""No field of a configuration is ignored, and each dropout is as strong as theirs."""

import dataclasses
from functools import cache

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

OTHER = {  # another value for every field, under the names of all members
    "vocab_size": 43, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 22, "hidden_act": "relu", "hidden_dropout_prob": 0.3,
    "attention_probs_dropout_prob": 0.3, "max_position_embeddings": 9, "type_vocab_size": 3,
    "initializer_range": 0.1, "layer_norm_eps": 1e-3, "pad_token_id": 5, "classifier_dropout": 0.3,
    # ALBERT, ELECTRA
    "embedding_size": 12, "num_hidden_groups": 2, "inner_group_num": 2,
    "classifier_dropout_prob": 0.3,
    # DistilBERT
    "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 22, "dropout": 0.3,
    "activation": "gelu_new", "qa_dropout": 0.3, "seq_classif_dropout": 0.3,
    # DeBERTa
    "relative_attention": False, "max_relative_positions": 7, "position_buckets": 6,
    "position_biased_input": False, "pos_att_type": ["c2p"], "share_att_key": True,
    "norm_rel_ebd": "layer_norm", "pooler_dropout": 0.3, "pooler_hidden_act": "relu",
    "cls_dropout": 0.3, "legacy": False,
    # ModernBERT
    "hidden_activation": "relu", "norm_eps": 1e-3, "norm_bias": True, "attention_bias": True,
    "mlp_bias": True, "attention_dropout": 0.3, "embedding_dropout": 0.3, "mlp_dropout": 0.3,
    "local_attention": 8, "global_attn_every_n_layers": 2, "global_rope_theta": 50.0,
    "local_rope_theta": 50.0, "layer_types": ["sliding_attention"] * 3,
    "rope_parameters": {"full_attention": {"rope_theta": 50.0}}, "classifier_pooling": "mean",
    "classifier_bias": True, "classifier_activation": "relu", "decoder_bias": False,
}  # fmt: skip
FIRST = ["roberta", "distilbert", "albert", "deberta v2, all apart", "electra", "modernbert"]
HEADS = ["Model"]
HEADS += [f"For{x}" for x in ("MaskedLM", "SequenceClassification", "TokenClassification")]
HEADS += ["ForQuestionAnswering"]
IDS = torch.tensor([[8, 11, 30, 7, 5, 12, 0, 9, 14, 20]])


def fields_of(name):
    return SIZES if name == "bert" else MEMBERS[name].fields


def classes_of(name):
    """Return the configuration of a member, and its models."""
    if name == "bert":
        heads = [tasks.BertForSequenceClassification, tasks.BertForTokenClassification]
        return BertConfig, [BertModel, BertForMaskedLM, *heads]
    member = MEMBERS[name].name
    kinds = [getattr(family, member + head) for head in HEADS]
    return getattr(family, f"{member}Config"), kinds


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
    return trace(kind, classes_of(name)[0](**fields_of(name)))


CASES = [
    (name, field.name)
    for name in ["bert", *FIRST]
    for field in dataclasses.fields(classes_of(name)[0])
    if (name, field.name) != ("albert", "classifier_dropout")  # refused, see below
]


@pytest.mark.parametrize(("name", "field"), CASES)
def test_another_value_is_seen(name, field):
    (config_class, kinds), fields = classes_of(name), fields_of(name)
    assert OTHER[field] != fields.get(field, getattr(config_class(**fields), field))
    config = config_class(**fields | {field: OTHER[field]})
    assert any(trace(kind, config) != plain_trace(kind, name) for kind in kinds)


def test_alberts_dropout_can_be_given_copied_and_left_to_the_layers():
    config = family.AlbertConfig(**MEMBERS["albert"].fields)
    assert config.dropout_before_classifier == 0.1
    other = dataclasses.replace(config, classifier_dropout_prob=0.7)
    assert family.AlbertForSequenceClassification(other).dropout.p == 0.7
    twice = dataclasses.replace(other, classifier_dropout=0.7)  # as older folders have it
    assert twice.dropout_before_classifier == 0.7
    layers = dataclasses.replace(config, classifier_dropout_prob=None, hidden_dropout_prob=0.2)
    assert layers.dropout_before_classifier == 0.2
    with pytest.raises(ValueError, match=r"ALBERT's is classifier_dropout_prob, which is 0\.1; "):
        family.AlbertConfig(classifier_dropout=0.7)
    with pytest.raises(ValueError, match=r"classifier_dropout_prob \(1\.5\) must be"):
        dataclasses.replace(config, classifier_dropout_prob=1.5)


SHARES = {  # every field that is a share, each another
    "DistilBert": ["dropout", "attention_dropout", "qa_dropout", "seq_classif_dropout"],
    "ModernBert": ["attention_dropout", "embedding_dropout", "mlp_dropout", "classifier_dropout"],
    "Albert": ["classifier_dropout_prob"],
    "DebertaV2": ["pooler_dropout", "cls_dropout"],
}
BERTS = ["hidden_dropout_prob", "attention_probs_dropout_prob"]


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
