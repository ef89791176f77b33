"""Bad input to `minibert pretrain`: one sentence, status 1, nothing left behind."""

import json
import re

import pytest
from small_runs import CONFIG, WISHES, pretrain, write_inputs

from berttools.cli.failures import guarded, sentence_of
from minibert.training import checkpoint

TEXTS = {
    "latin.txt": "Il est né.\nC'est l'été.\n".encode("latin-1"),
    "alone.txt": b"One cat.\nIt sleeps.\n",
    "three.txt": b"One cat.\nIt sleeps.\n\nOne dog.\nIt barks.\n\nOne bird.\nIt sings.\n",
    "short.txt": "\u200b\n\u200d\n\nOne.\nIt is.\n\n\u200c\n\u200b\n\nOne cat.\nIt.\n".encode(),
    "letters.txt": b"a\nb\n\nc\nd\n\ne\nf\n\ng\nh\n",
    "copies.txt": b"One cat.\nIt sleeps.\n\n" * 50,
    "dna.txt": b"\n\n".join(b"\n".join(5 * [b"acgt" * n]) for n in range(35, 39)),
    "broken.json": b"{",
    "narrow.json": json.dumps(CONFIG | {"max_position_embeddings": 20}).encode(),
    "segment.json": json.dumps(CONFIG | {"type_vocab_size": 1}).encode(),
    "folder/mine": b"do not touch",
    "damaged/run.json": b"[]",
    "older/run.json": b'{"format": "minibert pretrain 0"}',
    "torn/run.json": b'{"format": "minibert pretrain 1"}',
}

# A command, and what it says. `text.txt` and `sizes.json` are sound.
CASES = {
    "none.txt --out out": "there is no file '.*none.txt'; check the name and the folder",
    "text.txt latin.txt --out out": r"line 1 of '.*latin.txt' is not UTF-8 \(byte 0xe9\)",
    "alone.txt --out out": "of 1 documents, 2 were to be held out, but .*, or --held-out 0",
    "alone.txt --out out --held-out 0": "is a single document .* put a blank line between",
    "three.txt --out out": "of 3 documents, 2 were to be held out, but the corpus is a single doc",
    "short.txt --out out": "no word held out is masked; give a larger --held-out, or 0",
    "letters.txt --out out": r"100.0% of 4 tokens are \[UNK\], of which nothing can be learned",
    "copies.txt --out out": r"cannot hold out 10 of 50 documents \(1 without copies\); hold out",
    "dna.txt --out out --held-out 0": r"100.0% of 20 tokens are .* Put spaces between words",
    "text.txt --out out --vocab-size 20": r"vocab_size \(20\) is too small: 5 special tokens and",
    "text.txt --out out --config small": "'small'; --config takes tiny, mini, base, large, or the",
    "text.txt --out out --config broken.json": "'broken.json' is not the config.json of a BERT: ",
    "text.txt --out out --config narrow.json": "at least 24 max_position_embeddings, or a smaller",
    "text.txt --out out --config segment.json": "'segment.json' needs a type_vocab_size of 2",
    "text.txt --out out --device gpu": "the device is 'gpu', which this machine does not have",
    "text.txt --out text.txt": "'text.txt' is a file; name a folder after --out",
    "text.txt --out text.txt/out": "Not a directory",
    "text.txt --out folder": r"'folder' is not empty \(it holds 'mine'\); name a new or an empty",
    "text.txt --out older": "'older' holds a run already; add --resume to go on with it, or name",
    "--out folder --resume": "'folder' holds no run to go on with; leave out --resume",
    "--out damaged --resume": "'damaged/run.json' is damaged or of another version; begin again",
    "--out torn --resume": "'torn/run.json' is damaged or of another version; begin again",
    "--out older --resume": "'older/run.json' is damaged or of another version; begin again in",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    write_inputs(tmp_path)
    for name, content in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("line", "told"), CASES.items())
def test_bad_input(here, capsys, unchecked, line, told):
    wishes = [] if "--resume" in line else ["--config", "sizes.json", *WISHES]
    before = set(here.rglob("*"))
    assert pretrain(*wishes, *line.split()) == 1
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ")
    left = {path.name for path in set(here.rglob("*")) - before}
    assert left <= {"out"}  # at most an empty folder: the command can be repeated
    assert all((here / name).read_bytes() == content for name, content in TEXTS.items())
    assert re.search(told, error), error


def test_a_full_disk_is_told_with_the_way_to_go_on(here, capsys, monkeypatch):
    saves, real = iter(range(10)), checkpoint.save_file

    def fill_up(*given):
        if next(saves) >= 4:  # two files each: the third checkpoint, of step 6, finds no room
            raise OSError(28, "No space left on device")
        return real(*given)

    monkeypatch.setattr(checkpoint, "save_file", fill_up)
    assert pretrain("text.txt", "--config", "sizes.json", *WISHES, "--out", "out put") == 1
    way_out = "make room, then go on with: minibert pretrain --out 'out put' --resume"
    assert capsys.readouterr().err == f"error: [Errno 28] No space left on device; {way_out}\n"
    monkeypatch.undo()  # the folder, too: a run knows its text from everywhere
    assert pretrain("--out", here / "out put", "--resume") == 0


def test_too_little_memory_is_told_and_a_fault_of_the_program_is_not_hidden(monkeypatch, capsys):
    for error in (RuntimeError("can't allocate memory: 900 b"), MemoryError()):
        told = sentence_of(error)
        assert told.startswith("there was not enough memory (")
        assert told.endswith("take a smaller --config, --batch-size or --max-length")
    with pytest.raises(KeyError, match="a fault"):
        guarded(lambda: {}["a fault"])
    monkeypatch.setenv("RANK", "1")
    assert guarded(lambda: int("x")) == 1
    assert capsys.readouterr().err.startswith("error in process 1: invalid literal for int()")
