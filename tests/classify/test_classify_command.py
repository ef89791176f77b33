"""`minibert classify` from a table to a classifier, its report, and its answers."""

import csv
import io
import json
import math
import shutil

import numpy as np
import pytest
import torch
import transformers
from sklearn import metrics
from small_classifier import NAMES, classify, letters, write_table

from berttools.classify.duplicates import without_copies
from berttools.classify.saving import load_classifier
from berttools.classify.splitting import split_rows
from berttools.classify.table import read_table


@pytest.fixture(scope="module")
def asked(inputs):
    """The test part and the validation part, put together again from the table."""
    table = read_table(inputs[0], "text", "label")
    table = table.take(without_copies(table))
    parts = split_rows(table, seed=0)
    return table.take(parts.test), table.take(parts.validation)


@pytest.fixture(scope="module")
def scored(finished, asked):
    """Transformers' probabilities of the test part, and its true classes."""
    model = transformers.AutoModelForSequenceClassification.from_pretrained(finished).eval()
    cut = transformers.AutoTokenizer.from_pretrained(finished)
    with torch.no_grad():
        logits = model(**cut(asked[0].texts, padding=True, return_tensors="pt")).logits.double()
    truth = np.array([model.config.label2id[label] for label in asked[0].labels])
    return logits.numpy(), truth, model.config.id2label


def test_what_is_in_the_folder(finished):
    assert sorted(path.name for path in finished.iterdir()) == [
        "classifier.json", "config.json", "history.jsonl", "model.safetensors", "report.json",
        "report.md", "run.json", "tokenizer_config.json", "vocab.txt",
    ]  # fmt: skip


def test_transformers_opens_it(finished, asked, scored):
    classifier = load_classifier(finished)
    np.testing.assert_allclose(classifier.logits(asked[0]), scored[0], rtol=0, atol=1e-5)
    assert scored[2] == dict(enumerate([*NAMES[:2], "Other", NAMES[2]]))
    assert type(classifier.model).__name__ == "BertForSequenceClassification"


def test_every_number_of_the_report(finished, scored):
    """With scikit-learn and from transformers' scores."""
    facts = json.loads((finished / "report.json").read_text(encoding="utf-8"))
    told = json.loads((finished / "classifier.json").read_text(encoding="utf-8"))
    logits, truth, names = scored
    probs = torch.tensor(logits / told["temperature"]).softmax(-1).numpy()
    answers = probs.argmax(-1)
    ours = facts["rivals"][-1]
    assert ours["right"] == pytest.approx(metrics.accuracy_score(truth, answers))
    assert ours["right"] > 0.9
    matrix = metrics.confusion_matrix(truth, answers, labels=range(4))
    assert facts["confusion"] == matrix.tolist()
    expected = metrics.precision_recall_fscore_support(
        truth, answers, labels=range(4), zero_division=0
    )
    np.testing.assert_allclose(np.array(facts["scores"]).T, np.array(expected))
    seen = np.unique(truth)  # a label without rows has no F1
    macro = metrics.f1_score(truth, answers, average="macro", labels=seen)
    assert ours["macro_f1"] == pytest.approx(macro) and len(seen) == 3
    assert facts["sure"][1] == pytest.approx(probs.max(-1).mean(), abs=1e-6)
    levels = [math.inf if t is None else t for t in told["thresholds"]]
    kept = probs.max(-1) >= np.array(levels)[answers]
    assert facts["answered"] == [
        [int((kept & (answers == c)).sum()), int((kept & (answers == c) & (truth == c)).sum())]
        for c in range(4)
    ]
    assert kept.any()
    assert facts["thresholds"][2] is None  # of the class with one row
    assert facts["rows"] == {"train": 167, "validation": 37, "test": 37}
    shares = np.bincount(truth)
    assert facts["rivals"][0]["right"] == pytest.approx(shares.max() / 37, abs=0.15)
    assert names[2] == "Other"


