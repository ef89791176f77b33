"""The record of the toy in which order decides, its lines, and a miniature of its runs."""

import json
import math
from collections import Counter, defaultdict

import pytest
from definitions import printed

from benchmarks import order

RECORD = json.loads(order.RECORD.read_text(encoding="utf-8"))
ROWS = {row["name"]: row for row in RECORD["rows"]}

pytestmark = pytest.mark.usefixtures("one_thread")


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
    assert best_loss(lambda row: tuple(sorted(row))) == pytest.approx(math.log(2))
    assert best_loss(tuple) == 0


def test_the_record_has_every_row():
    assert [*ROWS] == [*order.ROWS]
    assert RECORD["updates"] == order.UPDATES
    assert not {*order.SEEN} & {*order.NEW}
    assert all(len(runs) == 5 for row in ROWS.values() for runs in row["runs"].values())


def test_nobody_without_order_is_better_than_a_coin():
    runs = ROWS["none"]["runs"]
    assert min(min(losses) for losses in runs.values()) > math.log(2)
    assert max(runs["seen"]) < math.log(2) + 0.05  # and on pairs seen it comes that far


def test_order_decides_and_distances_reach_farther_than_positions():
    for name in ("learned", "distance"):
        assert max(ROWS[name]["runs"]["new"]) < 0.01
    assert max(ROWS["distance"]["runs"]["later"]) < 0.01
    assert sum(loss > math.log(2) for loss in ROWS["learned"]["runs"]["later"]) >= 4


@pytest.mark.parametrize("name", order.ROWS)
def test_ten_updates_of_each_row_give_the_recorded_loss(name):
    found = order.measure(name, 0, order.FIRST)["seen"]
    assert found == pytest.approx(ROWS[name]["after_ten_updates"], abs=2e-3)


def test_the_chapter_trains_the_same_toy():
    told = printed("07-three-embeddings-make-one-input")
    assert f"with positions after 120 updates: {ROWS['learned']['runs']['seen'][0]:.2f}" in told
