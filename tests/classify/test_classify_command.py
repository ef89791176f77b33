"""`minibert classify` from a table to a classifier, its report, and its answers."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest
import torch
import transformers
from sklearn import metrics
from small_classifier import NAMES, PROMISE, classify, facts_of, letters, write_table

from berttools.classify.comparing import report_as_markdown
from berttools.classify.duplicates import without_copies
from berttools.classify.saving import Classifier, load_classifier, save_classifier
from berttools.classify.splitting import split_rows
from berttools.classify.table import read_table


@pytest.fixture(scope="module")
def scored(inputs, finished):
    """Transformers' scores of the test part, put together again, and its true classes."""
    table = read_table(inputs[0], "text", "label")
    table = table.take(without_copies(table))
    asked = table.take(split_rows(table, seed=0).test)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(finished).eval()
    cut = transformers.AutoTokenizer.from_pretrained(finished)
    with torch.no_grad():
        logits = model(**cut(asked.texts, padding=True, return_tensors="pt")).logits.double()
    ours = load_classifier(finished).logits(asked)
    np.testing.assert_allclose(ours, logits, rtol=0, atol=1e-5)
    assert model.config.id2label == dict(enumerate([*NAMES[:2], "Other", NAMES[2]]))
    return ours, np.array([model.config.label2id[label] for label in asked.labels])


def test_every_number_of_the_report(finished, scored):
    """With scikit-learn and from transformers' scores."""
    facts, (logits, truth) = facts_of(finished), scored
    told = json.loads((finished / "classifier.json").read_text(encoding="utf-8"))
    probs = torch.tensor(logits / told["temperature"]).softmax(-1).numpy()
    answers, ours = probs.argmax(-1), facts["rivals"][-1]
    assert ours["right"] == pytest.approx(metrics.accuracy_score(truth, answers))
    assert ours["right"] > 0.9
    macro = metrics.f1_score(truth, answers, average="macro")  # the label without rows has no F1
    assert ours["macro_f1"] == pytest.approx(macro)
    for k, (precision, recall, _, rows) in enumerate(facts["scores"]):
        right, given = facts["confusion"][k][k], sum(row[k] for row in facts["confusion"])
        assert (right, rows) == (((answers == k) & (truth == k)).sum(), (truth == k).sum())
        assert (precision * given, recall * rows) == pytest.approx((right, right))
    assert facts["sure"][1] == pytest.approx(probs.max(-1).mean(), abs=1e-6)
    levels = [math.inf if t is None else t for t in told["thresholds"]]
    kept = probs.max(-1) >= np.array(levels)[answers]
    assert kept.any() and facts["answered"] == [
        [int((kept & (answers == c)).sum()), int((kept & (answers == c) & (truth == c)).sum())]
        for c in range(4)
    ]
    assert facts["thresholds"][2] is None  # of the class with one row
    assert facts["rows"] == {"train": 167, "validation": 37, "test": 37}


def test_the_report_says_what_the_facts_are(finished):
    report, facts = (finished / "report.md").read_text(encoding="utf-8"), facts_of(finished)
    for told in (
        "- Rows with a text and a label: 244, with 4 labels.",
        "- 0.0 % of the tokens are [UNK]",
        "- Copies of texts with the same label, left out: 3 (1 in other case or punctuation).",
        "needs at least 7 answers",  # 0.7 ** 7 < 0.1 < 0.7 ** 6
        "Texts with several labels, which stay: 1, as in lines 6, 245: 'My",
        "1 of 4 labels ('Other') have fewer than the 7 rows to choose with that --promise 0.7 ",
        "Never answered: Other.",
        f"predict '{finished}' 'a text'",
        "This folder answers with **fine-tuned**, which was asked for by --use",
        *(f"| {rival['name']:15} | {rival['right']:.3f} |" for rival in facts["rivals"]),
        *(f"The difference of fine-tuned to {n} is {x[0]:+.3f}" for n, x in facts["leads"].items()),
    ):
        assert told in report
    rows = [[x.strip() for x in line.split("|")[1:-1]] for line in report.splitlines()]
    names = ["counted words", "frozen vectors", "fine-tuned"]
    assert [one["method"] for one in facts["compared"]] == names
    for one in facts["compared"]:
        shown = [one["method"], f"{one['right']:.3f}", f"{one['macro_f1']:.3f}"]
        assert [*shown, "used" * (one["method"] == "fine-tuned")] in rows
    for k, name in enumerate(facts["classes"]):
        right, given = facts["confusion"][k][k], sum(row[k] for row in facts["confusion"])
        *_, f1, n = facts["scores"][k]
        level, (kept, good) = facts["thresholds"][k], facts["answered"][k]
        shares = [f"{right} of {of}" if of else "–" for of in (given, n)]  # of fewer than 30
        wanted = [name, str(n), *shares, f"{f1:.1f}" if n else "–"]
        wanted += ["never" if level is None else f"{level:.2f}{' *' * facts['shared'][k]}"]
        assert [*wanted, str(kept), f"{good} of {kept}" if kept else "–"] in rows


