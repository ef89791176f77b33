"""The record of Chapter 14's full run, its model, and the functions that the chapter types."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from definitions import (
    EnoughError,
    assert_mean_and_sd,
    chapter_definitions,
    displayed,
    first_batches,
)
from safetensors.torch import load_model

from bertbook.corpus import Pair, sample_documents, sample_pairs, small_world, world_ladder
from minibert.data import PretrainingBatches
from minibert.fast import switch_on
from minibert.training import BertTrainer
from minibert.wordpiece import WordPieceTokenizer

NAME = "14-pre-train-a-small-world"
ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "book" / "data" / "small-world"
RECORD = json.loads((ROOT / "benchmarks" / "small_world.json").read_text(encoding="utf-8"))
RUNS = RECORD["runs"]
TERMS = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
WORLD = small_world()
HELD_OUT = 1_000_000  # benchmarks/small_world.py draws what it asks from this seed on
TOLERANCE = 2e-3  # between one machine and another, in nats and in shares

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def typed():
    return chapter_definitions(NAME)


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.load(MODEL / "vocab.txt")


@pytest.fixture
def model(typed, tokenizer):
    """Load the committed weights into a model with others."""
    model = typed.small_bert(tokenizer, seed=5)
    missing, unexpected = load_model(model, MODEL / "model.safetensors")
    assert not missing
    assert not unexpected
    return model


def new_trainer(typed, model, plan=None):
    plan = plan or typed.small_plan(1, 0, 1)
    return BertTrainer(model, plan, device="cpu", terms=TERMS, show_progress=False)


def make_batches(documents, tokenizer, seed):
    return PretrainingBatches(documents, tokenizer, batch_size=32, seed=seed, max_length=40)


def curve_of(run):
    return [point for point in run["curve"] if "hidden_once_loss" in point]


def test_a_run_takes_less_than_ten_minutes_of_one_core():
    assert [run["seed"] for run in RUNS] == list(range(5))
    for run in RUNS:
        # The clock of a machine that does other things runs on.
        assert 0 < run["processor_seconds"] < 600
        assert run["seconds"] >= run["processor_seconds"] > 0
        assert run["parameters"] < 5_000_000


def test_the_means_of_the_record_are_those_of_its_runs():
    unigram = RECORD["ladder"]["unigram"]
    limits = RECORD["floors"]["corrupted"]
    floor, ceiling = limits["masked_word"]["value"], limits["accuracy"]["value"]
    columns = {
        "masked_lm_loss": [run["masked_lm_loss"] for run in RUNS],
        "share_of_gap_closed": [(unigram - r["masked_lm_loss"]) / (unigram - floor) for r in RUNS],
        "accuracy": [run["accuracy"] for run in RUNS],
        "points_below_ceiling": [100 * (ceiling - run["accuracy"]) for run in RUNS],
    }
    assert set(RECORD["summary"]) == set(columns)
    for name, values in columns.items():
        assert_mean_and_sd(RECORD["summary"][name], values)
    assert min(columns["share_of_gap_closed"]) >= 0.95
    assert max(columns["points_below_ceiling"]) <= 2


def test_the_ladder_of_the_record_is_the_one_of_the_world():
    ladder = world_ladder(WORLD, 1040)._asdict()
    assert RECORD["ladder"] == {rung: round(loss, 4) for rung, loss in ladder.items()}


def test_nobody_in_the_record_passes_a_floor():
    once, often = (RECORD["floors"][name] for name in ("hidden_once", "corrupted"))
    for run in RUNS:
        for loss, floor in (
            (run["masked_lm_loss"], often["masked_word"]),
            (run["next_sentence_loss"], often["next_sentence"]),
            *((point["hidden_once_loss"], once["masked_word"]) for point in curve_of(run)),
        ):
            assert loss > floor["value"] - 4 * floor["error"]
        assert run["accuracy"] <= often["accuracy"]["value"]


def test_the_curves_are_whole():
    for run in RUNS:
        assert [point["step"] for point in curve_of(run)] == list(range(250, 8001, 250))
        losses = [point["hidden_once_loss"] for point in curve_of(run)]
        assert losses[-1] < RECORD["ladder"]["neighbors"] < losses[0]


def test_the_folder_has_the_layout_that_everybody_uses(typed, tokenizer):
    config = json.loads((MODEL / "config.json").read_text(encoding="utf-8"))
    assert config["model_type"] == "bert"
    built = vars(typed.small_bert(tokenizer, 0).config)
    assert {name: config[name] for name in built} == built
    assert len(tokenizer.pieces) == RUNS[0]["vocab_size"]


def test_the_weights_give_the_numbers_of_the_record(typed, tokenizer, model):
    rng = np.random.default_rng(HELD_OUT + 1)
    documents = sample_documents(WORLD, 6000, rng=rng)
    asked = list(make_batches(documents, tokenizer, HELD_OUT))
    losses = new_trainer(typed, model).evaluate(asked)
    for name in TERMS:
        assert losses[name] == pytest.approx(RUNS[0][name], abs=TOLERANCE)
    accuracy = typed.next_sentence_accuracy(model, asked)
    assert accuracy == pytest.approx(RUNS[0]["accuracy"], abs=TOLERANCE)


@pytest.fixture(scope="module")
def hundred(typed, tokenizer):
    pairs = sample_pairs(WORLD, 100, rng=np.random.default_rng(HELD_OUT))
    return list(typed.hide_each_word(tokenizer, pairs))


def test_the_weights_give_the_end_of_the_curve(typed, model, hundred):
    loss = new_trainer(typed, model).evaluate(hundred)["masked_lm_loss"]
    assert loss == pytest.approx(curve_of(RUNS[0])[-1]["hidden_once_loss"], abs=TOLERANCE)


@pytest.mark.parametrize(
    "part",
    [
        "bert.embeddings.position_embeddings.weight",
        "bert.encoder.layer.0.attention.self.query.weight",
        "bert.encoder.layer.1.output.dense.weight",
        "cls.predictions.transform.dense.weight",
    ],
)
def test_weights_in_another_order_give_a_worse_loss(typed, model, hundred, part):
    before = new_trainer(typed, model).evaluate(hundred[:30])["masked_lm_loss"]
    weight = model.get_parameter(part)
    with torch.no_grad():
        weight.copy_(weight[torch.randperm(len(weight), generator=torch.manual_seed(0))])
    after = new_trainer(typed, model).evaluate(hundred[:30])["masked_lm_loss"]
    assert after > before + 20 * TOLERANCE


@pytest.mark.thorough
def test_the_first_updates_of_the_record_come_out_again(typed, tokenizer):
    """The 250 updates before the first point of the curve, on this machine."""
    documents = sample_documents(WORLD, 60_000, rng=np.random.default_rng(0))
    with switch_on():  # as the benchmark does
        model = typed.small_bert(tokenizer, 0)
    trainer = new_trainer(typed, model, typed.small_plan(8000, 0, 250))
    with pytest.raises(EnoughError):
        trainer.fit(first_batches(make_batches(documents, tokenizer, 0), 251))
    first = {name: trainer.history[0][name] for name in ("step", *TERMS)}
    told = {name: RUNS[0]["curve"][0][name] for name in first}
    assert first == pytest.approx(told, abs=TOLERANCE)


def test_every_word_is_hidden_once(typed, tokenizer):
    pairs = [Pair("anna holds the bat", "she sings", True), Pair("he sings", "it rains", False)]
    first, second = typed.hide_each_word(tokenizer, pairs)
    assert first["labels"].shape == (6, 9)
    assert ((first["labels"] != -100).sum(1) == 1).all()
    hidden = first["labels"] != -100
    assert (first["input_ids"][hidden] == tokenizer.mask_token_id).all()
    whole = torch.where(hidden, first["labels"], first["input_ids"])
    assert tokenizer.decode(whole[3]) == "[CLS] anna holds the bat [SEP] she sings [SEP]"
    assert (whole == whole[0]).all()
    assert first["token_type_ids"][0].tolist() == [0] * 6 + [1] * 3
    assert first["next_sentence_label"].unique().tolist() == [0]
    assert second["next_sentence_label"].unique().tolist() == [1]


def test_a_model_without_knowledge_pays_the_first_step_of_the_ladder(typed, tokenizer, hundred):
    model = typed.small_bert(tokenizer, 0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    loss = new_trainer(typed, model).evaluate(hundred[:5])["masked_lm_loss"]
    assert loss == pytest.approx(math.log(tokenizer.vocab_size), rel=1e-6)


def test_the_model_of_the_chapter_depends_on_its_seed_alone(typed, tokenizer):
    first, again, other = (typed.small_bert(tokenizer, seed) for seed in (3, 3, 4))
    table = "bert.embeddings.word_embeddings.weight"
    assert torch.equal(first.get_parameter(table), again.get_parameter(table))
    assert not torch.equal(first.get_parameter(table), other.get_parameter(table))


def test_the_chapter_reads_the_record():
    columns = (("masked_lm_loss", ".3f"), ("share_of_gap_closed", ".2%"), ("accuracy", ".4f"))
    means = [format(RECORD["summary"][name]["mean"], form) for name, form in columns]
    assert ">mean</th>" + "".join(f"<td>{mean}</td>" for mean in means) in displayed(NAME)
