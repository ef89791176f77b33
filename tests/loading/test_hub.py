"""A name instead of a folder goes to the Hub, through a package that may be absent or offline."""

import shutil
import sys
from types import ModuleType

import pytest
from saved_folders import in_our_words, same_weights, small_folder

from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.model import BertModel
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Stand in an empty folder, where no name is that of a folder."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Stand in for huggingface_hub: keep one model, note what is asked for."""
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


@pytest.mark.parametrize("load", [lambda name: load_pretrained(BertModel, name), load_tokenizer])
def test_without_the_package(monkeypatch, load):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(FileNotFoundError, match="pip install huggingface_hub") as caught:
        load("bert-base-uncased")
    assert "there is no folder 'bert-base-uncased'" in in_our_words(caught.value)


@pytest.mark.parametrize("error", [OSError("no route\nmuch more"), KeyError()])
def test_when_it_cannot_be_fetched(hub, error):
    hub.folder = error
    with pytest.raises(FileNotFoundError, match="check the name and the connection") as caught:
        load_pretrained(BertModel, "bert-base-uncased")
    message = in_our_words(caught.value)
    assert type(error).__name__ in message and "much more" not in message


def test_the_real_package_offline(monkeypatch, tmp_path):
    constants = pytest.importorskip("huggingface_hub", reason="huggingface_hub is absent").constants
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(FileNotFoundError, match="could be fetched from the") as caught:
        load_pretrained(BertModel, "nobody/no-such-model")
    in_our_words(caught.value)
