"""The configuration: whose defaults, which shapes, and what it says to a wrong value."""

import dataclasses
import re

import pytest
import torch
import transformers
from hypothesis import assume, given
from hypothesis import strategies as st
from transformers.activations import ACT2FN

from minibert.config import ACTIVATIONS, IGNORED_KEYS, REQUIRED_VALUES, BertConfig
from minibert.pretrained.config_file import config_from_fields

# config.json of bert-base-chinese, of a model from the years of version 2, and of a newer one
CHINESE = {
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1,
    "directionality": "bidi", "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768,
    "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12,
    "num_hidden_layers": 12, "pad_token_id": 0, "pooler_fc_size": 768,
    "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3, "pooler_size_per_head": 128,
    "pooler_type": "first_token_transform", "type_vocab_size": 2, "vocab_size": 21128,
}  # fmt: skip
OLD = {
    "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
    "intermediate_size": 4096, "finetuning_task": None, "is_decoder": False, "num_labels": 2,
    "output_attentions": False, "output_past": True, "pruned_heads": {}, "torchscript": False,
    "use_bfloat16": False,
}  # fmt: skip
NEW = {
    "_name_or_path": "somewhere", "architectures": ["BertModel"], "classifier_dropout": None,
    "gradient_checkpointing": False, "hidden_size": 384, "intermediate_size": 1536,
    "num_hidden_layers": 6, "model_type": "bert", "position_embedding_type": "absolute",
    "torch_dtype": "float32", "transformers_version": "4.8.2", "use_cache": True,
}  # fmt: skip


def test_the_defaults_are_those_of_transformers():
    theirs = transformers.BertConfig()
    for name, value in dataclasses.asdict(BertConfig()).items():
        assert getattr(theirs, name) == value, name


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("tiny", (2, 128, 2, 512)),
        ("mini", (4, 256, 4, 1024)),
        ("base", (12, 768, 12, 3072)),
        ("large", (24, 1024, 16, 4096)),
    ],
)
def test_four_shapes(name, sizes):
    config = getattr(BertConfig, name)()
    assert sizes == (
        config.num_hidden_layers,
        config.hidden_size,
        config.num_attention_heads,
        config.intermediate_size,
    )
    assert config.head_size == 64
    assert config.vocab_size == 30522


def test_base_is_the_default_and_any_field_of_a_shape_can_be_changed():
    assert BertConfig.base() == BertConfig()
    config = BertConfig.tiny(vocab_size=89, num_attention_heads=4)
    assert (config.vocab_size, config.head_size, config.hidden_size) == (89, 32, 128)


def test_a_configuration_is_frozen_has_names_and_a_changed_copy_is_checked():
    config = BertConfig.tiny()
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.vocab_size = 5
    assert dataclasses.replace(config, vocab_size=5).vocab_size == 5
    with pytest.raises(ValueError, match=r"hidden_size \(130\).*\(4\); nearest are 128 and 132$"):
        dataclasses.replace(config, hidden_size=130, num_attention_heads=4)
    with pytest.raises(TypeError, match="positional"):
        BertConfig(30522, 768)


