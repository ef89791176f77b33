"""The record of deep toys, and a miniature of its runs."""

import json

import pytest

from benchmarks import toy_depth
from bertbook.corpus import hundred_sentences, masked_word_ladder

RECORD = json.loads(toy_depth.RECORD.read_text(encoding="utf-8"))
LADDER = masked_word_ladder(hundred_sentences())

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_record_has_every_stack():
    assert RECORD["ladder"] == pytest.approx(LADDER._asdict(), abs=1e-6)
    wanted = [(name, depth) for depth in toy_depth.DEPTHS for name in toy_depth.STACKS]
    assert [(stack["stack"], stack["depth"]) for stack in RECORD["stacks"]] == wanted


def test_nobody_is_better_than_possible():
    assert all(min(stack["runs"]["loss"]) > LADDER.full for stack in RECORD["stacks"])


@pytest.mark.parametrize("told", RECORD["gradients"][:2], ids=lambda stack: stack["stack"])
def test_the_last_gradient_of_six_layers(told):
    gradient = toy_depth.last_gradient(told["stack"], told["depth"], seed=0)
    assert gradient == pytest.approx(told["runs"]["last_gradient"][0], rel=1e-3)


def test_with_depth_the_last_gradient_falls_before_norms_alone():
    means = {"post-norm": [], "pre-norm": []}
    for told in RECORD["gradients"]:
        means[told["stack"]].append(told["mean_and_sd"]["last_gradient"]["mean"])
    assert means["pre-norm"] == sorted(means["pre-norm"], reverse=True)
    assert min(means["post-norm"]) == means["post-norm"][0]


def test_with_more_time_each_stack_has_the_best_of_its_rates():
    patient = RECORD["with_more_time"]
    assert (patient["updates"], patient["warmup_updates"]) == (600, 200)
    assert {
        row["stack"]: len(row["runs"]["loss"]) for row in patient["stacks"]
    } == toy_depth.PATIENT
    for row in patient["stacks"]:
        tried = {one["learning_rate"]: one["loss"] for one in row["tried"]}
        assert tuple(tried) == toy_depth.PATIENT_RATES
        assert row["learning_rate"] == min(tried, key=tried.get)
        assert tried[row["learning_rate"]] == row["runs"]["loss"][0]
        assert min(row["runs"]["loss"]) > LADDER.full


def test_with_warm_up_and_time_every_deep_post_norm_stack_learns():
    rows = {row["stack"]: row for row in RECORD["with_more_time"]["stacks"]}
    assert max(rows["post-norm, warm-up"]["runs"]["loss"]) < LADDER.unigram - 2
    without = {one["learning_rate"]: one["loss"] for one in rows["post-norm"]["tried"]}
    assert without[0.0005] < 2 < LADDER.unigram < without[0.001]


def test_a_miniature_of_a_patient_run():
    losses = [toy_depth.climb_patiently("pre-norm", 0.003, 0, updates=n) for n in (1, 4)]
    assert LADDER.full < losses[1] < losses[0]
