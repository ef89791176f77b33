"""A saving that fails or is killed at any moment leaves the old model or the new one, whole."""

import json
import os
import subprocess
import sys

import pytest
import safetensors.torch
import torch
from bert_pairs import build, draw_config
from effort import mostly_slow
from saved_folders import in_our_words, same_weights, their_folder
from torch import nn

from minibert import disk
from minibert.model import BertModel
from minibert.pretrained import load_pretrained, load_tokenizer, save_pretrained, saving
from minibert.pretraining import BertForMaskedLM
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

NAMES = ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"]
OLD = WordPieceTokenizer([*SPECIAL_TOKENS, "old", "cat"])
NEW = WordPieceTokenizer([*SPECIAL_TOKENS, "New", "Dog", "##s"], do_lower_case=False)


def model_of(seed, **changes):
    return build(draw_config(3, **changes), seed, torch.float32)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_four_files_and_nothing_else_and_the_same_bytes_each_time(tmp_path):
    for folder in (tmp_path / "a" / "b", tmp_path / "two"):
        save_pretrained(model_of(0), folder, OLD)
        assert sorted(os.listdir(folder)) == NAMES
    assert os.listdir(tmp_path / "a") == ["b"]
    for name in ("config.json", "tokenizer_config.json"):
        assert (folder / name).read_bytes().endswith(b"}\n")
    assert content(tmp_path / "a" / "b") == content(folder)


def test_a_new_model_takes_the_place_of_the_old_one_and_leaves_other_files(tmp_path):
    save_pretrained(model_of(0), tmp_path, OLD)
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "step-00000001").mkdir()
    new = model_of(1, intermediate_size=11)
    save_pretrained(new, tmp_path, NEW)
    same_weights(load_pretrained(BertModel, tmp_path), new)
    assert load_tokenizer(tmp_path).pieces == NEW.pieces
    assert sorted(os.listdir(tmp_path)) == ["README.md", *NAMES[:2], "step-00000001", *NAMES[2:]]


def test_without_tokenizer_that_of_the_folder_stays(tmp_path):
    save_pretrained(model_of(0), tmp_path, OLD)
    save_pretrained(model_of(1), tmp_path)
    assert load_tokenizer(tmp_path).pieces == OLD.pieces


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
    assert again.pooler.dense.bias[0] == 3
    assert not torch.equal(again.pooler.dense.weight, torch.zeros_like(again.pooler.dense.weight))


def test_parts_of_a_tensor_are_saved_in_one_piece(tmp_path):
    model = model_of(0)
    weight = model.pooler.dense.weight.detach()
    model.pooler.dense.weight = nn.Parameter(weight.T)
    save_pretrained(model, tmp_path)
    assert torch.equal(load_pretrained(BertModel, tmp_path).pooler.dense.weight, weight.T)


