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
from small_classifier import NAMES, QUICK, classify, facts_of, letters, write_encoder, write_table

from berttools.classify.duplicates import without_copies
from berttools.classify.saving import load_classifier, save_classifier
from berttools.classify.splitting import split_rows
from berttools.classify.table import LabeledTable, read_table


@pytest.fixture(scope="module")
def asked(inputs):
    """The test part, put together again from the table."""
    table = read_table(inputs[0], "text", "label")
    table = table.take(without_copies(table))
    return table.take(split_rows(table, seed=0).test)


@pytest.fixture(scope="module")
def scored(finished, asked):
    """Transformers' scores of the test part, and its true classes."""
    model = transformers.AutoModelForSequenceClassification.from_pretrained(finished).eval()
    cut = transformers.AutoTokenizer.from_pretrained(finished)
    with torch.no_grad():
        logits = model(**cut(asked.texts, padding=True, return_tensors="pt")).logits.double()
    assert model.config.id2label == dict(enumerate([*NAMES[:2], "Other", NAMES[2]]))
    return logits.numpy(), np.array([model.config.label2id[label] for label in asked.labels])


def test_what_is_in_the_folder_and_transformers_opens_it(finished, asked, scored):
    assert sorted(path.name for path in finished.iterdir()) == [
        "classifier.json", "config.json", "model.safetensors", "report.json", "report.md",
        "tokenizer_config.json", "vocab.txt",
    ]  # fmt: skip
    logits = load_classifier(finished).logits(asked)
    np.testing.assert_allclose(logits, scored[0], rtol=0, atol=1e-5)


def test_every_number_of_the_report(finished, scored):
    """With scikit-learn and from transformers' scores."""
    facts, (logits, truth) = facts_of(finished), scored
    told = json.loads((finished / "classifier.json").read_text(encoding="utf-8"))
    probs = torch.tensor(logits / told["temperature"]).softmax(-1).numpy()
    answers, ours = probs.argmax(-1), facts["rivals"][-1]
    assert ours["right"] == pytest.approx(metrics.accuracy_score(truth, answers))
    assert ours["right"] > 0.9
    matrix = metrics.confusion_matrix(truth, answers, labels=range(4))
    assert facts["confusion"] == matrix.tolist()
    expected = metrics.precision_recall_fscore_support(
        truth, answers, labels=range(4), zero_division=0
    )
    np.testing.assert_allclose(np.array(facts["scores"]).T, np.array(expected))
    of_those_there = expected[2][expected[3] > 0]  # a label without rows has no F1
    assert ours["macro_f1"] == pytest.approx(of_those_there.mean()) and len(of_those_there) == 3
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
    usual = "always Billing", "always Hardware", "always Software"
    assert facts["rivals"][0]["name"] in usual
    assert facts["rivals"][0]["right"] == pytest.approx(np.bincount(truth).max() / 37, abs=0.15)


def test_the_report_says_what_the_facts_are(finished):
    report, facts = (finished / "report.md").read_text(encoding="utf-8"), facts_of(finished)
    for rival in facts["rivals"]:
        assert f"| {rival['name']:15} | {rival['right']:.3f} |" in report
    for told in (
        "- 244 rows were read, with 4 labels.",
        "- Tokens that the vocabulary does not know, [UNK]: 0.0 % in train, ",
        "- 3 rows are copies of others with the same label and left out (1 in other case or punct",
        "needs at least 7 answers",  # 0.7 ** 7 < 0.1 < 0.7 ** 6
        "The same text has several labels: lines 6, 245, 'My",
        "1 of 4 labels ('Other') have fewer than the 7 rows to choose with that --promise 0.7 ",
        "Never answered: Other.",
        f"predict '{finished}' 'a text'",
    ):
        assert told in report
    each = report.split("## Each label")[1].split("Rows are true labels")[0]
    cut = [line.split("|")[1:-1] for line in each.splitlines() if "|" in line]
    table = {name.strip(): cells for name, *cells in cut}
    for place, name in enumerate(facts["classes"]):
        precision, _, f1, rows = facts["scores"][place]
        right, given = facts["confusion"][place][place], sum(r[place] for r in facts["confusion"])
        assert right == pytest.approx(precision * given)
        shares = [f"{right} of {n}" if n else "–" for n in (given, rows)]  # of fewer than 30
        level, (kept, good) = facts["thresholds"][place], facts["answered"][place]
        wanted = [str(rows), *shares, f"{f1:.1f}" if rows else "–"]
        wanted += ["never" if level is None else f"{level:.2f}{' *' * facts['shared'][place]}"]
        wanted += [str(kept), f"{good} of {kept}" if kept else "–"]
        assert [cell.strip() for cell in table[name]] == wanted


