"""Damaged, foreign and hostile folders: a sentence of ours at once, whatever stands in them."""

import json
import os
import re
import shutil
import struct
import sys
from functools import partial
from types import ModuleType

import pytest
import torch
from safetensors.torch import load_file
from saved_folders import (
    SHARDS,
    change_json,
    change_weights,
    in_our_words,
    refused,
    renamed,
    same_weights,
    sharded_folder,
    small_folder,
)
from torch import nn

from minibert.config import BertConfig
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading.files import CONFIG, INDEX, WEIGHTS
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM
from minibert.tasks import BertForSequenceClassification
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

pytestmark = pytest.mark.usefixtures("unchecked")  # what readers meet, without checks of types
BIAS, WORDS = "pooler.dense.bias", "embeddings.word_embeddings.weight"
WIDE = "encoder.layer.0.intermediate.dense.weight"
POSITIONS = "bert.embeddings.position_ids"
SIZES = [
    *("vocab_size", "hidden_size", "intermediate_size", "max_position_embeddings"),
    *("type_vocab_size", "num_hidden_layers"),
]
OUTSIDE = [
    *("../model.safetensors", "/etc/passwd", "sub\\model.safetensors", "pytorch_model.bin"),
    *("model.safetensors\n", 7),
]


def written(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def config(**changes):
    return lambda folder: change_json(folder / CONFIG, **changes)


def weights(change):
    return lambda folder: change_weights(folder, change)


def extra(name, *shape):
    return weights(lambda tensors: tensors.update({name: torch.ones(shape)}))


def places(**changes):
    """Write shards, and an index that places tensors elsewhere."""
    return lambda folder: change_json(folder / INDEX, weight_map=sharded_folder(folder) | changes)


def pickled(folder):
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    load_pretrained(BertModel, folder)  # beside weights it does not matter
    (folder / WEIGHTS).unlink()


def pickle_in_disguise(folder):
    pickled(folder)
    (folder / "pytorch_model.bin").rename(folder / WEIGHTS)


DAMAGED = [
    (lambda f: (f / WEIGHTS).unlink(), rf"has neither {WEIGHTS} nor {INDEX}; get one"),
    (lambda f: (f / CONFIG).unlink(), "has no config.json"),
    (pickled, "only as pytorch_model.bin, a pickle: a program"),
    (pickle_in_disguise, "no safetensors file"),
    (lambda f: [sharded_folder(f), (f / SHARDS[0]).rename(f / WEIGHTS)],
     "has both model.safetensors and model.safetensors.index.json"),
    (lambda f: [sharded_folder(f), (f / SHARDS[1]).unlink()], f"has no {SHARDS[1]}, which {INDEX}"),
    (lambda f: [sharded_folder(f), change_json(f / INDEX, weight_map={})], "has no weight_map"),
    (places(x=SHARDS[0]), "other tensors than .*: x. The two do not"),
    (places(**{BIAS: SHARDS[1]}), rf"model-0000\d-of\S+ of .*{BIAS}"),
    *((places(**{BIAS: place}), f"places '{BIAS}' in {re.escape(repr(place))}")
      for place in OUTSIDE),
    (written(CONFIG, b"{"), "config.json' cannot be read as JSON"),
    (written(CONFIG, b"[1, 2]"), "config.json' holds a JSON list, not an object"),
    (written(CONFIG, b"[" * 200_000), "config.json' cannot be read as JSON"),
    (written(CONFIG, b'{"x": "\xe9"}'), "config.json' cannot be read as JSON"),
    (written(CONFIG, b'{"is_decoder": true}'), r"config.json.*is_decoder \(True\) is not supp"),
    (written(CONFIG, b'{"hiden_size": 8}'), r"config.json.*did you mean hidden_size\?"),
    (config(model_type="gpt2"), r"model_type \('gpt2'\) is not supported"),
    (config(model_type=7), r"model_type \(7\) is not supported"),
    (config(hidden_act=["gelu"]), r"hidden_act \(\['gelu'\]\) must be one of gelu,"),
    *((config(**{field: size}, num_attention_heads=1), f"config.json gives {field} as {size}")
      for size in (997, 10**40) for field in SIZES),
    (config(num_labels=1000), "gives num_labels as 1000, but no side"),
    (lambda f: [extra("x", 0, 10**12)(f), config(vocab_size=10**12)(f)],
     "gives vocab_size as 1000000000000"),
    (written(WEIGHTS, b""), r"\(0 bytes\) is no safetensors file, damaged or cut"),
    (written(WEIGHTS, struct.pack("<Q", 2) + b"[]"), r"\(10 bytes\) is no safetensors file"),
    (written(WEIGHTS, struct.pack("<Q", 10**6) + b"[" * 10**6), r"\(1000008 bytes\) is no safet"),
    (extra("encoder.scale", 2, 3), r"1 unknown: encoder\.scale \(2"),
    (extra("x.y", 2), r"say unused=\('x',\)"),
    (extra(BIAS, 2), r"shape: pooler\S+ \(2,\)"),
    (extra("embeddings.LayerNorm.gamma", 2), r"embeddings\.LayerNorm\.weight twice"),
    (extra("bert." + BIAS, 2), r"pooler\.dense\.bias twice"),
    (weights(renamed("LayerNorm.weight", "LayerNorm.Gamma")), "3 missing"),
    (weights(renamed("embeddings.", "model.embeddings.")), r"begin with 'model\.' come from"),
    (weights(renamed("embeddings.", "table.")), "encoder itself is not whole"),
    (weights(renamed(BIAS, "pooler.dense")), r"unused=\('pooler\.dense',\)"),
    *((weights(lambda t, order=order: t.update({POSITIONS: torch.tensor([order])})),
       "does not count 0, 1, 2, … 3;") for order in ([1, 0, 2, 3], [0.0, 1.0, 2.0, 3.0])),
    (weights(lambda t: t.update({WIDE: t[WIDE].T.contiguous()})),
     r"1 of another shape(?s:(?!new=).)*$"),
    (weights(lambda t: t.update({BIAS: t[BIAS].bool()})), r"pooler\.dense\.bias is torch\.bool"),
    (weights(lambda t: t.update({n: t[n].long() for n in t})), r"is torch\.int64; convert"),
    (weights(lambda t: t.update({f"x{n}": torch.ones(1) for n in range(300)})),
     r"300 unknown.*x115 \(1,\) and 280 more\.\nTo leave these .* out, name them \(300\)\."),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "words"), DAMAGED)