def test_the_report_says_what_the_facts_are(finished):
    report = (finished / "report.md").read_text(encoding="utf-8")
    facts = json.loads((finished / "report.json").read_text(encoding="utf-8"))
    for rival in facts["rivals"]:
        assert f"| {rival['name']:15} | {rival['right']:.3f} |" in report
    assert "- 244 rows were read, with 4 labels." in report
    assert "- Tokens that the vocabulary does not know, [UNK]: 0.0 % in train, " in report
    copies = "3 rows are copies of others with the same label and left out (1 in other case or "
    assert f"- {copies}punctuation): " in report
    each = report.split("## Each label")[1].split("Rows are true labels")[0]
    cut = [line.split("|")[1:-1] for line in each.splitlines() if "|" in line]
    table = {name.strip(): cells for name, *cells in cut}
    for name, (precision, _, f1, rows) in zip(facts["classes"], facts["scores"], strict=True):
        place = facts["classes"].index(name)
        right, given = facts["confusion"][place][place], sum(r[place] for r in facts["confusion"])
        assert right == pytest.approx(precision * given)
        shares = [f"{right} of {n}" if n else "–" for n in (given, rows)]  # of fewer than 30
        wanted = [str(rows), *shares, f"{f1:.1f}" if rows else "–"]
        assert [cell.strip() for cell in table[name]] == wanted
    assert "needs at least 7 answers" in report  # 0.7 ** 7 < 0.1 < 0.7 ** 6
    assert "The same text has several labels: lines 6, 245, 'My" in report
    assert "'Other' has few rows (1 in train, 0 in validation, 0 in test); nothing can be" in report
    assert "Never answered: Other." in report
    assert f"predict '{finished}' 'a text'" in report


def test_it_answers_texts(finished, capsys):
    capsys.readouterr()
    texts = ["My bill is wrong again", "my router does nothing"]
    assert classify("predict", finished, *texts) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[::2] == texts
    for line, name in zip(lines[1::2], NAMES, strict=False):
        assert line.strip().startswith(f"{name}  0.") or line.endswith(f"{name}  1.00")


def test_what_it_does_not_know(finished, capsys, tmp_path):
    """The same folder with a threshold that nothing reaches."""
    capsys.readouterr()
    told = json.loads((finished / "classifier.json").read_text(encoding="utf-8"))
    told["thresholds"] = [None] * 4
    folder = shutil.copytree(finished, tmp_path / "timid")
    (folder / "classifier.json").write_text(json.dumps(told), encoding="utf-8")
    assert classify("predict", folder, "My bill is wrong again") == 0
    assert "  I do not know (perhaps Billing, " in capsys.readouterr().out


def test_it_answers_a_table(finished, tmp_path, capsys):
    rows = [["My bill\nis wrong", "x"], ["", "y"], ["my router, again", "z"]]
    table = write_table(tmp_path / "a.csv", rows, ("text", "id"))
    capsys.readouterr()
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


def test_pairs_groups_and_times(inputs, tmp_path, capsys):
    """A pair is of one class if both texts are; the newest groups are asked."""
    told = letters(200)
    rows = [
        [one[0], two[0], "same" if one[1] == two[1] else "other", one[2], 2000 + n]
        for n, (one, two) in enumerate(zip(told[:200:2], told[1:200:2], strict=True))
    ]
    table = write_table(tmp_path / "pairs.tsv", rows, ("a", "b", "y", "who", "year"))
    names = ("--text", "a", "--pair", "b", "--label", "y", "--group", "who", "--time", "year")
    out = tmp_path / "out"
    assert classify("train", table, *inputs[1:], *names, "--out", out) == 0
    facts = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert facts["classes"] == ["other", "same"]
    assert facts["blocks"] < facts["rows"]["test"]
    assert "Intervals are over" in capsys.readouterr().out
    assert classify("predict", out, "my bill | my money", "--separator", "|") == 0
    assert classify("predict", out, "my bill") == 1
    assert "this classifier reads two, with a --separator" in capsys.readouterr().err
