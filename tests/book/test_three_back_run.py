"""The record of the word three back, and a miniature of its runs."""

import json

import pytest
from definitions import assert_mean_and_sd

from benchmarks import three_back

RECORD = json.loads(three_back.RECORD.read_text(encoding="utf-8"))
ROWS = {row["name"]: row for row in RECORD["rows"]}

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_record_has_every_row_at_the_rate_that_was_best():
    assert [*ROWS] == [*three_back.ROWS]
    for row in ROWS.values():
        losses = dict(zip(RECORD["rates"], row["loss_at_rates"], strict=True))
        assert row["rate"] == min(losses, key=losses.get)
        for name, runs in row["runs"].items():
            assert len(runs) == 5
            assert_mean_and_sd(row["mean_and_sd"][name], runs)


@pytest.mark.parametrize("name", ROWS)
def test_ten_updates_of_each_row_give_the_recorded_loss(name):
    found = three_back.measure(name, 0, ROWS[name]["rate"], three_back.FIRST)["loss"]
    assert found == pytest.approx(ROWS[name]["after_ten_updates"], abs=2e-3)
