"""What is compared, what answers, and what is promised: whole runs on tables made here."""

import json
import re
import shutil
import signal

import numpy as np
import pytest
from interrupts import interrupt
from small_classifier import classify, end_of, letters, write_encoder, write_table

from berttools.classify.saving import load_classifier
from berttools.classify.table import LabeledTable, read_table
from minibert.tasks import TaskBatches

QUICK = ("--learning-rate", "0.01", "--batch-size", "16", "--promise", "0.7", "--epochs", "3")


def uneven(rows=200, seed=0):
    """Letters, of which two classes are rare and the words tell most."""
    rng = np.random.default_rng(seed)
    told = letters(rows, seed)[:rows]
    rare = {"Hardware": 0.2, "Software": 0.1}
    return [row for row in told if rng.random() < rare.get(row[1], 1.0)]


@pytest.fixture(scope="module")
def uneven_inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uneven")
    table = write_table(folder / "uneven.csv", uneven(400))
    return [table, "--model", write_encoder(folder / "encoder"), *QUICK]


@pytest.fixture(scope="module")
def compared(uneven_inputs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared") / "run"
    assert classify("train", *uneven_inputs, "--out", folder) == 0
    return folder


def facts_of(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_both_weights_of_each_method_are_compared_and_the_best_is_used(compared):
    facts, report = facts_of(compared), (compared / "report.md").read_text(encoding="utf-8")
    tried = {(one["method"], one["weights"]): one for one in facts["compared"]}
    methods = ("counted words", "frozen vectors", "fine-tuned")
    assert set(tried) == {(m, w) for m in methods for w in ("balanced", "none")}
    (used,) = [one for one in facts["compared"] if one["used"]]
    assert (used["right"], -used["loss"]) == max((o["right"], -o["loss"]) for o in tried.values())
    assert facts["used"] == used["method"] == facts["rivals"][-1]["name"]
    assert {r["name"] for r in facts["rivals"]} == {*methods, "always Billing"}
    for one in tried.values():
        cells = [line.split("|")[1:-1] for line in report.splitlines() if "balanced" in line
                 or "none" in line]  # fmt: skip
        wanted = [one["method"], one["weights"], f"{one['right']:.3f}", f"{one['macro_f1']:.3f}"]
        assert wanted in [[cell.strip() for cell in row[:4]] for row in cells]
    assert f"This folder answers with **{facts['used']}**, which has most" in report
    for name, (lead, *_) in facts["leads"].items():
        assert f"The difference of {facts['used']} to {name} is {lead:+.3f}" in report
    assert sorted(path.name for path in compared.iterdir() if path.is_dir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("method", ["words", "frozen", "fine-tuned"])
def test_each_method_can_be_saved_and_answers_as_it_was_measured(
    uneven_inputs, tmp_path, capsys, method
):
    out = tmp_path / "out"
    run = ("train", *uneven_inputs, "--class-weights", "none", "--use", method, "--out", out)
    assert classify(*run) == 0
    facts, names = facts_of(out), {"words": "counted words", "frozen": "frozen vectors"}
    assert facts["used"] == names.get(method, method)
    assert {one["weights"] for one in facts["compared"]} == {"none"}
    files = {path.name for path in out.iterdir()}
    assert ("linear.safetensors" in files) == (method != "fine-tuned")
    assert ("words.json" in files) == (method == "words")
    assert ("model.safetensors" in files) == (method != "words")
    table = read_table(uneven_inputs[0], "text", "label")
    classifier = load_classifier(out)
    assert classifier.names == ["Billing", "Hardware", "Software"]
    answers = classifier.answer(table)
    right = np.mean([a.guess == label for a, label in zip(answers, table.labels, strict=True)])
    assert right >= min(0.6, facts["rivals"][-1]["right"] - 0.1)
    capsys.readouterr()
    assert classify("predict", out, "My bill is wrong again") == 0
    said = capsys.readouterr().out
    (reply,) = classifier.answer(LabeledTable(["My bill is wrong again"]))
    assert f"{reply.guess}  {reply.probability:.2f}" in said or f"(perhaps {reply.guess}, " in said
    if method == "fine-tuned":
        return
    path = out / "linear.safetensors"
    shutil.copy(path, tmp_path / "kept")
    path.write_bytes(path.read_bytes()[:40])
    assert classify("predict", out, "a text") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    shutil.copy(tmp_path / "kept", path)
    told = json.loads((out / "classifier.json").read_text(encoding="utf-8"))
    for classes in (["a"], None, [1, 2, 3], ["a", "a", "b"]):
        (out / "classifier.json").write_text(json.dumps(told | {"classes": classes}), "utf-8")
        assert classify("predict", out, "a text") == 1
        assert "'classes' is" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("run", [1, 2])
def test_a_run_that_was_interrupted_in_either_training_goes_on(
    uneven_inputs, compared, tmp_path, monkeypatch, run
):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        interrupt(patch, TaskBatches, 7, signal.SIGTERM, time=run)
        assert classify("train", *uneven_inputs, "--out", out) == 128 + 15
    assert (out / "unweighted").exists() == (run == 2)
    assert classify("train", "--out", out, "--resume") == 0
    once, again = facts_of(compared), facts_of(out)
    assert once == again
    if once["used"] == "fine-tuned":
        assert end_of(out) == end_of(compared)


TOPICS = "sea boat wave fish|tree leaf wood bark|road wheel car fuel|bread flour oven cake|" \
         "snow ice cold frost|book page ink print|drum song tune choir"  # fmt: skip


@pytest.mark.slow
def test_six_hundred_easy_rows_in_seven_classes_get_answers(tmp_path, capsys):
    rng, rows = np.random.default_rng(0), []
    for number in range(600):
        kind = number % 7
        one, two = rng.choice(TOPICS.split("|")[kind].split(), 2)
        extra = " ".join("abcdefghijklmnopqrstuvwxyz"[n] for n in rng.integers(0, 26, 4))
        rows.append([f"My {one} and the {two} {extra}", f"kind {kind}", "w"])
    table = write_table(tmp_path / "easy.csv", rows)
    encoder = write_encoder(tmp_path / "encoder", [text for text, *_ in rows])
    out = tmp_path / "out"
    capsys.readouterr()
    run = ("train", table, "--model", encoder, "--epochs", "4", "--learning-rate", "0.01")
    assert classify(*run, "--out", out) == 0  # with --promise 0.9, which needs 22 answers
    before, _, after = capsys.readouterr().out.partition("Training")
    assert "7 of 7 labels ('kind 0', 'kind 1', 'kind 2', …) have fewer than the 22 rows" in before
    assert re.search(r"\| kind 0 +\| [01]\.\d\d \*", after)
    assert "Labels with * share one threshold" in after
    facts = facts_of(out)
    assert all(facts["shared"]) and None not in facts["thresholds"]
    kept, right = np.sum(facts["answered"], axis=0)
    assert kept > 0.6 * facts["rows"]["test"] and right >= 0.9 * kept


def test_a_promise_that_no_row_can_keep_is_said_before_training(tmp_path, capsys):
    table = write_table(tmp_path / "few.csv", letters(60)[:60])
    encoder = write_encoder(tmp_path / "encoder")
    run = ("train", table, "--model", encoder, "--epochs", "1", "--promise", "0.9")
    assert classify(*run, "--out", tmp_path / "out") == 0
    before, _, after = capsys.readouterr().out.partition("Training")
    assert "--promise 0.9 cannot be kept with 9 rows to choose with; it needs 22" in before
    assert "It answers 0 of " in after
