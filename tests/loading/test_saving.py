"""A saving that fails or is killed at any moment leaves the old model or the new one, whole."""

import itertools
import os

import pytest
import safetensors.torch
import torch
from bert_pairs import build, draw_config
from saved_folders import INDEX, in_our_words, same_weights, their_folder
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from minibert import disk
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading import save as saving
from minibert.loading.files import SAVED
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


def seen(folder):
    """Look at everything in a folder: what it is, what is in it, when it was changed."""
    return {
        path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in [folder, *folder.rglob("*")]
    }


def interrupt_saving(folder, monkeypatch, moved):
    """Save a model; stop when some of its files have taken their places."""
    new = model_of(1, intermediate_size=11)
    with monkeypatch.context() as patched:
        patched.setattr(saving, "finish_saving", lambda folder: None)
        save_pretrained(new, folder, NEW)
    if moved:
        for path in folder.glob("model*.safetensors*"):
            path.unlink()  # of another model; they go first
    for name in saving.FILES[:moved]:
        os.replace(folder / SAVED / name, folder / name)
    return new


@pytest.mark.parametrize("shards", [True, False])
@pytest.mark.parametrize("moved", range(5))
def test_what_an_interrupted_saving_has_left_is_read_there(tmp_path, monkeypatch, moved, shards):
    their_folder(tmp_path, seed=3, **({"max_shard_size": "7KB"} if shards else {}))
    assert (tmp_path / INDEX).exists() == shards
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS), encoding="utf-8")
    new = interrupt_saving(tmp_path, monkeypatch, moved)
    before = seen(tmp_path)
    same_weights(load_pretrained(BertModel, tmp_path), new)
    tokenizer = load_tokenizer(tmp_path)
    assert seen(tmp_path) == before
    assert tokenizer.pieces == NEW.pieces and not tokenizer.do_lower_case


def test_a_link_in_that_place_is_not_followed(tmp_path, monkeypatch):
    old = model_of(0)
    save_pretrained(old, tmp_path / "model")
    interrupt_saving(tmp_path / "other", monkeypatch, 0)
    (tmp_path / "model" / SAVED).symlink_to(tmp_path / "other" / SAVED)
    same_weights(load_pretrained(BertModel, tmp_path / "model"), old)


def query(model):
    return model.encoder.layer[0].attention.self.query


def not_saved(model, folder):
    """Return the message; the folder must be what it was."""
    before = sorted(folder.parent.rglob("*"))
    words = "Make them final|meta device|not finite|of one type"
    with pytest.raises(ValueError, match=words) as caught:
        save_pretrained(model, folder)
    assert sorted(folder.parent.rglob("*")) == before
    return in_our_words(caught.value)


# What is done to a model, what the message says, and what makes it loadable again, if it says so.
UNLOADABLE = {
    "pruned": (
        lambda m: prune.l1_unstructured(query(m), "weight", amount=0.5),
        ["query.weight_mask can be read by no BERT", "prune.remove(module, 'weight')"],
        lambda m: prune.remove(query(m), "weight"),
    ),
    "a pruned bias": (
        lambda m: prune.random_unstructured(query(m), "bias", amount=1), ["query.bias_mask"], None,
    ),
    "a parametrization": (
        lambda m: parametrizations.weight_norm(query(m)),
        ["weight.original0, ", "parametrize.remove_parametrizations(module, 'weight')"],
        lambda m: parametrize.remove_parametrizations(query(m), "weight"),
    ),
    "weight_norm": (
        lambda m: torch.nn.utils.weight_norm(query(m)), ["torch.nn.utils.remove_weight_norm(mod"],
        lambda m: torch.nn.utils.remove_weight_norm(query(m)),
    ),
    "spectral_norm": (
        lambda m: torch.nn.utils.spectral_norm(query(m)), ["nn.utils.remove_spectral_norm(module)"],
        lambda m: torch.nn.utils.remove_spectral_norm(query(m)),
    ),
    "no number": (
        lambda m: m.pooler.dense.bias.data[1].fill_(torch.nan),
        ["pooler.dense.bias hold numbers that are not finite"], None,
    ),
    "several types": (
        lambda m: m.pooler.half(), ["pooler.dense.bias is torch.float16; convert the model"], None,
    ),
    "no numbers": (lambda m: m.to("meta"), ["are on the meta device, sizes without numb"], None),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
@pytest.mark.parametrize(("spoil", "words", "mend"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_what_could_not_be_loaded_again_is_not_saved(tmp_path, spoil, words, mend):
    model = model_of(0)
    spoil(model)
    refusal = not_saved(model, tmp_path / "new")
    assert all(part in refusal for part in words)
    if mend:
        mend(model)
        save_pretrained(model, tmp_path)
        assert torch.equal(query(load_pretrained(BertModel, tmp_path)).weight, query(model).weight)


def test_a_compiled_model(tmp_path):
    model = torch.compile(model_of(0), backend="eager")
    assert "model._orig_mod" in not_saved(model, tmp_path)
    save_pretrained(model._orig_mod, tmp_path)
