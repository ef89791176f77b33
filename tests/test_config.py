"""The configuration: whose defaults, which shapes, and what it says to a wrong value."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
import transformers
from hypothesis import assume, given
from hypothesis import strategies as st

import bertfamily as family
from minibert.config import ACTIVATIONS, IGNORED_KEYS, REQUIRED_VALUES, BertConfig
from minibert.loading.config_file import config_from_fields

FILES = json.loads(Path(__file__).with_name("configs.json").read_text("utf-8"))
CHINESE, FULL, CHANGED = FILES.values()


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("tiny", (2, 128, 2, 512)), ("mini", (4, 256, 4, 1024)), ("large", (24, 1024, 16, 4096))],
)
def test_shapes_of_which_any_field_can_be_changed(name, sizes):
    config = getattr(BertConfig, name)(vocab_size=89)
    names = "num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size"
    assert sizes == tuple(getattr(config, name) for name in names)
    assert (config.head_size, config.vocab_size) == (64, 89)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.vocab_size = 5


WHOLE = [
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"),
    *("intermediate_size", "max_position_embeddings", "type_vocab_size"),
]
WRONG = [
    *(({name: 0}, ValueError, rf"{name} \(0\) must be at least 1; BERT's is") for name in WHOLE),
    ({"hidden_dropout_prob": 1.5}, ValueError, r"\(1\.5\) .* at most 1\.0; BERT's is 0\.1$"),
    ({"hidden_dropout_prob": float("nan")}, ValueError, r"hidden_dropout_prob \(nan\)"),
    ({"classifier_dropout": 10}, ValueError, r"classifier_dropout \(10\) .* at most 1\.0$"),
    ({"initializer_range": 0}, ValueError, r"initializer_range \(0\) must be at least 1e-30"),
    ({"layer_norm_eps": float("inf")}, ValueError, r"layer_norm_eps \(inf\) must .* at most"),
    ({"hidden_act": ["gelu"]}, ValueError, r"\(\['gelu'\]\) must be one of gelu, gelu_new, relu"),
    ({"hidden_act": "ReLU"}, ValueError, r"hidden_act \('ReLU'\) .*; relu is the same function"),
    ({"pad_token_id": 30522}, ValueError, r"pad_token_id \(30522\) must be at .* at most 30521"),
    ({"num_hidden_layers": True}, TypeError, "num_hidden_layers must be a whole number, not True"),
    ({"hidden_dropout_prob": "0.1"}, TypeError, "hidden_dropout_prob must be a number, not '0.1'"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "error", "words"), WRONG)
def test_a_wrong_value_is_named_also_in_a_changed_copy(changes, error, words):
    with pytest.raises(error, match=words):
        dataclasses.replace(BertConfig(), **changes)


def test_the_ends_of_the_ranges_and_all_activations_are_valid():
    BertConfig(hidden_dropout_prob=0, attention_probs_dropout_prob=1, classifier_dropout=1.0)
    assert BertConfig(**dict.fromkeys(WHOLE, 1), pad_token_id=0).head_size == 1
    assert BertConfig(vocab_size=7, pad_token_id=6).pad_token_id == 6
    assert [BertConfig(hidden_act=name).hidden_act for name in ACTIVATIONS] == [*ACTIVATIONS]


@given(hidden=st.integers(1, 400), heads=st.integers(1, 40))
def test_the_sizes_named_are_valid_and_nearest(hidden, heads):
    assume(hidden % heads)
    with pytest.raises(ValueError, match="must be a multiple") as error:
        BertConfig(hidden_size=hidden, num_attention_heads=heads)
    named = [int(size) for size in re.findall(r"\d+", str(error.value).split("nearest")[1])]
    valid = [size for size in range(1, 500) if size % heads == 0]
    assert named == sorted(sorted(valid, key=lambda size: abs(size - hidden))[:2])
    for size in named:
        assert BertConfig(hidden_size=size, num_attention_heads=heads).head_size == size // heads


def test_defaults_and_a_real_file_mean_what_transformers_reads_in_it_and_writes():
    assert BertConfig.base() == BertConfig()
    for fields in ({}, CHINESE, CHANGED):
        ours, theirs = config_from_fields(BertConfig, fields), transformers.BertConfig(**fields)
        for name, value in dataclasses.asdict(ours).items():
            assert getattr(theirs, name) == value, name
        for written in (theirs.to_dict(), theirs.to_diff_dict()):
            assert config_from_fields(BertConfig, written) == ours
    assert dataclasses.asdict(BertConfig(**CHANGED)) == CHANGED


def test_fields_that_are_missing_ignored_or_as_required_change_nothing():
    for fields in ({}, dict.fromkeys(IGNORED_KEYS, "anything"), dict(REQUIRED_VALUES)):
        assert config_from_fields(BertConfig, fields) == BertConfig()
    assert not IGNORED_KEYS & REQUIRED_VALUES.keys()
    assert not (IGNORED_KEYS | REQUIRED_VALUES.keys()) & dataclasses.asdict(BertConfig()).keys()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"position_embedding_type": "relative_key_query"}, r"is not supported; .* 'absolute'$"),
        ({"pruned_heads": {"0": [1]}}, r"is not supported; BERT's encoder has {}$"),
        ({"hiden_size": 5}, r"hiden_size \(5\) is no key .*; did you mean hidden_size"),
        ({"is_decodr": True}, r"is_decodr \(True\) is no key .*; did you mean is_decoder"),
        ({"zeta": 3, "is_decoder": True}, r"^is_decoder \(True\) is not supported"),
        (transformers.RobertaConfig().to_dict(), r"^model_type \('roberta'\) .* has 'bert'$"),
    ],
)
def test_what_is_unknown_or_not_supported_is_refused_by_name(fields, words):
    with pytest.raises(ValueError, match=words):
        config_from_fields(BertConfig, fields)


def test_keys_that_nobody_knows_are_left_out_with_a_word():
    fields = {"zeta": None, "alpha": [1, 2], "hidden_size": 24}
    told = r"none of a BERT's configuration, .*: alpha \(\[1, 2\]\), zeta \(None\)"
    with pytest.warns(UserWarning, match=told):
        assert config_from_fields(BertConfig, fields) == BertConfig(hidden_size=24)


@pytest.mark.parametrize("name", ["Bert", "Roberta", "DistilBert", "Albert", "Electra"])
def test_a_full_config_of_transformers_4_is_read_without_a_word(name):
    config_class = getattr(family, f"{name}Config", BertConfig)
    fields = FULL | {"model_type": config_class.required_values["model_type"]}
    assert config_from_fields(config_class, fields) == config_class()
