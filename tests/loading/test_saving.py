"""A saving that fails or is killed at any moment leaves the old model or the new one, whole."""

import itertools
import os

import pytest
import torch
from bert_pairs import build, draw_config
from saved_folders import in_our_words, same_weights, their_folder
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from minibert import disk
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading import save as saving
from minibert.loading.files import INDEX
from minibert.model import BertModel
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

OPERATIONS = [
    (saving, "save_file"), (saving, "sync"), (disk, "sync"), (disk, "remove"),
    (saving.Path, "mkdir"), (saving.Path, "write_text"), (saving.Path, "chmod"),
    (saving.Path, "touch"), (saving.Path, "unlink"), (os, "replace"),
    (WordPieceTokenizer, "save"), (saving.shutil, "rmtree"),
]  # fmt: skip
NAMES = ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"]
OLD = WordPieceTokenizer([*SPECIAL_TOKENS, "old", "cat"])
NEW = WordPieceTokenizer([*SPECIAL_TOKENS, "New", "Dog", "##s"], do_lower_case=False)
BEFORE, AFTER = 0, 1


def model_of(seed, **changes):
    changes |= {"intermediate_size": 11} if seed == AFTER else {}
    return build(draw_config(3, **changes), seed, torch.float32)


def seen(folder):
    """Look at everything in a folder: what it is, what is in it, when it was changed."""
    return {
        path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in [folder, *folder.rglob("*")]
    }


def one_whole_model(folder):
    """Load a folder; return which model it is, with weights and tokenizer that belong together."""
    model, tokenizer = load_pretrained(BertModel, folder), load_tokenizer(folder)
    which = AFTER if model.config == model_of(AFTER).config else BEFORE
    same_weights(model, model_of(which))
    expected = (OLD, NEW)[which]
    assert tokenizer.pieces == expected.pieces
    assert tokenizer.do_lower_case == expected.do_lower_case
    return which


def test_other_files_stay_but_not_what_would_be_read_instead(tmp_path):
    their_folder(tmp_path, seed=3, max_shard_size="7KB")
    for name in ("tokenizer.json", "special_tokens_map.json", "added_tokens.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "model-of-mine.safetensors").write_text("mine")
    (tmp_path / "step-00000001").mkdir()
    save_pretrained(model_of(AFTER), tmp_path)
    assert not list(tmp_path.glob("model-0*")) and not list(tmp_path.glob("*index*"))
    assert (tmp_path / "tokenizer.json").exists()  # no tokenizer was saved
    save_pretrained(model_of(AFTER), tmp_path, NEW)
    save_pretrained(model_of(AFTER), tmp_path)  # and that of the folder stays
    mine = ["model-of-mine.safetensors", "step-00000001"]
    assert sorted(os.listdir(tmp_path)) == sorted([*NAMES, *mine])
    assert one_whole_model(tmp_path) == AFTER


def test_a_model_can_be_saved_where_it_is_mapped_from(tmp_path):
    save_pretrained(model_of(0), tmp_path)
    model = load_pretrained(BertModel, tmp_path)
    with torch.no_grad():
        model.pooler.dense.bias.fill_(3)
    save_pretrained(model, tmp_path)
    again = load_pretrained(BertModel, tmp_path)
    same_weights(again, model)
    assert again.pooler.dense.bias[0] == 3 and again.pooler.dense.weight.any()


def test_links_are_replaced_and_a_link_to_a_saved_model_is_not_followed(tmp_path):
    outside, other, folder = tmp_path / "outside", tmp_path / "other", tmp_path / "folder"
    save_pretrained(model_of(BEFORE), outside, OLD)
    save_pretrained(model_of(AFTER), other, NEW)
    before = seen(outside), seen(other)
    folder.mkdir()
    for name in NAMES:
        (folder / name).symlink_to(outside / name)
    (folder / saving.TEMPORARY).symlink_to(outside)
    (folder / saving.SAVED).symlink_to(other)
    assert one_whole_model(folder) == BEFORE  # reading follows those of files
    save_pretrained(model_of(AFTER), folder, NEW)
    assert (seen(outside), seen(other)) == before
    assert sorted(os.listdir(folder)) == NAMES
    assert not any((folder / name).is_symlink() for name in NAMES)
    assert one_whole_model(folder) == AFTER


def test_what_stands_in_the_way_and_what_is_no_bert(tmp_path):
    save_pretrained(model_of(BEFORE), tmp_path, OLD)
    (tmp_path / "vocab.txt").unlink()
    (tmp_path / "vocab.txt").mkdir()
    (tmp_path / "file").write_text("x")
    before = seen(tmp_path)
    for path, words in {
        tmp_path: "vocab.txt is a folder there",
        tmp_path / "file": "could not be saved",
        tmp_path / "file" / "deeper": "could not be saved",
    }.items():
        with pytest.raises(OSError, match=words) as caught:
            save_pretrained(model_of(AFTER), path, NEW)
        in_our_words(caught.value)
    with pytest.raises(TypeError, match="Linear without a BertConfig"):
        save_pretrained(nn.Linear(2, 2), tmp_path / "new")
    with pytest.raises(ValueError, match="has 8 pieces, but the model knows only 7"):
        save_pretrained(model_of(BEFORE, vocab_size=7), tmp_path / "new", NEW)
    assert seen(tmp_path) == before


class PowerCut(BaseException):
    """Nothing after it happens, as after SIGKILL."""


@pytest.mark.slow
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PowerCut()])
def test_whatever_fails_the_folder_holds_one_whole_model(tmp_path, monkeypatch, error):
    """Let each operation on files fail in its turn, alone or with all that follow."""
    committed = []
    while True:
        folder, calls, number = tmp_path / str(len(committed)), itertools.count(), len(committed)
        save_pretrained(model_of(BEFORE), folder, OLD)
        (folder / "tokenizer.json").write_text("{}")
        before = seen(folder)
        del before[folder]

        def failing(function, calls=calls, number=number):
            def operation(*arguments, **keywords):
                call = next(calls)
                if call == number or (call > number and isinstance(error, PowerCut)):
                    raise error
                return function(*arguments, **keywords)

            return operation

        with monkeypatch.context() as patched:
            for owner, name in OPERATIONS:
                patched.setattr(owner, name, failing(getattr(owner, name)))
            try:
                save_pretrained(model_of(AFTER), folder, NEW)
                break
            except (OSError, PowerCut) as caught:
                message = caught
        committed.append((folder / saving.SAVED).exists())
        if isinstance(error, OSError):
            assert "No space left on device" in in_our_words(message)
            assert committed[-1] == ("a complete model lies in" in str(message))
        assert committed[-1] or before.items() <= seen(folder).items()
        one_whole_model(folder)
        save_pretrained(model_of(AFTER), folder, NEW)
        assert sorted(os.listdir(folder)) == NAMES
        assert one_whole_model(folder) == AFTER
    assert committed.count(True) > 5 and committed.count(False) > 15


