"""Files that are written whole or not at all, and that others may read if the umask allows it."""

import os
import stat
import sys

import pytest
import torch
from bert_pairs import SMALL, build

from berttools.pretrain.plan import write_plan
from minibert import disk
from minibert.disk import atomic_write, remove
from minibert.loading import save_pretrained
from minibert.text_files import decode_line, read_text
from minibert.training.checkpoint import Checkpoint, write_checkpoint
from minibert.training.history import HistoryFile
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer


@pytest.fixture(params=["file", "folder"])
def write(request):
    """Two ways to fill a draft, and to read what it has become."""

    def write(draft, text):
        if request.param == "folder":
            draft.mkdir()
            draft = draft / "content"
        draft.write_text(text)

    return write


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("old")
    with atomic_write(path) as draft:
        draft.write_text("new")
        assert draft == disk.tmp_path(path) and draft.parent == tmp_path
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["vocab.txt"]


@pytest.mark.parametrize("failing", [KeyboardInterrupt, "fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch, write, failing):
    path = tmp_path / "vocab.txt"
    path.write_text("old")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    def fail():
        with atomic_write(path) as draft:
            write(draft, "half")
            if isinstance(failing, type):
                raise failing

    if isinstance(failing, str):
        monkeypatch.setattr(os, failing, full)
    with pytest.raises(failing if isinstance(failing, type) else OSError):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["vocab.txt"]


def test_what_a_killed_process_has_left_is_cleared_away(tmp_path, write):
    path = tmp_path / "vocab.txt"
    outside = tmp_path / "outside"
    outside.write_text("mine")
    for leave in (
        lambda draft: draft.write_text("half"),
        lambda draft: draft.mkdir(),
        lambda draft: draft.symlink_to(outside),
    ):
        leave(disk.tmp_path(path))
        with atomic_write(path) as draft:
            write(draft, "new")
        assert (path / "content" if path.is_dir() else path).read_text() == "new"
        remove(path)
    assert outside.read_text() == "mine"


def test_everything_reaches_the_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    events = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, n=name, r=real: (events.append(n), r(*a)))
    with atomic_write(tmp_path / "folder") as draft:
        draft.mkdir()
        for name in ("one", "two"):
            (draft / name).write_text(name)
    files, folders = 2, 1 if os.name != "nt" else 0
    assert events == ["fsync"] * (files + folders) + ["replace"]


def write_everything(folder):
    """Write every kind of file that the package leaves in a folder."""
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "cat"])
    tokenizer.save(folder / "vocab.txt")
    save_pretrained(build(SMALL, dtype=torch.float32), folder / "bert", tokenizer)
    tensors = {"weight": torch.zeros(3)}
    write_checkpoint(folder, Checkpoint(tensors, tensors, {"step": 1}, [], tensors))
    HistoryFile(folder / "history.jsonl", [{"step": 1}])
    write_plan(folder, {})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no umask")
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_the_umask_alone_says_who_may_read(tmp_path, umask):
    before = os.umask(umask)
    try:
        (tmp_path / "run").mkdir()
        write_everything(tmp_path / "run")
    finally:
        os.umask(before)
    paths = sorted((tmp_path / "run").rglob("*"))
    assert sum(path.is_file() for path in paths) == 11
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o777 if path.is_dir() else 0o666) & ~umask, path


def test_lines_end_alike_and_the_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbfune\r\n\r\n  deux \r trois\r\n")
    assert read_text(str(path)) == "une\n\n  deux \r trois\n"
    assert decode_line("né\n".encode(), 7, "novel.txt") == "né\n"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_is_garbled_is_told_with_its_line(tmp_path, mark):
    path = tmp_path / "latin.txt"
    path.write_bytes(mark + b"one\ntwo\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"line 3 of '.*latin\.txt' .* \(byte 0xe9\); open the"):
        read_text(path)
    with pytest.raises(ValueError, match=r"\(byte 0xe9\); look again"):
        read_text(path, if_garbled="look again")
    with pytest.raises(ValueError, match=r"line 7 of 'novel\.txt' is not UTF-8 \(byte 0xe9\)"):
        decode_line(b"n\xe9\n", 7, "novel.txt")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        read_text(tmp_path)
    path = tmp_path / "nowhere.txt"
    with pytest.raises(FileNotFoundError, match=r"there is no file .*; check the name and"):
        read_text(path)
    with pytest.raises(FileNotFoundError, match=r"there is no file .*; ask elsewhere"):
        read_text(path, if_missing="ask elsewhere")