def test_both_weights_of_each_method_are_compared_and_the_best_is_what_was_asked_for(finished):
    facts, report = facts_of(finished), (finished / "report.md").read_text(encoding="utf-8")
    tried = {(one["method"], one["weights"]): one for one in facts["compared"]}
    methods = ("counted words", "frozen vectors", "fine-tuned")
    assert set(tried) == {(m, w) for m in methods for w in ("balanced", "none")}
    (used,) = [one for one in facts["compared"] if one["used"]]
    tuned = [one for one in tried.values() if one["method"] == "fine-tuned"]
    assert (used["right"], -used["loss"]) == max((o["right"], -o["loss"]) for o in tuned)
    assert facts["used"] == used["method"] == facts["rivals"][-1]["name"] == "fine-tuned"
    assert {r["name"] for r in facts["rivals"][1:]} == {*methods}
    rows = [[x.strip() for x in line.split("|")[1:-1]] for line in report.splitlines()]
    for one in tried.values():
        shown = [one["method"], one["weights"], f"{one['right']:.3f}", f"{one['macro_f1']:.3f}"]
        assert shown in [row[:4] for row in rows]
    assert "This folder answers with **fine-tuned**, which was asked for by --use" in report
    for name, (lead, *_) in facts["leads"].items():
        assert f"The difference of fine-tuned to {name} is {lead:+.3f}" in report


@pytest.mark.slow
@pytest.mark.parametrize("method", ["words", "frozen"])
def test_each_method_can_be_saved_and_answers_as_it_was_measured(inputs, tmp_path, capsys, method):
    out = tmp_path / "out"
    run = ("train", *inputs, "--epochs", "1", "--class-weights", "none", "--use", method)
    assert classify(*run, "--out", out) == 0
    facts, names = facts_of(out), {"words": "counted words", "frozen": "frozen vectors"}
    assert facts["used"] == names[method]
    assert {one["weights"] for one in facts["compared"]} == {"none"}
    files = {path.name for path in out.iterdir()}
    assert "linear.safetensors" in files
    assert ("model.safetensors" in files) == (method == "frozen")
    methods = {one["method"] for one in facts["compared"]}
    assert methods == {*list(names.values())[: 1 + (method == "frozen")]}  # nothing dearer
    table, classifier = read_table(inputs[0], "text", "label"), load_classifier(out)
    assert classifier.names == ["Billing", "Hardware", "Other", "Software"]
    answers = classifier.answer(table)
    right = np.mean([a.guess == label for a, label in zip(answers, table.labels, strict=True)])
    assert right >= min(0.6, facts["rivals"][-1]["right"] - 0.1)
    capsys.readouterr()
    assert classify("predict", out, "My bill is wrong again") == 0
    (reply,) = classifier.answer(LabeledTable(["My bill is wrong again"]))
    said = capsys.readouterr().out
    assert f"{reply.guess}  {reply.probability:.2f}" in said or f"(perhaps {reply.guess}, " in said
    path, told = out / "linear.safetensors", (out / "classifier.json").read_text(encoding="utf-8")
    for classes in (["a"], None, [1, 2, 3, 4], ["a", "a", "b", "c"]):
        changed = json.dumps(json.loads(told) | {"classes": classes})
        (out / "classifier.json").write_text(changed, "utf-8")
        assert classify("predict", out, "a text") == 1
        assert "'classes' is" in capsys.readouterr().err
    path.write_bytes(path.read_bytes()[:40])
    assert classify("predict", out, "a text") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


TOPICS = "sea boat wave fish|tree leaf wood bark|road wheel car fuel|bread flour oven cake|" \
         "snow ice cold frost|book page ink print|drum song tune choir"  # fmt: skip