def test_what_a_report_says_in_other_cases(finished):
    facts = facts_of(finished)
    rival, lead = facts["rivals"][-1], {"words | two": [0.1, 0.05, 0.2]}
    told = report_as_markdown(facts | {"temperature": 20.0, "leads": lead, "wrong": []}, "it's")
    assert "This temperature is at an end" in told and "fine-tuned is ahead." in told
    assert "\n- none\n" in told and "predict 'it'\"'\"'s' 'a text'\n" in told
    few = {"rivals": [rival | {"name": "a|b", "interval": [1.0, 1.0]}], "leads": lead, "blocks": 1}
    told = report_as_markdown(facts | few | {"temperature": 1.0}, "x")
    assert "| a\\|b |" in told and " | – " in told and "at an end" not in told
    assert "with 95 % from -1.000 to +1.000: no clear difference" in told
    sure = [rival | {"right": right, "interval": [right, right]} for right in (1.0, 0.0)]
    told = report_as_markdown(facts | {"rivals": sure, "blocks": 2}, "x")  # 0.05 ** (1 / 2)
    assert "| 1.000 | 0.224 to 1.000 |" in told and "| 0.000 | 0.000 to 0.776 |" in told


METHODS = ("counted words", "frozen vectors", "fine-tuned")


@pytest.mark.slow
@pytest.mark.parametrize("use", ["words", "frozen", "best"])
def test_each_method_can_be_saved_and_answers_as_it_was_measured(inputs, tmp_path, capsys, use):
    out, number = tmp_path / "out", ("words", "frozen", "best").index(use)
    run = ("train", inputs[0], *(inputs[1:] if number else PROMISE), "--use", use)
    assert classify(*run, "--out", out) == 0
    facts, files = facts_of(out), {path.name for path in out.iterdir()}
    tried = {one["method"]: one["right"] for one in facts["compared"]}
    assert [*tried] == [*METHODS][: number + 1]  # nothing dearer
    cheapest = next(name for name in tried if tried[name] == max(tried.values()))
    assert facts["used"] == (cheapest if use == "best" else METHODS[number])
    assert "linear.safetensors" in files and ("model.safetensors" in files) == (use == "frozen")
    table, classifier = read_table(inputs[0], "text", "label"), load_classifier(out)
    assert classifier.names == ["Billing", "Hardware", "Other", "Software"]
    table = table.take(without_copies(table))
    table = table.take(split_rows(table, seed=0).test)
    answers = zip(classifier.answer(table), table.labels, strict=True)
    right = np.mean([answer.guess == label for answer, label in answers])
    assert right == pytest.approx(facts["rivals"][-1]["right"])
    path = out / "linear.safetensors"
    path.write_bytes(path.read_bytes()[:40])
    assert classify("predict", out, "a text") == 1
    assert len([x for x in capsys.readouterr().err.splitlines() if "error" in x]) == 1


def test_it_answers_texts_and_says_what_it_does_not_know(finished, capsys, tmp_path):
    texts = ["My bill is wrong again", "my router does nothing"]
    classifier = load_classifier(finished)
    for levels, told in (
        ([0.5] * 4, r"Billing  (0\.\d\d|1\.00)"),
        ([math.inf] * 4, r"I do not know \(perhaps Billing, 0\.\d\d\)"),  # and never 1.00
        ((), r"Billing  (0\.\d\d|1\.00)"),
    ):
        save_classifier(classifier._replace(thresholds=levels), tmp_path)
        assert classify("predict", tmp_path, *texts) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[::2] == texts and re.fullmatch(f"  {told}", lines[1])
        assert "Hardware" in lines[3]
    assert classify("predict", finished, "அ ஆ bill") == 0
    assert "warning: 67 % of the tokens are [UNK], so" in capsys.readouterr().err


def test_it_answers_a_table(finished, tmp_path, capsys, monkeypatch):
    rows = [["My bill\nis wrong", "x"], ["", "y"], ["my router, again", "z"]]
    table = write_table(tmp_path / "a.csv", rows, ("text", "id"))
    assert classify("predict", finished, table) == 0
    told = capsys.readouterr()
    assert "1 rows without a text are left out" in told.err
    answers = list(csv.DictReader(io.StringIO(told.out)))
    assert [(a["line"], a["guess"], a["text"]) for a in answers] == [
        ("2", "Billing", "My bill\nis wrong"), ("5", "Hardware", "my router, again"),
    ]  # fmt: skip
    assert classify("predict", finished, "a text", "--out", tmp_path / "b.csv") == 1
    assert "is for a table" in capsys.readouterr().err and not (tmp_path / "b.csv").exists()
    assert classify("predict", finished, table, "--out", tmp_path / "b.csv") == 0
    assert capsys.readouterr().out == f"2 answers are in '{tmp_path / 'b.csv'}'.\n"
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == told.out
    monkeypatch.setattr(Classifier, "answer", None)  # what cannot be written is not computed
    assert classify("predict", finished, table, "--out", table) == 1
    assert "which is read; name another file" in capsys.readouterr().err


def test_groups_and_times_and_a_promise_that_no_row_can_keep(tmp_path, capsys):
    """The newest groups are asked; they share no row with the others."""
    rows = [[*one, 2000 + n] for n, one in enumerate(letters(100)[:100])]
    table = write_table(tmp_path / "a.tsv", rows, ("a", "y", "who", "year"))
    names = ("--text", "a", "--label", "y", "--group", "who", "--time", "year", "--use", "words")
    out = tmp_path / "out"
    assert classify("train", table, *names, "--out", out) == 0
    facts, told = facts_of(out), capsys.readouterr().out
    assert facts["classes"] == list(NAMES)
    assert facts["blocks"] < facts["rows"]["test"]
    assert re.search(r"Intervals are over \d+ blocks \(rows of one group or one text\)", told)
    assert "are too few, so every text will get" in told.partition("# The classifier")[0]
    assert "It answers 0 of " in told and "Never answered: Billing, Hardware, Software." in told
