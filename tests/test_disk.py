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

TENSORS = {"weight": torch.zeros(3)}


@pytest.fixture(params=["file", "folder"])
def write(request):
    """Two ways to fill a draft."""

    def write(draft, text):
        if request.param == "folder":
            draft.mkdir()
            draft = draft / "content"
        draft.write_text(text)

    return write


@pytest.mark.parametrize("failing", ["", "interrupt", "fsync", "replace"])
def test_a_file_is_replaced_in_one_step_and_a_failure_leaves_the_old(
    tmp_path, monkeypatch, write, failing
):
    path = tmp_path / "vocab.txt"

    def full(*arguments):
        raise OSError(28, "No space left on device")

    def replace():
        with atomic_write(path) as draft:
            write(draft, "new")
            assert draft == disk.tmp_path(path) and draft.parent == tmp_path
            assert not failing or path.read_text() == "old"
            if failing == "interrupt":
                raise KeyboardInterrupt

    if not failing:
        replace()
        assert (path / "content" if path.is_dir() else path).read_text() == "new"
    else:
        path.write_text("old")
        if hasattr(os, failing):
            monkeypatch.setattr(os, failing, full)
        with pytest.raises((KeyboardInterrupt, OSError)):
            replace()
        assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["vocab.txt"]


def test_what_a_killed_process_has_left_is_cleared_away(tmp_path, write):
    path, outside = tmp_path / "vocab.txt", tmp_path / "outside"
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


def test_everything_reaches_the_disk_before_it_takes_its_place_and_then_its_name(
    tmp_path, monkeypatch
):
    events = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, n=name, r=real: (events.append(n), r(*a)))
    write_checkpoint(tmp_path, Checkpoint(TENSORS, TENSORS, {"step": 1}, []))
    files, folders = 3, 1 if os.name != "nt" else 0
    assert events == [*["fsync"] * (files + folders), "replace", *["fsync"] * folders]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no umask")
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_the_umask_alone_says_who_may_read(tmp_path, umask):
    folder, before = tmp_path / "run", os.umask(umask)
    try:
        folder.mkdir()
        tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "cat"])
        tokenizer.save(folder / "vocab.txt")
        save_pretrained(build(SMALL, dtype=torch.float32), folder / "bert", tokenizer)
        write_checkpoint(folder, Checkpoint(TENSORS, TENSORS, {"step": 1}, [], TENSORS))
        HistoryFile(folder / "history.jsonl", [{"step": 1}])
        write_plan(folder, {})
    finally:
        os.umask(before)
    paths = sorted(folder.rglob("*"))
    assert sum(path.is_file() for path in paths) == 11
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o777 if path.is_dir() else 0o666) & ~umask, path


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_is_garbled_is_told_with_its_line_and_line_ends_and_marks_are_no_text(tmp_path, mark):
    path = tmp_path / "latin.txt"
    path.write_bytes(mark + b"une\r\n\r\n  deux \r trois\r\n")
    assert read_text(str(path)) == "une\n\n  deux \r trois\n"
    path.write_bytes(mark + b"one\ntwo\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"line 3 of '.*latin\.txt' .* \(byte 0xe9\); open the"):
        read_text(path)
    with pytest.raises(ValueError, match=r"\(byte 0xe9\); look again"):
        read_text(path, if_garbled="look again")
    assert decode_line("né\n".encode(), 7, "novel.txt") == "né\n"
    with pytest.raises(ValueError, match=r"line 7 of 'novel\.txt' is not UTF-8 \(byte 0xe9\)"):
        decode_line(b"n\xe9\n", 7, "novel.txt")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        read_text(tmp_path)
    for options, words in (({}, "check the name and"), ({"if_missing": "ask"}, "ask")):
        with pytest.raises(FileNotFoundError, match=rf"there is no file .*; {words}"):
            read_text(tmp_path / "nowhere.txt", **options)
