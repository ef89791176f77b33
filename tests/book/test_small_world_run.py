"""The record of Chapter 14's full run; the chapter itself measures the stored model again."""

import json
from pathlib import Path

import numpy as np
import pytest
from definitions import (
    EnoughError,
    assert_mean_and_sd,
    chapter_definitions,
    displayed,
    first_batches,
)

from bertbook.corpus import sample_documents, small_world, world_ladder
from bertbook.records import trained_folder
from minibert.data import PretrainingBatches
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.training import BertTrainer
from minibert.wordpiece import WordPieceTokenizer

NAME = "14-pre-train-a-small-world"
ROOT = Path(__file__).resolve().parents[2]
MODEL = trained_folder("small-world")
RECORD = json.loads(
    (ROOT / "bertbook" / "records" / "small_world.json").read_text(encoding="utf-8")
)
RUNS = RECORD["runs"]
TERMS = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
WORLD = small_world()

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_run_takes_less_than_ten_minutes_of_one_core():
    assert [run["seed"] for run in RUNS] == list(range(5))
    for run in RUNS:
        assert 0 < run["processor_seconds"] < 600
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
            *(
                (point["hidden_once_loss"], once["masked_word"])
                for point in run["curve"]
                if "hidden_once_loss" in point
            ),
        ):
            assert loss > floor["value"] - 4 * floor["error"]
        assert run["accuracy"] <= often["accuracy"]["value"]


@pytest.mark.thorough
def test_the_first_updates_of_the_record_come_out_again():
    """The 250 updates before the first point of the curve, on this machine."""
    typed, tokenizer = chapter_definitions(NAME), WordPieceTokenizer.load(MODEL / "vocab.txt")
    documents = sample_documents(WORLD, 60_000, rng=np.random.default_rng(0))
    batches = PretrainingBatches(documents, tokenizer, batch_size=32, seed=0, max_length=40)
    with override(fast_parts()):  # as the benchmark does
        model = typed.small_bert(tokenizer, 0)
    plan = typed.small_plan(8000, 0, 250)
    trainer = BertTrainer(model, plan, device="cpu", terms=TERMS, show_progress=False)
    with pytest.raises(EnoughError):
        trainer.fit(first_batches(batches, 251))
    first = {name: trainer.history[0][name] for name in ("step", *TERMS)}
    told = {name: RUNS[0]["curve"][0][name] for name in first}
    assert first == pytest.approx(told, abs=2e-3)  # from machine to machine


def test_the_chapter_reads_the_record():
    columns = (("masked_lm_loss", ".3f"), ("share_of_gap_closed", ".2%"), ("accuracy", ".4f"))
    means = [format(RECORD["summary"][name]["mean"], form) for name, form in columns]
    assert ">mean</th>" + "".join(f"<td>{mean}</td>" for mean in means) in displayed(NAME)
