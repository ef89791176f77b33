"""Damaged, foreign and hostile folders: a sentence of ours, whatever stands in the files."""

import struct

import pytest
import torch
from safetensors.torch import load_file, save_file
from saved_folders import (
    CONFIG,
    INDEX,
    WEIGHTS,
    change_json,
    refused,
    sharded_folder,
    small_folder,
    split,
    with_header,
)
from torch import nn

from minibert.config import BertConfig
from minibert.loading import load_pretrained
from minibert.model import BertModel
from minibert.tasks import BertForSequenceClassification

pytestmark = pytest.mark.usefixtures("unchecked")  # what readers meet, without checks of types


def test_no_folder(tmp_path):
    assert "there is no folder" in refused(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    assert "is a file; give the folder" in refused(tmp_path / "file")
    assert "not a NoneType" in refused(None)


@pytest.mark.parametrize("name", [WEIGHTS, CONFIG])
def test_a_file_that_is_missing(tmp_path, name):
    small_folder(tmp_path)
    (tmp_path / name).unlink()
    assert name in refused(tmp_path)


def test_a_pickle_is_not_opened(tmp_path):
    small_folder(tmp_path)
    torch.save(load_file(tmp_path / WEIGHTS), tmp_path / "pytorch_model.bin")
    load_pretrained(BertModel, tmp_path)  # beside weights it does not matter
    (tmp_path / WEIGHTS).unlink()
    assert "pytorch_model.bin, a pickle: a program" in refused(tmp_path)
    (tmp_path / "pytorch_model.bin").rename(tmp_path / WEIGHTS)
    assert "no safetensors file" in refused(tmp_path)


def test_two_kinds_of_weights(tmp_path):
    sharded_folder(tmp_path)
    (tmp_path / "model-00001-of-00003.safetensors").rename(tmp_path / WEIGHTS)
    assert "has both model.safetensors and model.safetensors.index.json" in refused(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "cannot be read as JSON"),
        (b"[1, 2]", "holds a JSON list, not an object"),
        (b"[" * 200_000, "cannot be read as JSON"),
        (b'{"hidden_size": ' + b"9" * 5000 + b"}", "cannot be read as JSON"),
        (b'{"is_decoder": true}', "is_decoder (True) is not supported"),
        (b'{"hiden_size": 8}', "did you mean hidden_size?"),
        (b'{"hidden_act": ["gelu"]}', "hidden_act (['gelu']) must be one of gelu,"),
    ],
)
def test_a_config_that_is_none(tmp_path, text, message):
    small_folder(tmp_path)
    (tmp_path / CONFIG).write_bytes(text)
    refusal = refused(tmp_path)
    assert message in refusal
    assert CONFIG in refusal


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_labels": True}, "num_labels must be a whole number, not True"),
        ({"id2label": {"0": None}}, "id2label must be an object from numbers to names"),
        ({"id2label": {"9" * 5000: "no"}}, "each label is a number"),
        ({"id2label": {"0": "no", "-1": "yes"}}, "id2label names '-1'; each label is a number"),
        ({"id2label": {"0": "no", "2": "yes"}}, "names the labels [0, 2]"),
        ({"problem_type": ["regression"]}, "problem_type (['regression']) must be one of"),
    ],
)
def test_labels_that_make_no_sense(tmp_path, changes, message):
    small_folder(tmp_path, BertForSequenceClassification)
    change_json(tmp_path / CONFIG, **changes)
    assert message in refused(tmp_path, kind=BertForSequenceClassification)
    load_pretrained(BertModel, tmp_path, unused=("classifier",))  # which reads no labels


SIZES = ["vocab_size", "hidden_size", "intermediate_size", "max_position_embeddings"]
SIZES += ["type_vocab_size", "num_hidden_layers"]


@pytest.mark.parametrize("field", SIZES)
@pytest.mark.parametrize("size", [997, 10**12, 10**40])
def test_sizes_that_are_not_those_of_the_weights(tmp_path, field, size):
    small_folder(tmp_path)
    change_json(tmp_path / CONFIG, **{field: size}, num_attention_heads=1)
    assert f"config.json gives {field} as {size}" in refused(tmp_path)