@pytest.mark.slow
def test_six_hundred_easy_rows_in_seven_classes_get_answers(tmp_path, capsys):
    rng, rows = np.random.default_rng(0), []
    for number in range(600):
        one, two = rng.choice(TOPICS.split("|")[number % 7].split(), 2)
        extra = " ".join("abcdefghijklmnopqrstuvwxyz"[n] for n in rng.integers(0, 26, 4))
        rows.append([f"My {one} and the {two} {extra}", f"kind {number % 7}", "w"])
    table = write_table(tmp_path / "easy.csv", rows)
    encoder = write_encoder(tmp_path / "encoder", [text for text, *_ in rows])
    out = tmp_path / "out"
    run = ("train", table, "--model", encoder, "--epochs", "4", "--learning-rate", "0.01")
    assert classify(*run, "--out", out) == 0  # with --promise 0.9, which needs 22 answers
    before, _, after = capsys.readouterr().out.partition("Fine-tuning")
    assert "7 of 7 labels ('kind 0', 'kind 1', 'kind 2', …) have fewer than the 22 rows" in before
    assert re.search(r"\| kind 0 +\|.*\| [01]\.\d\d \*", after)
    assert "Labels with * share one threshold" in after
    facts = facts_of(out)
    assert all(facts["shared"]) and None not in facts["thresholds"]
    kept, right = np.sum(facts["answered"], axis=0)
    assert kept > 0.6 * facts["rows"]["test"] and right >= 0.9 * kept


def test_a_promise_that_no_row_can_keep_is_said_before_training(inputs, tmp_path, capsys):
    table = write_table(tmp_path / "few.csv", letters(60)[:60])
    run = ("train", table, *inputs[1:3], "--epochs", "1", "--promise", "0.9")
    assert classify(*run, "--out", tmp_path / "out") == 0
    before, _, after = capsys.readouterr().out.partition("Fine-tuning")
    assert "--promise 0.9 cannot be kept with 9 rows to choose with; it needs 22" in before
    assert "It answers 0 of " in after


def test_it_answers_texts_and_says_what_it_does_not_know(finished, capsys, tmp_path):
    texts = ["My bill is wrong again", "my router does nothing"]
    assert classify("predict", finished, *texts) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[::2] == texts
    for line, name in zip(lines[1::2], NAMES, strict=False):
        assert line.strip().startswith(f"{name}  0.") or line.endswith(f"{name}  1.00")
    classifier = load_classifier(finished)
    save_classifier(classifier._replace(thresholds=[math.inf] * 4), tmp_path)
    assert classify("predict", tmp_path, texts[0]) == 0
    assert "  I do not know (perhaps Billing, " in capsys.readouterr().out
    save_classifier(classifier._replace(thresholds=()), tmp_path)
    replies = load_classifier(tmp_path).answer(LabeledTable([*texts, "x"]))
    assert all(reply.label for reply in replies)  # without thresholds everything is answered
    assert classify("predict", finished, "அ ஆ bill") == 0
    assert "warning: 67 % of the tokens are [UNK], so" in capsys.readouterr().err


def test_a_reader_that_has_gone_has_had_enough(finished, capsys, monkeypatch):
    """As `| head` has; nothing is left to be said."""

    def gone(*_, **__):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("berttools.cli.output.discard", lambda stream: None)
    monkeypatch.setattr("builtins.print", gone)
    assert classify("predict", finished, "My bill is wrong again") == 0
    assert capsys.readouterr().err == ""


def test_it_answers_a_table(finished, tmp_path, capsys):
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


def test_groups_and_times(inputs, tmp_path, capsys):
    """The newest groups are asked."""
    rows = [[*one, 2000 + n] for n, one in enumerate(letters(100)[:100])]
    table = write_table(tmp_path / "a.tsv", rows, ("a", "y", "who", "year"))
    names = ("--text", "a", "--label", "y", "--group", "who", "--time", "year", "--use", "words")
    out = tmp_path / "out"
    assert classify("train", table, *QUICK, *names, "--out", out) == 0
    facts = facts_of(out)
    assert facts["classes"] == list(NAMES)
    assert facts["blocks"] < facts["rows"]["test"]
    assert "Intervals are over" in capsys.readouterr().out
