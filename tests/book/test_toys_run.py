"""The records of toys (order, the word three back, parts, depth), a piece of each made again."""

import json
import math
from collections import Counter, defaultdict

import pytest
import torch
from definitions import assert_mean_and_sd, printed

from benchmarks import order, three_back, toy_depth, toy_parts, toy_rows
from bertbook.corpus import hundred_sentences, masked_word_ladder

ORDER, BACK, PARTS, DEPTH = (
    json.loads(program.RECORD.read_text(encoding="utf-8"))
    for program in (order, three_back, toy_parts, toy_depth)
)
ORDERS, BACKS, ROWS = ({row["name"]: row for row in r["rows"]} for r in (ORDER, BACK, PARTS))
LADDER = masked_word_ladder(hundred_sentences())
TOYS = {row.name: row for row in toy_rows.ROWS}
COIN = math.log(2)

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_records_have_every_row():
    assert [*ORDERS] == [*order.ROWS] and [*BACKS] == [*three_back.ROWS] and [*ROWS] == [*TOYS]
    assert ORDER["updates"] == order.UPDATES
    for rows in (ORDERS, BACKS):
        assert all(len(runs) == 5 for row in rows.values() for runs in row["runs"].values())
    stacks = [(name, depth) for depth in toy_depth.DEPTHS for name in toy_depth.STACKS]
    assert [(stack["stack"], stack["depth"]) for stack in DEPTH["stacks"]] == stacks
    assert PARTS["ladder"] == DEPTH["ladder"] == pytest.approx(LADDER._asdict(), abs=1e-6)


def after_ten_updates(name):
    if name in ORDERS:
        return order.measure(name, 0, order.FIRST)["seen"]
    if name in BACKS:
        return three_back.measure(name, 0, BACKS[name]["rate"], three_back.FIRST)["loss"]
    return toy_parts.measure(TOYS[name], [0], toy_parts.FIRST)["loss"][0]


@pytest.mark.parametrize("name", [*ORDERS, *BACKS, *ROWS])
def test_ten_updates_of_each_row_give_the_recorded_loss(name):
    told = next(rows[name] for rows in (ORDERS, BACKS, ROWS) if name in rows)
    assert after_ten_updates(name) == pytest.approx(told["after_ten_updates"], abs=2e-3)


def test_the_rate_of_each_row_was_best():
    for row in BACKS.values():
        losses = dict(zip(BACK["rates"], row["loss_at_rates"], strict=True))
        assert row["rate"] == min(losses, key=losses.get)
        for name, runs in row["runs"].items():
            assert_mean_and_sd(row["mean_and_sd"][name], runs)
    patient = DEPTH["with_more_time"]
    assert (patient["updates"], patient["warmup_updates"]) == (600, 200)
    seeds = {row["stack"]: len(row["runs"]["loss"]) for row in patient["stacks"]}
    assert seeds == toy_depth.PATIENT
    for row in patient["stacks"]:
        tried = {one["learning_rate"]: one["loss"] for one in row["tried"]}
        assert tuple(tried) == toy_depth.PATIENT_RATES
        assert row["learning_rate"] == min(tried, key=tried.get)
        assert tried[row["learning_rate"]] == row["runs"]["loss"][0]


def test_nobody_is_better_than_possible():
    for stack in (*DEPTH["stacks"], *DEPTH["with_more_time"]["stacks"]):
        assert min(stack["runs"]["loss"]) > LADDER.full
    for name, told in ROWS.items():
        floor = LADDER.full if TOYS[name].positions else LADDER.bag
        assert min(told["runs"]["loss"]) > floor - 5e-5
        assert min(told["runs"].get("pairs", [1])) > PARTS["pairs_floor"] - 5e-5
    assert min(min(losses) for losses in ORDERS["none"]["runs"].values()) > COIN
    assert max(ORDERS["none"]["runs"]["seen"]) < COIN + 0.05  # on pairs seen it comes that far
    # A guesser who knows nothing pays ln 2; where all halves differ the pairs say everything.
    assert PARTS["pairs_floor"] == pytest.approx(toy_parts.pairs_floor(), abs=1e-6)
    assert 0 < toy_parts.pairs_floor() < COIN