@pytest.mark.parametrize("shards", [True, False])
@pytest.mark.parametrize("moved", range(5))
def test_what_an_interrupted_saving_has_left_is_read_there(tmp_path, monkeypatch, moved, shards):
    their_folder(tmp_path, seed=3, **({"max_shard_size": "7KB"} if shards else {}))
    assert (tmp_path / INDEX).exists() == shards
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS), encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(saving, "finish_saving", lambda folder: None)
        save_pretrained(model_of(AFTER), tmp_path, NEW)
    if moved:
        for path in tmp_path.glob("model*.safetensors*"):
            path.unlink()  # of another model; they go first
    for name in saving.FILES[:moved]:
        os.replace(tmp_path / saving.SAVED / name, tmp_path / name)
    before = seen(tmp_path)
    assert one_whole_model(tmp_path) == AFTER
    assert seen(tmp_path) == before


def query(model):
    return model.encoder.layer[0].attention.self.query


# What is done to a model, what the message says, and what makes it loadable again, if it says so.
UNLOADABLE = {
    "pruned": (
        lambda m: prune.l1_unstructured(query(m), "weight", amount=0.5),
        ["query.weight_mask can be read by no BERT", "prune.remove(module, 'weight')"],
        lambda m: prune.remove(query(m), "weight"),
    ),
    "a parametrization": (
        lambda m: parametrizations.weight_norm(query(m)),
        ["weight.original0, ", "parametrize.remove_parametrizations(module, 'weight')"],
        lambda m: parametrize.remove_parametrizations(query(m), "weight"),
    ),
    "no number": (
        lambda m: m.pooler.dense.bias.data[1].fill_(torch.nan),
        ["pooler.dense.bias hold numbers that are not finite"], None,
    ),
    "several types": (
        lambda m: m.pooler.half(), ["pooler.dense.bias is torch.float16; convert the model"], None,
    ),
    "no numbers": (lambda m: m.to("meta"), ["are on the meta device, sizes without numb"], None),
    "compiled": (lambda m: torch.compile(m, backend="eager"), ["model._orig_mod"], None),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "words", "mend"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_what_could_not_be_loaded_again_is_not_saved(tmp_path, spoil, words, mend):
    model = model_of(BEFORE)
    spoiled = spoil(model)
    with pytest.raises(ValueError, match=r"Make them|meta device|not finite|of one") as caught:
        save_pretrained(spoiled if hasattr(spoiled, "_orig_mod") else model, tmp_path / "new")
    assert all(part in in_our_words(caught.value) for part in words)
    assert not list(tmp_path.iterdir())
    if mend:
        mend(model)
        save_pretrained(model, tmp_path)
        assert torch.equal(query(load_pretrained(BertModel, tmp_path)).weight, query(model).weight)
