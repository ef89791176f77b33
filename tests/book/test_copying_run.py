"""The record of the runs of Chapter 14 that could learn to copy."""

import json

import numpy as np
import pytest

from benchmarks import copying
from benchmarks.weights import SMALL_WORLD
from minibert.wordpiece import WordPieceTokenizer

RECORD = json.loads(copying.RECORD.read_text(encoding="utf-8"))

pytestmark = pytest.mark.usefixtures("one_thread", "unchecked")


@pytest.fixture(scope="module")
def asked():
    return copying.ask(WordPieceTokenizer.load(SMALL_WORLD / "vocab.txt"))


@pytest.mark.parametrize("name", RECORD["runs"])
def test_each_run_ends_where_its_curve_does(name):
    run = RECORD["runs"][name]
    assert {**run, **copying.RUNS[name]._asdict()} == run
    assert [seed["seed"] for seed in run["seeds"]] == [*copying.SEEDS[name]][: len(run["seeds"])]
    every = run["updates"] // copying.POINTS
    for seed in run["seeds"]:
        steps = list(range(every, run["updates"] + 1, every))
        assert [point["step"] for point in seed["curve"]] == steps
        for kind in copying.KINDS:
            low, high = seed["interval"][kind]
            assert low <= seed["mean"][kind] == seed["curve"][-1][kind] <= high
            assert seed["mean"][kind] > RECORD["bounds"]["both_sentences"][kind] - 1e-4


@pytest.mark.thorough
def test_the_bounds_come_out_again(asked):
    best = copying.losses_of(asked.best, asked.best)
    alone = copying.losses_of(asked.alone, asked.best)
    assert copying.means_of(best, asked) == pytest.approx(RECORD["bounds"]["both_sentences"])
    assert copying.means_of(alone, asked) == pytest.approx(RECORD["bounds"]["one_sentence"])
    kinds, counts = np.unique(asked.kinds, return_counts=True)
    assert dict(zip(kinds, counts, strict=True)) == RECORD["bounds"]["riddles"]