def test_a_tensor_without_numbers_vouches_for_no_size(tmp_path):
    small_folder(tmp_path)
    header, numbers = split(tmp_path / WEIGHTS)
    header["x"] = {"dtype": "F32", "shape": [0, 10**12], "data_offsets": [0, 0]}
    with_header(tmp_path / WEIGHTS, header, numbers)
    change_json(tmp_path / CONFIG, vocab_size=10**12)
    assert "config.json gives vocab_size as 1000000000000" in refused(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 10**6) + b"[" * 10**6]
)
def test_what_is_no_safetensors_file(tmp_path, content):
    small_folder(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(content)
    assert f"({len(content)} bytes) is no safetensors file, damaged or cut" in refused(tmp_path)


def test_every_length_of_a_cut_file(tmp_path):
    small_folder(tmp_path)
    whole = (tmp_path / WEIGHTS).read_bytes()
    end = 8 + struct.unpack("<Q", whole[:8])[0]
    for length in [*range(0, end + 8, 11), *range(end, len(whole), 97), len(whole) - 1]:
        (tmp_path / WEIGHTS).write_bytes(whole[:length])
        assert f"({length} bytes)" in refused(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(whole + b"\0")
    refused(tmp_path)


OUTSIDE = [
    "../model.safetensors", "/etc/passwd", "sub\\model.safetensors", "pytorch_model.bin",
    "model.safetensors\n", 7,
]  # fmt: skip


@pytest.mark.parametrize("place", OUTSIDE)
def test_a_shard_outside_the_folder(tmp_path, place):
    outside = tmp_path / WEIGHTS
    folder = tmp_path / "folder"
    places = sharded_folder(folder)
    save_file(load_file(folder / places["pooler.dense.bias"]), outside)
    change_json(folder / INDEX, weight_map=places | {"pooler.dense.bias": place})
    refusal = refused(folder)
    assert f"places 'pooler.dense.bias' in {place!r}" in refusal


def test_shards_and_index_that_disagree(tmp_path):
    places = sharded_folder(tmp_path)
    first, second = sorted(set(places.values()))[:2]
    moved = next(name for name, place in places.items() if place == first)
    change_json(tmp_path / INDEX, weight_map=places | {moved: second})
    refusal = refused(tmp_path)
    assert f"{first} of" in refusal and moved in refusal
    change_json(tmp_path / INDEX, weight_map=places | {"pooler.extra": second})
    assert "pooler.extra" in refused(tmp_path)
    change_json(tmp_path / INDEX, weight_map=places)
    (tmp_path / second).rename(tmp_path / "elsewhere.safetensors")
    assert f"has no {second}, which {INDEX} names" in refused(tmp_path)
    change_json(tmp_path / INDEX, weight_map={})
    assert "has no weight_map" in refused(tmp_path)


def test_parts_that_are_no_list_or_that_the_model_does_not_have(tmp_path):
    small_folder(tmp_path)
    for keyword in ("new", "unused"):
        assert f"write {keyword}=('pooler',)" in refused(tmp_path, **{keyword: "pooler"})
    refusal = refused(tmp_path, new=("poller",))
    assert "new names 'poller', but BertModel has no such part" in refusal
    assert "embeddings, encoder, pooler" in refusal


@pytest.mark.parametrize(
    ("kind", "arguments", "refusal"),
    [
        (nn.Linear, {}, "Linear cannot be built as Linear(config): missing a required argument: "),
        (BertModel(BertConfig.tiny(vocab_size=9)), {}, "load_pretrained builds the model: give the "
         "class BertModel, not an instance of it"),
        (BertModel, {"top": 3}, "BertModel cannot be built as BertModel(config, top=…): got an "),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_built_of_a_configuration(tmp_path, kind, arguments, refusal):
    small_folder(tmp_path)
    assert refused(tmp_path, kind, **arguments).startswith(refusal)