def test_a_damaged_folder_is_refused_in_words(tmp_path, damage, words):
    small_folder(tmp_path)
    damage(tmp_path)
    assert re.search(words, refused(tmp_path), re.DOTALL)


def test_an_encoder_inside_a_head_keeps_its_prefix(tmp_path):
    small_folder(tmp_path, BertForMaskedLM)
    change_weights(tmp_path, renamed("bert." + WORDS, WORDS))
    assert "1 unknown: embeddings.word_embe" in refused(tmp_path, BertForMaskedLM)


TASK = BertForSequenceClassification
ASKED = [  # a class, a change of config.json, arguments, and what is said
    (TASK, {"num_labels": True}, {}, "num_labels must be a whole number, not True"),
    (TASK, {"id2label": {"0": None}}, {}, "id2label must be an object from numbers to names"),
    (TASK, {"id2label": {"9" * 5000: "no"}}, {}, "each label is a number"),
    (TASK, {"id2label": {"0": "no", "-1": "yes"}}, {}, "id2label names '-1'; each label is a num"),
    (TASK, {"id2label": {"0": "no", "2": "yes"}}, {}, r"names the labels \[0, 2\]"),
    (TASK, {"problem_type": ["regression"]}, {}, r"problem_type \(\['regression'\]\) must be on"),
    (nn.Linear, {}, {}, r"^Linear cannot be built as Linear\(config\): missing a required arg"),
    (BertModel(BertConfig.tiny(vocab_size=9)), {}, {}, "give the class BertModel, not an instance"),
    (BertModel, {}, {"top": 3}, r"^BertModel cannot be built as BertModel\(config, top=…\): got a"),
    (BertModel, {}, {"new": "pooler"}, r"write new=\('pooler',\)"),
    (BertModel, {}, {"unused": "pooler"}, r"write unused=\('pooler',\)"),
    (BertModel, {}, {"unused": ("pool",), "add_pooling_layer": False}, "2 unknown: pooler.dense"),
    (BertModel, {}, {"new": ("poller",)},
     "'poller', but BertModel has no such part; it has embeddings, encoder, pooler"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "changes", "arguments", "words"), ASKED)
def test_what_cannot_be_asked_for(tmp_path, kind, changes, arguments, words):
    small_folder(tmp_path, TASK if kind is TASK else BertModel)
    change_json(tmp_path / CONFIG, **changes)
    assert re.search(words, refused(tmp_path, kind, **arguments))


