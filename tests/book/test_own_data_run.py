"""The record of Chapter 19: what follows from it, and a part of it computed again."""

import json
import statistics

import numpy as np
import pytest
import torch
from definitions import CHAPTERS, chapter_definitions, printed
from effort import mostly_thorough

from benchmarks import own_data
from berttools.classify.weighting import Weighted, class_weighted_loss, class_weights
from minibert.config import BertConfig
from minibert.tasks import BertForSequenceClassification

NAME = "19-your-own-data"
RECORD = json.loads(own_data.RECORD.read_text(encoding="utf-8"))
EARLY, JUNE = own_data.letters_of()
TRUTH = own_data.numbers_of(EARLY)
PLAIN = [run for run in RECORD["runs"] if run["method"] == "plain"]

pytestmark = pytest.mark.usefixtures("one_thread", "unchecked")


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


def test_each_method_has_five_runs_at_the_rate_of_its_sweep():
    told = [(run["method"], run["seed"]) for run in RECORD["runs"]]
    methods = [*dict.fromkeys(method for method, _ in told)]
    assert told == [(method, seed) for method in methods for seed in own_data.SEEDS]
    assert {choice["seed"] for choice in RECORD["choices"]} == {own_data.CHOICE_SEED}
    for run in RECORD["runs"]:
        assert run["learning_rate"] == own_data.rate_of(RECORD, run["method"])
        assert run["updates"] == PLAIN[0]["updates"]
        _, validation, test = own_data.parts_of(EARLY, run["seed"])
        rows = [len(run[part]) for part in ("validation", "test", "june")]
        assert rows == [len(validation), len(test), len(JUNE)]


def test_the_loss_of_a_run_follows_from_its_scores():
    for run in RECORD["runs"]:
        train, validation, _ = own_data.parts_of(EARLY, run["seed"])
        weights = class_weights(TRUTH[train].tolist(), len(own_data.LETTER_LABELS))
        weights = torch.ones_like(weights) if run["method"] == "plain" else weights
        scores, truth = torch.tensor(run["validation"]), torch.tensor(TRUTH[validation])
        loss = class_weighted_loss(scores, truth, weights).item()
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
@pytest.mark.parametrize("method", mostly_thorough(own_data.METHODS))
def test_a_linear_run_of_the_record_comes_out_again(method):
    pytest.importorskip("sklearn")
    found = own_data.linear(own_data.frozen_vectors("word table")["word table"], method, 0)
    runs = {(run["method"], run["seed"]): run for run in RECORD["linear"]["word table"]}
    told = runs[method, 0]
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
