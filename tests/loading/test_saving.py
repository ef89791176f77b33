"""A saving that fails or is killed at any moment leaves the old model or the new one, whole."""

import itertools
import os

import pytest
import safetensors.torch
import torch
from bert_pairs import build, draw_config
from saved_folders import in_our_words, same_weights, their_folder
from torch import nn

from minibert import disk
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading import save as saving
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM
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


def model_of(seed, **changes):
    return build(draw_config(3, **changes), seed, torch.float32)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_new_model_takes_the_place_of_the_old_one_and_leaves_other_files(tmp_path):
    save_pretrained(model_of(0), tmp_path, OLD)
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "step-00000001").mkdir()
    new = model_of(1, intermediate_size=11)
    save_pretrained(new, tmp_path, NEW)
    same_weights(load_pretrained(BertModel, tmp_path), new)
    assert load_tokenizer(tmp_path).pieces == NEW.pieces
    assert sorted(os.listdir(tmp_path)) == ["README.md", *NAMES[:2], "step-00000001", *NAMES[2:]]
    save_pretrained(new, tmp_path)  # without a tokenizer that of the folder stays
    assert load_tokenizer(tmp_path).pieces == NEW.pieces


def test_what_would_be_read_instead_goes(tmp_path):
    their_folder(tmp_path, seed=3, max_shard_size="7KB")
    for name in ("tokenizer.json", "special_tokens_map.json", "added_tokens.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "model-of-mine.safetensors").write_text("mine")
    new = model_of(1)
    save_pretrained(new, tmp_path)
    assert not list(tmp_path.glob("model-0*")) and not list(tmp_path.glob("*index*"))
    assert (tmp_path / "tokenizer.json").exists()  # no tokenizer was saved
    save_pretrained(new, tmp_path, NEW)
    assert sorted(os.listdir(tmp_path)) == [NAMES[0], "model-of-mine.safetensors", *NAMES[1:]]
    same_weights(load_pretrained(BertModel, tmp_path), new)


def test_a_model_can_be_saved_where_it_is_mapped_from(tmp_path):
    save_pretrained(model_of(0), tmp_path)
    model = load_pretrained(BertModel, tmp_path)
    with torch.no_grad():
        model.pooler.dense.bias.fill_(3)
    save_pretrained(model, tmp_path)
    again = load_pretrained(BertModel, tmp_path)
    same_weights(again, model)
    assert again.pooler.dense.bias[0] == 3 and again.pooler.dense.weight.any()


def test_links_are_replaced_and_not_followed(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    save_pretrained(model_of(0), outside, OLD)
    before = content(outside)
    folder.mkdir()
    for name in NAMES:
        (folder / name).symlink_to(outside / name)
    (folder / saving.TEMPORARY).symlink_to(outside)
    (folder / saving.SAVED).symlink_to(outside)
    same_weights(load_pretrained(BertModel, folder), model_of(0))  # reading follows them
    save_pretrained(model_of(1), folder, NEW)
    assert content(outside) == before
    assert sorted(os.listdir(folder)) == NAMES
    assert not any((folder / name).is_symlink() for name in NAMES)
    same_weights(load_pretrained(BertModel, folder), model_of(1))


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_in_the_place_of_a_file(tmp_path, name):
    save_pretrained(model_of(0), tmp_path, OLD)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    before = content(tmp_path)
    with pytest.raises(OSError, match=f"{name} is a folder there"):
        save_pretrained(model_of(1), tmp_path, NEW)
    assert content(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_and_what_is_no_bert(tmp_path):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(OSError, match="could not be saved") as caught:
            save_pretrained(model_of(0), path)
        in_our_words(caught.value)
    with pytest.raises(TypeError, match="Linear without a BertConfig"):
        save_pretrained(nn.Linear(2, 2), tmp_path)
    with pytest.raises(ValueError, match="has 8 pieces, but the model knows only 7"):
        save_pretrained(model_of(0, vocab_size=7), tmp_path / "new", NEW)
    assert not (tmp_path / "new").exists()


class PowerCut(BaseException):
    """Nothing after it happens, as after SIGKILL."""


@pytest.mark.slow
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PowerCut()])
def test_whatever_fails_the_folder_holds_one_whole_model(tmp_path, monkeypatch, error):
    """Let each operation on files fail in its turn, alone or with all that follow."""
    old, new = model_of(0), model_of(1, intermediate_size=11)
    committed = []
    while True:
        folder, calls, number = tmp_path / str(len(committed)), itertools.count(), len(committed)
        save_pretrained(old, folder, OLD)
        (folder / "tokenizer.json").write_text("{}")
        before = content(folder)

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
                save_pretrained(new, folder, NEW)
                break
            except (OSError, PowerCut) as caught:
                message = caught
        committed.append((folder / saving.SAVED).exists())
        if isinstance(error, OSError):
            assert "No space left on device" in in_our_words(message)
            assert committed[-1] == ("a complete model lies in" in str(message))
        assert committed[-1] or before.items() <= content(folder).items()
        one_whole_model(folder, old, new)
        save_pretrained(new, folder, NEW)
        assert sorted(os.listdir(folder)) == NAMES
        assert one_whole_model(folder, old, new) is new
    assert committed.count(True) > 5 and committed.count(False) > 15


def one_whole_model(folder, old, new):
    """Load a folder, and fail unless weights, configuration and tokenizer belong together."""
    model, tokenizer = load_pretrained(BertModel, folder), load_tokenizer(folder)
    is_new = model.config == new.config
    same_weights(model, new if is_new else old)
    expected = NEW if is_new else OLD
    assert tokenizer.pieces == expected.pieces
    assert tokenizer.do_lower_case == expected.do_lower_case
    return new if is_new else old


def test_fills_no_second_memory(tmp_path, monkeypatch):
    model = build(draw_config(3), 0, torch.float32, BertForMaskedLM)
    places = {tensor.data_ptr() for tensor in model.state_dict().values()}

    def watched(tensors, *arguments, **keywords):
        assert {tensor.data_ptr() for tensor in tensors.values()} <= places
        return safetensors.torch.save_file(tensors, *arguments, **keywords)

    monkeypatch.setattr(saving, "save_file", watched)
    save_pretrained(model, tmp_path)
