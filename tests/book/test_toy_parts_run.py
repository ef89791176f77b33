"""The record of what each part buys the toy, and a miniature of its runs."""

import json
import math

import pytest
import torch

from benchmarks import toy_parts, toy_rows
from bertbook.corpus import hundred_sentences, masked_word_ladder

RECORD = json.loads(toy_parts.RECORD.read_text(encoding="utf-8"))
LADDER = masked_word_ladder(hundred_sentences())
ROWS = {row.name: row for row in toy_rows.ROWS}
each_row = pytest.mark.parametrize("told", RECORD["rows"], ids=lambda row: row["name"])

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_record_has_every_row():
    assert RECORD["ladder"] == pytest.approx(LADDER._asdict(), abs=1e-6)
    assert [(row["part"], row["name"]) for row in RECORD["rows"]] == [
        (row.part, row.name) for row in toy_rows.ROWS
    ]


@each_row
def test_nobody_is_better_than_possible(told):
    floor = LADDER.full if ROWS[told["name"]].positions else LADDER.bag
    assert min(told["runs"]["loss"]) > floor - 5e-5
    assert min(told["runs"].get("pairs", [1])) > RECORD["pairs_floor"] - 5e-5


@each_row
def test_ten_updates_of_each_row_give_the_recorded_loss(told):
    row = ROWS[told["name"]]
    runs = toy_parts.measure(row, [0], toy_parts.FIRST)
    assert runs["loss"][0] == pytest.approx(told["after_ten_updates"], abs=2e-3)
    assert told["learning_rate"] == toy_parts.rate_of(row)
    parameters = sum(p.numel() for p in toy_rows.build(row, 0).parameters())
    assert parameters == told["parameters"]


def test_the_positions_begin_as_strangers_that_are_drawn():
    row, (before, _, after) = ROWS[toy_parts.WATCHED], RECORD["positions"]["moments"]
    drawn = [toy_parts.likeness(toy_rows.build(row, seed)) for seed in toy_parts.SEEDS]
    mean = torch.stack(drawn).mean(dim=0)
    assert mean.tolist() == [pytest.approx(line, abs=0.006) for line in before["mean_cosines"]]
    assert RECORD["positions"]["row"] == row.name
    assert [before["updates"], after["updates"]] == [0, RECORD["updates"]]


def test_the_floor_of_the_pairs():
    # A guesser who knows nothing pays ln 2; where all halves differ the pairs say everything.
    assert RECORD["pairs_floor"] == pytest.approx(toy_parts.pairs_floor(), abs=1e-6)
    assert 0 < toy_parts.pairs_floor() < math.log(2)
