"""Bad input to `minibert pretrain`: one sentence, status 1, nothing left behind."""

import json
import warnings

import pytest
from small_runs import CONFIG, WISHES, end_of, write_inputs

from berttools.__main__ import main
from minibert.training import BertTrainer
from minibert.training import checkpoint as resume

TEXTS = {
    "latin.txt": "Il est né.\nC'est l'été.\n".encode("latin-1"),
    "alone.txt": b"One cat.\nIt sleeps.\n",
    "long.txt": b"One cat.\nIt sleeps.\n" * 150,
    "three.txt": b"One cat.\nIt sleeps.\n\nOne dog.\nIt barks.\n\nOne bird.\nIt sings.\n",
    "uneven.txt": b"One cat.\n\nOne dog.\n\nOne bird.\n\nOne fish.\nIt swims.\n",
    "short.txt": "\u200b\n\u200d\n\nOne.\nIt is.\n\n\u200c\n\u200b\n\nOne cat.\nIt.\n".encode(),
    "letters.txt": b"a\nb\n\nc\nd\n\ne\nf\n\ng\nh\n",
    "copies.txt": b"One cat.\nIt sleeps.\n\n" * 50,
    "dna.txt": b"\n\n".join(b"\n".join(5 * [b"acgt" * n]) for n in range(35, 39)),
    "broken.json": b"{",
    "narrow.json": json.dumps(CONFIG | {"max_position_embeddings": 20}).encode(),
    "segment.json": json.dumps(CONFIG | {"type_vocab_size": 1}).encode(),
}

# A command, and what it says. `text.txt` and `sizes.json` are sound.
CASES = {
    "none.txt --out out": "there is no file 'none.txt'; check the name and the folder",
    "text.txt latin.txt --out out": "line 1 of 'latin.txt' is not UTF-8 (byte 0xe9); open the file",
    "text.txt ./text.txt --out out": "'./text.txt' is named twice; name every file once",
    "alone.txt --out out": "the corpus is a single document (2 sentences), so no sentence can come",
    "three.txt --out out": "the text has 3 documents, too few to hold out 2 and learn from at least"
    " 2; put blank lines between documents, add text, or give --held-out 0",
    "uneven.txt --out out": "of 4 documents, 2 were to be held out, but each of the 2 documents is",
    "short.txt --out out": "the 2 documents held out are so short that no word of them is masked;",
    "letters.txt --out out": "4 of the 4 tokens held out are [UNK], more than 20%, and nothing can"
    " be learned of them: the rest of the text lacks their characters; add text like this to it,",
    "copies.txt --out out": "cannot hold out 10 of 50 documents (1 without copies); hold out",
    "dna.txt --out out": "10 of the 10 tokens to learn from are [UNK], more than 20%, and nothing"
    " can be learned of them: its longest word has 152 characters, and a word of more than",
    "dna.txt --out out --held-out 0": "20 of the 20 tokens to learn from are [UNK], more than 20%",
    "text.txt --out out --vocab-size 20": "--vocab-size (20) is too small: 5 special tokens and",
    "text.txt --out out --config small": "--config 'small' is neither a file nor one of tiny, mini",
    "text.txt --out out --config broken.json": "'broken.json' is not the config.json of a BERT: ",
    "text.txt --out out --config narrow.json": "--max-length (24) exceeds max_position_embeddings",
    "text.txt --out out --config segment.json": "type_vocab_size (1) of 'segment.json' must be 2",
    "text.txt --out out --device gpu": "the device is 'gpu', which this machine does not have",
    "text.txt --out text.txt": "'text.txt' is a file; name a folder after --out",
    "text.txt --out text.txt/out": "Not a directory",
    "text.txt --out folder": "'folder' is not empty (it holds 'mine'); name a new or an empty",
    "--out folder --resume": "'folder' holds no run to go on with (no run.json); begin one without",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    write_inputs(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("do not touch", encoding="utf-8")
    for name, content in TEXTS.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begin(line):
    """Run a command with the usual wishes, unless it has its own."""
    wishes = [] if "--resume" in line else ["--config", "sizes.json", *WISHES]
    return main(["pretrain", *wishes, *line.split()])


def sentence(capsys):
    """The one line on stderr, a sentence of our own."""
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("error: ")
    return told.removeprefix("error: ")


@pytest.mark.parametrize(("line", "told"), CASES.items())
def test_bad_input(here, capsys, unchecked, line, told):
    before = set(here.rglob("*"))
    assert begin(line) == 1
    assert told in sentence(capsys)
    left = {path.name for path in set(here.rglob("*")) - before}
    assert left <= {"out"}  # at most an empty folder: the command can be repeated
    assert (here / "folder" / "mine").read_text(encoding="utf-8") == "do not touch"


def test_a_run_is_not_begun_twice(whole, capsys):
    before = end_of(whole[0])
    assert main(["pretrain", *whole[1], "--out", str(whole[0])]) == 1
    told = f"'{whole[0]}' holds a run already, a finished one; name another folder"
    assert sentence(capsys).startswith(told)
    assert end_of(whole[0]) == before


def test_a_damaged_plan(here, capsys):
    assert begin("text.txt --out out --max-steps 1") == 0
    (here / "out" / "report.txt").unlink()
    for text in ("{", "[]", '{"format": "minibert pretrain 0"}'):
        (here / "out" / "run.json").write_text(text, encoding="utf-8")
        capsys.readouterr()
        assert begin("--out out --resume") == 1
        assert "is damaged or of another version (the format must be" in sentence(capsys)


def test_a_full_disk_is_told_with_the_way_to_go_on(here, capsys, monkeypatch):
    saves, real = iter(range(10)), resume.save_file

    def fill_up(*given):
        if next(saves) >= 4:  # two files each: the third checkpoint, of step 6, finds no room
            raise OSError(28, "No space left on device")
        return real(*given)

    monkeypatch.setattr(resume, "save_file", fill_up)
    assert begin("text.txt --out out") == 1
    told = sentence(capsys)
    assert told.startswith("the checkpoint of step 6 could not be written ([Errno 28] No space")
    assert told.endswith("go on with: minibert pretrain --out out --resume")


def test_a_loss_that_is_no_number(here, capsys):
    assert begin("text.txt --out out --learning-rate 1e9") == 1
    told = sentence(capsys)
    assert "was not made: its loss is nan" in told
    assert told.endswith("; begin again in another folder with a --learning-rate below 1e+09")
    assert "warm-up" not in told


def test_a_long_document_is_cut_with_a_word(here, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert begin("long.txt --out out --held-out 0 --max-steps 1") == 0
    (told,) = capsys.readouterr().err.splitlines()
    assert told == (
        "warning: 1 of the 2 documents go on after 256 lines without a blank one and were cut "
        "there; put a blank line wherever a document ends"
    )


@pytest.mark.parametrize(
    "error", [RuntimeError("can't allocate memory: 900 b"), MemoryError(), KeyError("a fault")]
)
def test_too_little_memory_is_told_and_a_fault_of_the_program_is_not_hidden(
    here, capsys, monkeypatch, error
):
    def fit(*_):
        raise error

    monkeypatch.setattr(BertTrainer, "fit", fit)
    if isinstance(error, KeyError):
        with pytest.raises(KeyError, match="a fault"):
            begin("text.txt --out out")
        return
    assert begin("text.txt --out out") == 1
    told = sentence(capsys)
    assert told.startswith("there was not enough memory (")
    assert told.endswith("take a smaller --config, --batch-size or --max-length")
