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