def best_loss(key):
    """Compute the smallest loss of a guesser who sees of a sentence only what the key keeps."""
    answers = defaultdict(Counter)
    for lead in order.LEADS:
        ids, told = order.chapter.chases(order.PAIRS, order.WORDS, lead)
        for row, answer in zip(ids.tolist(), told.tolist()):
            answers[key(row)][answer] += 1
    losses = [-n * math.log(n / found.total()) for found in answers.values() for n in
              found.values()]  # fmt: skip
    return sum(losses) / sum(found.total() for found in answers.values())


def test_a_guesser_without_order_tosses_a_coin_and_one_with_order_knows():
    assert best_loss(lambda row: tuple(sorted(row))) == pytest.approx(COIN)
    assert best_loss(tuple) == 0
    assert not {*order.SEEN} & {*order.NEW}


def test_order_decides_and_distances_reach_farther_than_positions():
    for name in ("learned", "distance"):
        assert max(ORDERS[name]["runs"]["new"]) < 0.01
    assert max(ORDERS["distance"]["runs"]["later"]) < 0.01
    assert sum(loss > COIN for loss in ORDERS["learned"]["runs"]["later"]) >= 4
    told = printed("07-three-embeddings-make-one-input")
    first = ORDERS["learned"]["runs"]["seen"][0]
    assert f"with positions after 120 updates: {first:.2f}" in told


@pytest.mark.parametrize("name", ROWS)
def test_each_row_of_the_parts_has_its_rate_and_its_parameters(name):
    row, told = TOYS[name], ROWS[name]
    assert (told["part"], told["learning_rate"]) == (row.part, toy_parts.rate_of(row))
    parameters = sum(p.numel() for p in toy_rows.build(row, 0).parameters())
    assert parameters == told["parameters"]


def test_the_positions_begin_as_strangers_that_are_drawn():
    row, (before, _, after) = TOYS[toy_parts.WATCHED], PARTS["positions"]["moments"]
    drawn = [toy_parts.likeness(toy_rows.build(row, seed)) for seed in toy_parts.SEEDS]
    mean = torch.stack(drawn).mean(dim=0)
    assert mean.tolist() == [pytest.approx(line, abs=0.006) for line in before["mean_cosines"]]
    assert PARTS["positions"]["row"] == row.name
    assert [before["updates"], after["updates"]] == [0, PARTS["updates"]]


def test_the_last_gradient_of_a_deep_stack_falls_before_norms_alone():
    for told in DEPTH["gradients"][:2]:
        gradient = toy_depth.last_gradient(told["stack"], told["depth"], seed=0)
        assert gradient == pytest.approx(told["runs"]["last_gradient"][0], rel=1e-3)
    means = defaultdict(list)
    for told in DEPTH["gradients"]:
        means[told["stack"]].append(told["mean_and_sd"]["last_gradient"]["mean"])
    assert means["pre-norm"] == sorted(means["pre-norm"], reverse=True)
    assert min(means["post-norm"]) == means["post-norm"][0]


def test_with_warm_up_and_time_every_deep_post_norm_stack_learns():
    rows = {row["stack"]: row for row in DEPTH["with_more_time"]["stacks"]}
    assert max(rows["post-norm, warm-up"]["runs"]["loss"]) < LADDER.unigram - 2
    without = {one["learning_rate"]: one["loss"] for one in rows["post-norm"]["tried"]}
    assert without[0.0005] < 2 < LADDER.unigram < without[0.001]
    losses = [toy_depth.climb_patiently("pre-norm", 0.003, 0, updates=n) for n in (1, 4)]
    assert LADDER.full < losses[1] < losses[0]
