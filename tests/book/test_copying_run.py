"""The record of the runs of Chapter 14 that could learn to copy."""

import json

import numpy as np
import pytest

from benchmarks import copying
from benchmarks.weights import SMALL_WORLD
from minibert.fast import switch_on
from minibert.wordpiece import WordPieceTokenizer

RECORD = json.loads(copying.RECORD.read_text(encoding="utf-8"))

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def asked():
    return copying.ask(WordPieceTokenizer.load(SMALL_WORLD / "vocab.txt"))


def test_the_record_has_its_runs_in_order():
    runs = RECORD["runs"]
    assert list(runs) == [name for name in copying.RUNS if name in runs]
    assert {"2 layers", "only true pairs"} <= {*runs}
    for name, run in runs.items():
        assert {**run, **copying.RUNS[name]._asdict()} == run
        made = [seed["seed"] for seed in run["seeds"]]
        assert made == list(copying.SEEDS[name])[: len(made)]


@pytest.mark.parametrize("name", RECORD["runs"])
def test_each_run_ends_where_its_curve_does(name):
    run = RECORD["runs"][name]
    every = run["updates"] // copying.POINTS
    for seed in run["seeds"]:
        steps = list(range(every, run["updates"] + 1, every))
        assert [point["step"] for point in seed["curve"]] == steps
        for kind in copying.KINDS:
            low, high = seed["interval"][kind]
            assert low <= seed["mean"][kind] == seed["curve"][-1][kind] <= high
            assert seed["mean"][kind] > RECORD["bounds"]["both_sentences"][kind] - 1e-4


def test_what_is_missing_is_made_seed_by_seed():
    runs = {"2 layers": {"seeds": [{"seed": 0}, {"seed": 1}]}}
    first, second, *others = copying.missing({"runs": runs})
    assert (first, second) == (("no second question", 0), ("only true pairs", 0))
    wanted = sum(map(len, copying.SEEDS.values()))
    assert len(others) == wanted - 4 and ("2 layers", 1) not in others


def test_only_the_second_question_is_left_out():
    plans = {name: plan._asdict() for name, plan in copying.RUNS.items()}
    base = plans.pop("2 layers")
    changed = {n: {k for k in base if plan[k] != base[k]} for n, plan in plans.items()}
    assert changed["no second question"] == {"second_question"}
    assert changed["only true pairs"] == {"second_question", "only_true_pairs"}


def test_the_bounds_come_out_again(asked):
    best = copying.losses_of(asked.best, asked.best)
    alone = copying.losses_of(asked.alone, asked.best)
    assert copying.means_of(best, asked) == pytest.approx(RECORD["bounds"]["both_sentences"])
    assert copying.means_of(alone, asked) == pytest.approx(RECORD["bounds"]["one_sentence"])
    kinds, counts = np.unique(asked.kinds, return_counts=True)
    assert dict(zip(kinds, counts, strict=True)) == RECORD["bounds"]["riddles"]


def test_a_batch_of_true_pairs_is_what_it_says():
    documents = [("anna sings", "she smiles"), ("ben runs", "he laughs"), ("a cat", "it eats")]
    tokenizer = WordPieceTokenizer.load(SMALL_WORLD / "vocab.txt")
    with switch_on():
        pairs = copying.TruePairs(documents, tokenizer, batch_size=2, seed=0, max_length=12)
        batches = list(pairs.epoch(0))
    assert [len(batch["labels"]) for batch in batches] in ([2, 1], [1, 2])
    assert all(batch["next_sentence_label"].sum() == 0 for batch in batches)


def test_who_knows_what_the_oracle_knows_pays_the_floor(asked):
    words = asked.best.shape[1]
    even = copying.losses_of(np.full_like(asked.best, 1 / words), asked.best)
    assert even == pytest.approx(np.log(words))
    low, high = copying.intervals_of(even, asked)["names"]
    assert low == pytest.approx(high)