WRONG = [
    ({"hidden_size": 770}, r"\(770\) .* num_attention_heads \(12\); nearest are 768 and 780$"),
    ({"hidden_size": 5}, r"hidden_size \(5\) must be a multiple .* \(12\); nearest are 12 and 24$"),
    ({"vocab_size": 0}, r"vocab_size \(0\) must be at least 1; BERT's is 30522"),
    ({"hidden_size": -12}, r"hidden_size \(-12\) must be at least 1"),
    ({"num_hidden_layers": 0}, r"num_hidden_layers \(0\) must be at least 1"),
    ({"num_attention_heads": 0}, r"num_attention_heads \(0\) must be at least 1"),
    ({"intermediate_size": 0}, r"intermediate_size \(0\) must be at least 1"),
    ({"max_position_embeddings": -1}, r"max_position_embeddings \(-1\) must be at least 1"),
    ({"type_vocab_size": 0}, r"type_vocab_size \(0\) must be at least 1"),
    ({"hidden_dropout_prob": 1.5}, r"\(1\.5\) .* 0\.0 and at most 1\.0; BERT's is 0\.1$"),
    ({"attention_probs_dropout_prob": -0.1}, r"\(-0\.1\) must be at least 0\.0 and at most 1\.0"),
    ({"hidden_dropout_prob": float("nan")}, r"hidden_dropout_prob \(nan\) must be at least 0"),
    ({"classifier_dropout": 10}, r"classifier_dropout \(10\) .* 0\.0 and at most 1\.0$"),
    ({"initializer_range": 0}, r"initializer_range \(0\) must be at least 1e-30 .* 0\.02"),
    ({"layer_norm_eps": 0.0}, r"layer_norm_eps \(0\.0\) must be at least 1e-30 .* is 1e-12"),
    ({"layer_norm_eps": float("inf")}, r"\(inf\) must be at least 1e-30 and at most"),
    ({"hidden_act": "gleu"}, r"hidden_act \('gleu'\) .* relu; none is the same"),
    ({"hidden_act": "ReLU"}, r"hidden_act \('ReLU'\) .*; relu is the same function"),
    ({"pad_token_id": 30522}, r"pad_token_id \(30522\) must be at least 0 and at most 30521"),
    ({"pad_token_id": -1}, r"pad_token_id \(-1\) must be at least 0 and at most 30521"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_a_value_out_of_range_is_named_with_the_nearest_one_in_a_file_too(changes, words):
    for make in (lambda: BertConfig(**changes), lambda: config_from_fields(BertConfig, changes)):
        with pytest.raises(ValueError, match=words):
            make()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vocab_size": 30522.0}, r"vocab_size must be a whole number, not 30522\.0"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be a whole number, not True"),
        ({"hidden_size": "768"}, "hidden_size must be a whole number, not '768'"),
        ({"hidden_dropout_prob": "0.1"}, "hidden_dropout_prob must be a number, not '0.1'"),
        ({"hidden_dropout_prob": None}, "hidden_dropout_prob must be a number, not None"),
        ({"classifier_dropout": False}, "classifier_dropout must be a number, not False"),
        ({"layer_norm_eps": "1e-12"}, "layer_norm_eps must be a number, not '1e-12'"),
        ({"pad_token_id": None}, "pad_token_id must be a whole number, not None"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(changes, words):
    with pytest.raises(TypeError, match=words):
        BertConfig(**changes)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("value", [None, 3, ["gelu"], {"gelu": 1}])
def test_an_activation_that_is_no_name(value):
    words = f"hidden_act ({value!r}) must be one of gelu, gelu_new, relu"
    with pytest.raises(ValueError, match=re.escape(words)):
        BertConfig(hidden_act=value)


def test_the_ends_of_the_ranges_and_all_activations_are_valid():
    BertConfig(hidden_dropout_prob=0, attention_probs_dropout_prob=1, classifier_dropout=1.0)
    BertConfig(vocab_size=1, pad_token_id=0, type_vocab_size=1, max_position_embeddings=1)
    BertConfig(hidden_size=1, num_attention_heads=1, intermediate_size=1, num_hidden_layers=1)
    assert BertConfig(vocab_size=7, pad_token_id=6).pad_token_id == 6
    for name in ACTIVATIONS:
        assert BertConfig(hidden_act=name).hidden_act == name


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


# --- config.json ------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [CHINESE, OLD, NEW], ids=["chinese", "old", "new"])
def test_a_real_file_means_what_transformers_reads_in_it(fields):
    ours, theirs = config_from_fields(BertConfig, fields), transformers.BertConfig.from_dict(fields)
    for name, value in dataclasses.asdict(ours).items():
        assert getattr(theirs, name) == value, name


def test_what_transformers_writes_can_be_read():
    theirs = transformers.BertConfig(hidden_size=24, num_attention_heads=3, vocab_size=50)
    for fields in (theirs.to_dict(), theirs.to_diff_dict()):
        config = config_from_fields(BertConfig, fields)
        assert config == BertConfig(hidden_size=24, num_attention_heads=3, vocab_size=50)


def test_every_field_survives_the_way_to_transformers_and_back():
    changed = {
        "vocab_size": 89, "hidden_size": 42, "num_hidden_layers": 5, "num_attention_heads": 3,
        "intermediate_size": 77, "hidden_act": "relu", "hidden_dropout_prob": 0.2,
        "attention_probs_dropout_prob": 0.4, "max_position_embeddings": 33, "type_vocab_size": 4,
        "initializer_range": 0.5, "layer_norm_eps": 1e-5, "pad_token_id": 6,
        "classifier_dropout": 0.3,
    }  # fmt: skip
    assert changed.keys() == dataclasses.asdict(BertConfig()).keys()
    config = BertConfig(**changed)
    assert config_from_fields(BertConfig, transformers.BertConfig(**changed).to_dict()) == config
    assert config_from_fields(BertConfig, dataclasses.asdict(config)) == config


def test_fields_that_are_missing_ignored_or_as_required_change_nothing():
    for fields in ({}, dict.fromkeys(IGNORED_KEYS, "anything"), dict(REQUIRED_VALUES)):
        assert config_from_fields(BertConfig, fields) == BertConfig()
    assert not IGNORED_KEYS & REQUIRED_VALUES.keys()
    assert not (IGNORED_KEYS | REQUIRED_VALUES.keys()) & dataclasses.asdict(BertConfig()).keys()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("position_embedding_type", "relative_key_query"), ("is_decoder", True),
        ("is_encoder_decoder", True), ("add_cross_attention", True), ("model_type", "roberta"),
        ("tie_word_embeddings", False), ("chunk_size_feed_forward", 8),
        ("pruned_heads", {"0": [1]}), ("quantization_config", {"bits": 8}),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_refused_by_name(key, value):
    assert key in REQUIRED_VALUES
    words = rf"{key} \({re.escape(repr(value))}\) is not supported; BERT's encoder has "
    with pytest.raises(ValueError, match=words + re.escape(repr(REQUIRED_VALUES[key]))):
        config_from_fields(BertConfig, {key: value})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"hiden_size": 5}, r"hiden_size \(5\) is no key .*; did you mean hidden_size"),
        ({"zeta": 3, "alpha": 1, "beta": 2}, r"^alpha \(1\)"),
        ({"rope_theta": 10000}, r"rope_theta \(10000\).*leave it out"),
        *(
            (fields, rf"^model_type \('{fields['model_type']}'\) is not supported; .* has 'bert'$")
            for name in ("DistilBertConfig", "RobertaConfig", "AlbertConfig", "GPT2Config")
            for fields in [getattr(transformers, name)().to_dict()]
        ),
    ],
)
def test_an_unknown_key_and_another_model_are_refused_by_name(fields, words):
    with pytest.raises(ValueError, match=words):
        config_from_fields(BertConfig, fields)


@pytest.mark.filterwarnings("ignore")
def test_a_suggested_activation_is_the_same_function():
    x = torch.linspace(-30, 30, 6001)
    compared = 0
    for name in ACT2FN.keys() - ACTIVATIONS.keys() - {"prelu", "xielu"}:  # which learn
        values = ACT2FN[name](x)
        same = [ours for ours, f in ACTIVATIONS.items() if torch.allclose(f(x), values, atol=1e-5)]
        with pytest.raises(ValueError, match="must be one of gelu, gelu_new, relu; ") as caught:
            BertConfig(hidden_act=name)
        told = str(caught.value).rpartition("; ")[2]
        expected = f"{same[0] if same else 'none'} is the same function"
        assert told == expected, name
        compared += bool(same)
    assert compared == 5
