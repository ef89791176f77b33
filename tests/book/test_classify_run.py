"""The record of Chapter 16's runs, pieces of it computed again, and a miniature."""

import importlib
import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from definitions import chapter_definitions, displayed

from bertbook.corpus import PAIR_LABELS, REQUEST_LABELS, question_pairs, service_requests
from bertbook.records import record_of

NAME = "16-classify"
ROOT = Path(__file__).resolve().parents[2]
RECORD = record_of("classify")
METHODS = {(m["task"], m["encoder"], m["method"]): m for m in RECORD["methods"]}
TRUTHS = {
    "requests": [REQUEST_LABELS.index(r.label) for r in service_requests("test")],
    "pairs": [PAIR_LABELS.index(p.label) for p in question_pairs("test")],
}
CURVE = RECORD["learning_curve"]["runs"]

pytestmark = pytest.mark.usefixtures("one_thread", "unchecked")


@pytest.fixture(scope="module")
def typed():
    return chapter_definitions(NAME)


@pytest.fixture(scope="module")
def runs():
    """The program that made the record, which counts with what tests need as well."""
    pytest.importorskip("sklearn")
    return importlib.import_module("benchmarks.classify")


def test_the_numbers_of_a_run_follow_from_its_answers(typed):
    for (task, _, _), found in METHODS.items():
        truths, classes = np.array(TRUTHS[task]), max(TRUTHS[task]) + 1
        assert len({run["test_answers"] for run in found["runs"]}) == len(found["runs"])
        for run in found["runs"]:
            answers = np.array([*map(int, run["test_answers"])])
            table = typed.confusion_matrix(truths, answers, classes)
            assert run["confusion"] == table.tolist()
            assert run["test_accuracy"] == pytest.approx((answers == truths).mean(), abs=6e-5)
            assert run["macro_f1"] == pytest.approx(typed.macro_f1(table), abs=6e-5)


def test_every_method_has_five_seeds_at_the_rate_that_validation_chose():
    for found in METHODS.values():
        seeds = [run["seed"] for run in found["runs"]]
        if "choices" not in found:
            assert seeds == [None]
            continue
        assert seeds == [*range(5)]
        if choices := found["choices"]:
            best = min(choices, key=lambda choice: choice["validation_loss"])
            assert {run["learning_rate"] for run in found["runs"]} == {best["learning_rate"]}
    told = [(run["seed"], run["labels"]) for run in CURVE]
    assert told == [(seed, size) for seed in range(5) for size in (20, 60, 200, 630)]


def test_the_chapter_shows_the_record():
    """Every method of the requests has a row, with the mean and the sd that the test computes."""
    shown = displayed(NAME)
    for (task, encoder, method), found in METHODS.items():
        shares = [run["test_accuracy"] for run in found["runs"]]
        spread = f"{statistics.stdev(shares):.3f}" if len(shares) > 1 else ""
        title = f"{encoder} {method}".removeprefix("none ")
        row = f">{title}</th><td>{statistics.mean(shares):.3f}</td><td>{spread}</td>"
        assert (row in shown) == (task == "requests"), title


def test_the_word_counts_of_the_curve_come_out_again(typed):
    requests = service_requests("train")
    labels = [REQUEST_LABELS.index(request.label) for request in requests]
    for run in CURVE:
        taken = typed.draw_order(labels, run["seed"])[: run["labels"]]
        counts = typed.NaiveBayes([requests[i].text for i in taken], [labels[i] for i in taken], 3)
        found = [counts.scores(request.text).argmax() for request in service_requests("test")]
        told = run["test_answers"]["naive Bayes"]
        assert sum(int(a) != b for a, b in zip(told, found, strict=True)) <= 2


def test_the_word_counts_of_the_record_come_out_again(runs):
    for name, task in runs.TASKS.items():
        for method, answers in runs.word_counts(task).items():
            told = METHODS[name, "none", method]["runs"][0]["test_answers"]
            assert "".join(map(str, answers["test"])) == told


@pytest.mark.parametrize(
    "encoder", ["small world", pytest.param("MiniLM", marks=pytest.mark.thorough)]
)
@pytest.mark.usefixtures("minilm")
def test_the_vectors_of_an_encoder_give_the_answers_of_the_record(runs, encoder):
    for method, vectors in runs.frozen_vectors(encoder).items():
        told = METHODS["requests", encoder, method]["runs"][0]["test_answers"]
        found = runs.linear_answers(vectors)["test"]
        assert sum(a != str(b) for a, b in zip(told, found, strict=True)) <= 3


@pytest.mark.thorough
@pytest.mark.usefixtures("minilm")
def test_the_table_of_words_ties_the_layers_where_labels_are_many(runs):
    """The rival without a layer: the sentence of the chapter is about 300 requests, not 180."""
    for run in (run for run in CURVE if run["labels"] == 630):
        word_table, vectors = (
            sum(int(a) == t for a, t in zip(run["test_answers"][name], TRUTHS["requests"]))
            for name in ("word table", "fixed vectors")
        )
        assert abs(word_table - vectors) <= 2
    again = {"seed": 0, "labels": 20, "test_answers": {}}
    labels = np.array([REQUEST_LABELS.index(r.label) for r in service_requests("train")])
    curve = importlib.import_module("benchmarks.label_curve")
    curve.add_frozen(again, runs.frozen_vectors("MiniLM"), curve.chapter.draw_order(labels, 0)[:20])
    for name, answers in again["validation_answers"].items():
        stored = CURVE[0]["validation_answers"][name]
        assert sum(a != b for a, b in zip(answers, stored, strict=True)) <= 3


def test_a_miniature_of_the_run(runs):
    rates = {"frozen": 3e-3, "full": 1e-3}
    run = runs.train(runs.TASKS["requests"], "small world", "gradual", 0, rates, runs.Plan(1, ()))
    assert set(run) == set(METHODS["requests", "small world", "full"]["runs"][0])
    assert run["updates"] == 4 * 20 and len(run["test_answers"]) == 180
    json.dumps(run)


@pytest.mark.thorough
def test_a_run_of_the_record_comes_out_again(runs):
    """The small world, frozen: a few seconds."""
    about = "requests", "small world", "frozen"
    told = METHODS[about]["runs"][0]
    rates = {"frozen": told["learning_rate"]}
    run = runs.train(runs.TASKS["requests"], *about[1:], 0, rates, runs.PLANS[about])
    assert run["validation_loss"] == pytest.approx(told["validation_loss"], abs=5e-3)
    assert run["test_accuracy"] == pytest.approx(told["test_accuracy"], abs=0.05)