def test_links_are_replaced_and_not_followed(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    save_pretrained(model_of(0), outside, OLD)
    before = content(outside)
    folder.mkdir()
    for name in NAMES:
        (folder / name).symlink_to(outside / name)
    (folder / saving.DRAFT).symlink_to(outside)
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
    assert len(os.listdir(tmp_path)) == 4


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


def failing_writes(monkeypatch, number):
    """Let one of the operations on files fail, as on a full disk; say how many there were."""
    count = iter(range(10**6))

    def failing(function):
        def operation(*arguments, **keywords):
            if next(count) == number:
                raise OSError(28, "No space left on device")
            return function(*arguments, **keywords)

        return operation

    for owner, name in [
        (saving, "save_file"), (saving, "sync"), (disk, "sync"), (saving.Path, "mkdir"),
        (saving.Path, "write_text"), (saving.Path, "chmod"), (saving.Path, "touch"),
        (saving.Path, "unlink"), (os, "replace"), (WordPieceTokenizer, "save"),
        (saving.shutil, "rmtree"),
    ]:  # fmt: skip
        monkeypatch.setattr(owner, name, failing(getattr(owner, name)))
    return count


OPERATIONS = 31
EACH_ONCE = sorted(range(OPERATIONS), key=lambda n: n % 5)


@pytest.mark.parametrize("number", mostly_slow(EACH_ONCE, quick=5))
def test_whatever_fails_the_folder_holds_one_whole_model(tmp_path, monkeypatch, number):
    old, new = model_of(0), model_of(1, intermediate_size=11)
    save_pretrained(old, tmp_path, OLD)
    (tmp_path / "tokenizer.json").write_text("{}")
    before = content(tmp_path)
    with monkeypatch.context() as patched:
        failing_writes(patched, number)
        with pytest.raises(OSError, match="No space left on device") as caught:
            save_pretrained(new, tmp_path, NEW)
        told = in_our_words(caught.value)
    committed = (tmp_path / saving.SAVED).exists()
    assert committed == ("a complete model lies in" in told)
    assert committed or content(tmp_path) == before
    one_whole_model(tmp_path, old, new)
    save_pretrained(new, tmp_path, NEW)
    assert sorted(os.listdir(tmp_path)) == NAMES
    assert one_whole_model(tmp_path, old, new) is new


def test_no_operation_is_left_out_above(tmp_path, monkeypatch):
    save_pretrained(model_of(0), tmp_path, OLD)
    (tmp_path / "tokenizer.json").write_text("{}")
    count = failing_writes(monkeypatch, -1)
    save_pretrained(model_of(1, intermediate_size=11), tmp_path, NEW)
    assert next(count) == OPERATIONS


def one_whole_model(folder, old, new):
    """Load a folder, and fail unless weights, configuration and tokenizer belong together."""
    model, tokenizer = load_pretrained(BertModel, folder), load_tokenizer(folder)
    is_new = model.config == new.config
    same_weights(model, new if is_new else old)
    expected = NEW if is_new else OLD
    assert tokenizer.pieces == expected.pieces
    assert tokenizer.do_lower_case == expected.do_lower_case
    return new if is_new else old


KILLED = """
import os, signal, sys
sys.path[:0] = {path!r}
from test_saving import NEW, OLD, model_of, save_pretrained
old, new = model_of(0), model_of(1, intermediate_size=11)
KINDS = {{"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}}
def save_until(moment, folder):
    count = 0
    def watch(event, arguments):
        nonlocal count
        if event in KINDS and folder in str(arguments[0]):
            count += 1
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(watch)
    save_pretrained(new, folder, NEW)
    os._exit(0)
for moment in range(1, 100):
    folder = os.path.join({folder!r}, str(moment))
    save_pretrained(old, folder, OLD)
    open(os.path.join(folder, "tokenizer.json"), "w").close()
    if not (child := os.fork()):
        save_until(moment, folder)
    if os.waitpid(child, 0)[1] == 0:
        break
print(moment)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork a process")
def test_killed_at_every_operation(tmp_path):
    program = KILLED.format(path=sys.path, folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    moments = int(done.stdout)
    assert 15 < moments < 99
    old, new = model_of(0), model_of(1, intermediate_size=11)
    found = [one_whole_model(tmp_path / str(n), old, new) is new for n in range(1, moments + 1)]
    assert found == sorted(found)  # the old one up to a moment, the new one from then on
    assert not found[0] and found.count(True) > 3


def test_fills_no_second_memory(tmp_path, monkeypatch):
    model = build(draw_config(3), 0, torch.float32, BertForMaskedLM)
    places = {tensor.data_ptr() for tensor in model.state_dict().values()}

    def watched(tensors, *arguments, **keywords):
        assert {tensor.data_ptr() for tensor in tensors.values()} <= places
        return safetensors.torch.save_file(tensors, *arguments, **keywords)

    monkeypatch.setattr(saving, "save_file", watched)
    save_pretrained(model, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["vocab_size"] > 0
