"""Opening a folder changes nothing in it, not even what an interrupted saving has left."""

import os

import pytest
from bert_pairs import build, draw_config
from saved_folders import INDEX, same_weights, their_folder

from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading import save as saving
from minibert.loading.files import SAVED
from minibert.model import BertModel
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

TOKENIZER = WordPieceTokenizer([*SPECIAL_TOKENS, "New", "Dog"], do_lower_case=False)


def seen(folder):
    """Look at everything in a folder: what it is, what is in it, when it was changed."""
    return {
        path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in [folder, *folder.rglob("*")]
    }


def interrupt_saving(folder, monkeypatch, moved):
    """Save a model; stop when some of its files have taken their places."""
    new = build(draw_config(3, intermediate_size=11), 1)
    with monkeypatch.context() as patched:
        patched.setattr(saving, "finish_saving", lambda folder: None)
        save_pretrained(new, folder, TOKENIZER)
    if moved:
        for path in folder.glob("model*.safetensors*"):
            path.unlink()  # of another model; they go first
    for name in saving.FILES[:moved]:
        os.replace(folder / SAVED / name, folder / name)
    return new


@pytest.mark.parametrize("shards", [True, False])
@pytest.mark.parametrize("moved", range(5))
def test_what_an_interrupted_saving_has_left_is_read_where_it_is(
    tmp_path, monkeypatch, moved, shards
):
    their_folder(tmp_path, seed=3, **({"max_shard_size": "7KB"} if shards else {}))
    assert (tmp_path / INDEX).exists() == shards
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS), encoding="utf-8")
    new = interrupt_saving(tmp_path, monkeypatch, moved)
    before = seen(tmp_path)
    same_weights(load_pretrained(BertModel, tmp_path), new)
    tokenizer = load_tokenizer(tmp_path)
    assert seen(tmp_path) == before
    assert tokenizer.pieces == TOKENIZER.pieces and not tokenizer.do_lower_case


def test_a_link_in_that_place_is_not_followed(tmp_path, monkeypatch):
    old = build(draw_config(3), 0)
    save_pretrained(old, tmp_path / "model")
    interrupt_saving(tmp_path / "other", monkeypatch, 0)
    (tmp_path / "model" / SAVED).symlink_to(tmp_path / "other" / SAVED)
    same_weights(load_pretrained(BertModel, tmp_path / "model"), old)
