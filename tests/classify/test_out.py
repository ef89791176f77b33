"""What is written to everything that a path can be: nothing but an old answer file is lost."""

import os
import stat
import threading

import pytest

from berttools.cli.failures import sentence_of
from berttools.cli.files import write_output

HEAD, ANSWERS = "line,answer\n", "line,answer\n2,ä\n"


def pipe(path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(path)


def link_to(name, content):
    def make(path):
        path.with_name(name).write_text(content)
        path.symlink_to(name)

    return make


# Each makes a thing at a path beside the table; and what the command says: None if it succeeds.
KINDS = {
    "absent": (lambda path: None, None),
    "empty": (lambda path: path.touch(), None),
    "answers": (lambda path: path.write_text(HEAD + "2,old\n"), None),
    "another file": (lambda path: path.write_text("mine\n"), "holds something else already"),
    "hard link to the input": (lambda path: path.hardlink_to(path.with_name("table.csv")), "read"),
    "link to the input": (lambda path: path.symlink_to("table.csv"), "which is read"),
    "link to answers": (link_to("old.csv", HEAD), None),
    "link to another file": (link_to("old.csv", "mine\n"), "holds something else already"),
    "dangling link": (lambda path: path.symlink_to(path.with_name("target.csv")), None),
    "link to itself": (lambda path: path.symlink_to(path.name), "symbolic links"),
    "link into a missing folder": (lambda path: path.symlink_to("no/a.csv"), "there is none"),
    "pipe": (pipe, None),
    "folder": (lambda path: path.mkdir(), "is a folder; name a file"),
    "link to a folder": (lambda path: path.symlink_to("kept"), "is a folder; name a file"),
}  # fmt: skip
SPELLINGS = {"whole": "{0}", "relative": "{0.name}", "around": "../{0.parent.name}/./{0.name}"}


def things_in(folder):
    """Describe all that lies in a folder: of each name its type, and what it holds or leads to."""
    told = {}
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        content = path.read_bytes() if stat.S_ISREG(mode) else None
        content = os.readlink(path) if stat.S_ISLNK(mode) else content
        told[str(path.relative_to(folder))] = stat.S_IFMT(mode), content
    return told


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table and with what has nothing to do with it; the program runs there."""
    (tmp_path / "here" / "kept").mkdir(parents=True)
    (tmp_path / "here" / "kept" / "letter.txt").write_text("mine")
    (tmp_path / "here" / "table.csv").write_text("text\nmy bill\n")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def write(typed):
    write_output(typed, ANSWERS, inputs=["table.csv"], begins=HEAD)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_loses_its_type_or_its_content(place, kind, spelling):
    make, told = KINDS[kind]
    path, read = place / "out.csv", []
    make(path)
    before, typed = things_in(place), SPELLINGS[spelling].format(path)
    if told:
        with pytest.raises((OSError, ValueError)) as caught:
            write(typed)
        assert told in sentence_of(caught.value) and repr(typed) in sentence_of(caught.value)
        assert things_in(place) == before
        return
    thread = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    if kind == "pipe":
        thread.start()
    write(typed)
    if kind == "pipe":
        thread.join(20)
        assert read == [ANSWERS.encode()]
    written = os.path.relpath(os.path.realpath(path), place)
    made = {} if kind == "pipe" else {written: (stat.S_IFREG, ANSWERS.encode())}
    assert things_in(place) == before | made
