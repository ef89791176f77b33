"""The record of Chapter 19: what follows from it, and a part of it computed again."""

import json
import statistics

import numpy as np
import pytest
import torch
from definitions import CHAPTERS, chapter_definitions, printed

from benchmarks import own_data
from minibert.classify.calibration import with_temperature
from minibert.classify.weighting import Weighted
from minibert.config import BertConfig
from minibert.tasks import BertForSequenceClassification

NAME = "19-your-own-data"
RECORD = json.loads(own_data.RECORD.read_text(encoding="utf-8"))
EARLY, JUNE = own_data.letters_of()
TRUTH = own_data.numbers_of(EARLY)
TUNED = [*dict.fromkeys(run["method"] for run in RECORD["runs"])]  # whole encoders, by method
PLAIN = [run for run in RECORD["runs"] if run["method"] == "plain"]

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_chapter_divides_as_the_record_does():
    typed = chapter_definitions(NAME)
    assert np.array_equal(typed.deal_folds(EARLY, 5), own_data.deal_folds(EARLY, 5))


def test_every_letter_is_asked_once_by_a_model_that_has_not_read_its_writer():
    asked = []
    for seed in own_data.SEEDS:
        train, validation, test = own_data.parts_of(EARLY, seed)
        known = {EARLY.groups[row] for row in (*train, *validation)}
        assert not known & {EARLY.groups[row] for row in test}
        asked += test.tolist()
    assert sorted(asked) == list(range(len(EARLY)))


def test_the_ceiling_comes_out_again():
    assert own_data.ceiling() == RECORD["ceiling"]


@pytest.mark.parametrize("method", TUNED)
def test_five_runs_of_one_rate_and_a_sweep_with_another_seed(method):
    runs, choices = (
        [run for run in RECORD[part] if run["method"] == method] for part in ("runs", "choices")
    )
    assert [run["seed"] for run in runs] == [*own_data.SEEDS]
    assert {run["learning_rate"] for run in runs} == {own_data.rate_of(RECORD, method)}
    assert {run["updates"] for run in runs} == {run["updates"] for run in PLAIN}
    assert [choice["learning_rate"] for choice in choices] == [*own_data.RATES]
    assert {choice["seed"] for choice in choices} == {own_data.CHOICE_SEED}
    assert not any("test" in choice or "june" in choice for choice in choices)


@pytest.mark.parametrize("run", RECORD["runs"], ids=lambda run: f"{run['method']}-{run['seed']}")
def test_a_run_has_scores_of_every_row(run):
    _, validation, test = own_data.parts_of(EARLY, run["seed"])
    shapes = {"validation": len(validation), "test": len(test), "june": len(JUNE)}
    for part, rows in shapes.items():
        assert np.shape(run[part]) == (rows, 5)
    assert 0 < run["best_update"] <= run["updates"]


@pytest.mark.parametrize("run", PLAIN, ids=lambda run: str(run["seed"]))
def test_the_loss_of_a_run_follows_from_its_scores(run):
    _, validation, _ = own_data.parts_of(EARLY, run["seed"])
    probs = with_temperature(np.array(run["validation"]), 1.0)
    loss = -np.log(probs[np.arange(len(validation)), TRUTH[validation]]).mean()
    assert loss == pytest.approx(run["validation_loss"], abs=0.02)


@pytest.mark.parametrize("training", [True, False])
def test_resampling_weighs_only_the_loss_to_stop_by(training):
    """What was drawn evenly must not be weighed again: Danger would count twice."""
    weights = torch.tensor([1.0, 3.0])
    classifier = BertForSequenceClassification(BertConfig.tiny(vocab_size=9), num_labels=2)
    model = Weighted(classifier, weights).train(training)
    model.of_classes = weights
    own_data.equal_in_training(model, ())
    assert model.weights.tolist() == ([1.0, 1.0] if training else [1.0, 3.0])


def test_linear_classifiers_choose_the_penalty_and_answer_every_row():
    assert set(RECORD["linear"]) == {"word table", "fixed vectors"}
    for runs in RECORD["linear"].values():
        told = [(run["method"], run["seed"]) for run in runs]
        assert told == [(m, seed) for m in own_data.METHODS for seed in own_data.SEEDS]
        for run in runs:
            rows = len(own_data.parts_of(EARLY, run["seed"])[2])
            assert run["penalty"] in own_data.PENALTIES
            assert (len(run["test"]), len(run["danger"]), len(run["june"])) == (
                rows, rows, len(JUNE)
            )  # fmt: skip


def test_resampling_draws_as_many_rows_of_the_training_part_alone():
    train, _, _ = own_data.parts_of(EARLY, 0)
    drawn = own_data.resampled(train, TRUTH, 0)
    assert len(drawn) == len(train)
    assert {*drawn} <= {*train}
    counts = np.bincount(TRUTH[drawn], minlength=5) / len(drawn)
    assert np.allclose(counts, 0.2, atol=0.06)


def test_the_chapter_reads_the_record():
    right = np.concatenate([
        np.argmax(run["test"], axis=1) == TRUTH[own_data.parts_of(EARLY, run["seed"])[2]]
        for run in PLAIN
    ])  # fmt: skip
    text = (CHAPTERS / f"{NAME}.ipynb").read_text(encoding="utf-8")
    assert f"{right.mean():.2f} (" in text
    assert f"the true ceiling {RECORD['ceiling']:.3f}" in printed(NAME)
    assert statistics.mean(run["updates"] for run in PLAIN) > 30


@pytest.mark.slow
@pytest.mark.usefixtures("minilm")
def test_a_linear_run_of_the_record_comes_out_again():
    pytest.importorskip("sklearn")
    vectors = own_data.frozen_vectors()["word table"]
    for method in own_data.METHODS:
        found = own_data.linear(vectors, method, 0)
        (told,) = [
            run for run in RECORD["linear"]["word table"]
            if (run["method"], run["seed"]) == (method, 0)
        ]  # fmt: skip
        assert found["penalty"] == told["penalty"]
        assert sum(a != b for a, b in zip(found["test"], told["test"], strict=True)) <= 3
        assert np.allclose(found["danger"], told["danger"], atol=0.01)


@pytest.mark.thorough
@pytest.mark.usefixtures("minilm")
def test_a_fine_tuned_run_of_the_record_comes_out_again():
    """Another processor rounds otherwise, and updates carry that on."""
    found, told = own_data.fine_tuned(0, own_data.RATE), PLAIN[0]
    assert found["validation_loss"] == pytest.approx(told["validation_loss"], abs=0.05)
    same = np.argmax(found["test"], axis=1) == np.argmax(told["test"], axis=1)
    assert same.mean() > 0.85
