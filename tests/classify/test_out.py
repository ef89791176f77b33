"""`predict --out` with everything that a path can be: nothing but an old answer file is lost."""

import os
import stat
import threading
from pathlib import Path

import pytest
from small_classifier import classify, write_table

HEAD = "line,answer,probability,guess,text\n"
ROWS = [["My bill is wrong", "Billing"], ["my router does nothing", "Hardware"]]


def device(path):
    """Make a node that swallows what is written, as /dev/null does."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.open("wb").close()
    except (OSError, AttributeError) as error:
        pytest.skip(f"no device can be made here: {error}")


def pipe(path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(path)


def dangling(path):
    path.symlink_to(path.with_name("target.csv"))


def link_to(name, content):
    def make(path):
        path.with_name(name).write_text(content)
        path.symlink_to(name)

    return make


# Each makes a thing at a path beside the table; and what the command says: None if it succeeds.
KINDS = {
    "absent": (lambda path: None, None),
    "empty": (lambda path: path.touch(), None),
    "answers": (lambda path: path.write_text(HEAD + "2,old,1.0000,old,old\n"), None),
    "another file": (lambda path: path.write_text("mine\n"), "holds something else already"),
    "hard link to the input": (lambda path: path.hardlink_to(path.with_name("table.csv")), "read"),
    "link to the input": (lambda path: path.symlink_to("table.csv"), "which is read"),
    "link to answers": (link_to("old.csv", HEAD), None),
    "link to another file": (link_to("old.csv", "mine\n"), "holds something else already"),
    "dangling link": (dangling, None),
    "link to itself": (lambda path: path.symlink_to(path.name), "symbolic links"),
    "link into a missing folder": (lambda path: path.symlink_to("no/a.csv"), "there is none"),
    "pipe": (pipe, None),
    "device": (device, None),
    "folder": (lambda path: path.mkdir(), "is a folder; name a file"),
    "link to a folder": (lambda path: path.symlink_to("kept"), "is a folder; name a file"),
}  # fmt: skip
SPELLINGS = {
    "whole": lambda path: str(path),
    "relative": lambda path: path.name,
    "by way of its folder": lambda path: f"../{path.parent.name}/./{path.name}",
}


def things_in(folder):
    """Describe all that lies in a folder: of each name its type, and what it holds or leads to."""
    told = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = path.read_bytes() if stat.S_ISREG(mode) else None
        content = os.readlink(path) if stat.S_ISLNK(mode) else content
        told[str(path.relative_to(folder))] = stat.S_IFMT(mode), content
    return told


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table and with what has nothing to do with it; the commands run there."""
    folder = tmp_path / "here"
    (folder / "kept").mkdir(parents=True)
    (folder / "kept" / "letter.txt").write_text("mine")
    write_table(folder / "table.csv", ROWS, ("text", "label"))
    monkeypatch.chdir(folder)
    return folder


def read_from(path):
    """Read a pipe in the background; the list has its content when the thread has ended."""
    read = []
    thread = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    thread.start()
    return thread, read


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_loses_its_type_or_its_content(finished, place, capsys, kind, spelling):
    make, told = KINDS[kind]
    path = place / "out.csv"
    make(path)
    before = things_in(place)
    thread, read = read_from(path) if kind == "pipe" else (None, None)
    capsys.readouterr()
    typed = SPELLINGS[spelling](path)
    status = classify("predict", finished, "table.csv", "--out", typed)
    said, after = capsys.readouterr(), things_in(place)
    assert classify("predict", finished, "table.csv") == 0
    answers = capsys.readouterr().out.encode()
    if told:
        assert (status, after) == (1, before)
        assert said.err.startswith(f"error: {typed!r}") and told in said.err
        assert len(said.err.splitlines()) == 1
        return
    assert status == 0 and said.out.endswith(f"2 answers are in {typed!r}.\n")
    if kind in ("pipe", "device"):
        assert after == before
        if thread:
            thread.join(20)
            assert read == [answers]
        return
    written = os.path.relpath(os.path.realpath(path), place)
    assert after == before | {written: (stat.S_IFREG, answers)}


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("table.csv", "is 'table.csv', which is read; name another file"),
        ("no/a.csv", "needs a folder 'no', and there is none"),
        ("table.csv/a.csv", "needs a folder 'table.csv', and there is none"),
        ("new/", "is a folder"),
        ("", "is a folder"),
    ],
)
def test_what_cannot_be_written_is_named_as_it_was_typed(finished, place, capsys, typed, told):
    before = things_in(place)
    assert classify("predict", finished, "table.csv", "--out", typed) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: {typed!r}") and told in said
    assert things_in(place) == before


def test_a_full_disk_leaves_the_old_answers_and_names_the_file(
    finished, place, capsys, monkeypatch
):
    Path("out.csv").write_text(HEAD)
    before = things_in(place)

    def full(*_):
        raise OSError(28, "No space left on device", "hidden")

    monkeypatch.setattr(os, "fsync", full)
    assert classify("predict", finished, "table.csv", "--out", "out.csv") == 1
    assert capsys.readouterr().err == "error: 'out.csv': No space left on device\n"
    assert things_in(place) == before