def test_no_folder(tmp_path):
    assert "there is no folder" in refused(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    assert "is a file; give the folder" in refused(tmp_path / "file")
    assert "not a NoneType" in refused(None)


def test_every_tensor_is_needed(tmp_path):
    names = small_folder(tmp_path, BertForMaskedLM).state_dict()
    for name in [name for name in names if ".decoder." not in name]:
        small_folder(tmp_path, BertForMaskedLM)
        change_weights(tmp_path, lambda tensors, name=name: tensors.pop(name))
        message = refused(tmp_path, BertForMaskedLM)
        assert f"1 missing: {name} (" in message or "no tensor of the weights has a side" in message


def test_every_length_of_a_cut_file(tmp_path):
    small_folder(tmp_path)
    whole = (tmp_path / WEIGHTS).read_bytes()
    end = 8 + struct.unpack("<Q", whole[:8])[0]
    for length in [*range(0, end + 8, 11), *range(end, len(whole), 97), len(whole) - 1]:
        (tmp_path / WEIGHTS).write_bytes(whole[:length])
        assert f"({length} bytes)" in refused(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(whole + b"\0")
    refused(tmp_path)


def survives(load):
    """Load a folder that may be damaged: a model comes out, or a sentence of ours."""
    try:
        found = load()
    except (ValueError, TypeError, OSError) as error:
        return in_our_words(error)
    if isinstance(found, nn.Module):
        assert not any(parameter.is_meta for parameter in found.parameters())
    return ""


ODD = [
    None, True, -1, 0, 1, 2.5, 1e308, float("nan"), 10**30, "", "x", "gelu", [], [8], {}, {"a": 1},
]  # fmt: skip


def odd_changes(fields):
    """Put each odd value in the place of each value of a JSON object, and of those inside it."""
    for key, value in fields.items():
        for odd in ODD:
            yield fields | {key: odd}
        if isinstance(value, dict):
            yield from (fields | {key: inner} for inner in odd_changes(value))


@pytest.mark.slow
@pytest.mark.parametrize("name", [CONFIG, INDEX, "tokenizer_config.json"])
def test_odd_values_in_good_json(tmp_path, name):
    if name == INDEX:
        sharded_folder(tmp_path)
    else:
        tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "the"])
        save_pretrained(small_folder(tmp_path), tmp_path, tokenizer)
    fields = json.loads((tmp_path / name).read_text("utf-8"))
    more = {"id2label": {"0": "a"}, "num_labels": 2} if name == CONFIG else {}
    load = partial(load_pretrained, BertModel, tmp_path)
    if name == "tokenizer_config.json":
        load = partial(load_tokenizer, tmp_path)
    for each in odd_changes(fields | more):
        (tmp_path / name).write_text(json.dumps(each), encoding="utf-8")
        survives(load)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, "vocab.txt", "tokenizer.json"])
@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder", "gigabytes"])
def test_something_that_is_no_file_or_has_no_end(tmp_path, name, kind):
    small_folder(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    (tmp_path / name).unlink(missing_ok=True)
    make = {
        "pipe": os.mkfifo,
        "device": lambda path: os.symlink("/dev/zero", path),
        "loop": lambda path: os.symlink(path, path),
        "folder": os.mkdir,
        "gigabytes": lambda path: [path.touch(), os.truncate(path, 3 * 2**30)],
    }
    make[kind](tmp_path / name)
    load = partial(load_pretrained, BertModel) if name in (CONFIG, WEIGHTS) else load_tokenizer
    with pytest.raises((ValueError, OSError), match=name) as caught:
        load(tmp_path)
    in_our_words(caught.value)


# A name goes to the Hub, through a package that may be absent or offline


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Stand in for huggingface_hub: keep one model, note what is asked for; no folder is here."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    hub = ModuleType("huggingface_hub")
    hub.folder, hub.asked = tmp_path / "cache", []

    def snapshot_download(repo_id, *, allow_patterns):
        hub.asked.append((repo_id, allow_patterns))
        if isinstance(hub.folder, Exception):
            raise hub.folder
        return str(hub.folder)

    hub.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    return hub


@pytest.mark.parametrize("name", ["bert-base-uncased", "google/bert_uncased.L-2"])
def test_a_name_is_fetched_unless_a_folder_has_it(tmp_path, hub, name):
    model = small_folder(tmp_path / "cache")
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "the"])
    save_pretrained(model, tmp_path / "cache", tokenizer)
    same_weights(load_pretrained(BertModel, name), model)
    assert load_tokenizer(name).pieces == tokenizer.pieces
    assert [asked for asked, _ in hub.asked] == [name, name]
    patterns = hub.asked[0][1]
    assert {"config.json", "model.safetensors", "model-*.safetensors", "vocab.txt"} <= set(patterns)
    assert not [pattern for pattern in patterns if "bin" in pattern or "py" in pattern]
    shutil.copytree(tmp_path / "cache", name)
    load_pretrained(BertModel, name)
    assert len(hub.asked) == 2


PATHS = ["../model", "./model", "/nowhere/model", "a/b/c", "~/model", "model/", "", "a b", ".."]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_never_asked_for(hub, path):
    with pytest.raises(FileNotFoundError, match=r"no folder|no config\.json") as caught:
        load_pretrained(BertModel, path)
    in_our_words(caught.value)
    assert hub.asked == []


@pytest.mark.parametrize("load", [partial(load_pretrained, BertModel), load_tokenizer])
@pytest.mark.parametrize("error", [OSError("no route\nmuch more"), KeyError(), None])
def test_when_it_cannot_be_fetched_or_the_package_is_absent(hub, monkeypatch, error, load):
    hub.folder = error
    if error is None:
        monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    words = "check the name and the connection" if error else "pip install huggingface_hub"
    with pytest.raises(FileNotFoundError, match=words) as caught:
        load("bert-base-uncased")
    message = in_our_words(caught.value)
    assert "there is no folder 'bert-base-uncased'" in message and "much more" not in message
    assert error is None or type(error).__name__ in message


def test_the_real_package_offline(monkeypatch, tmp_path):
    constants = pytest.importorskip("huggingface_hub", reason="huggingface_hub is absent").constants
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(FileNotFoundError, match="could be fetched from the") as caught:
        load_pretrained(BertModel, "nobody/no-such-model")
    in_our_words(caught.value)
