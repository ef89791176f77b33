"""The record of the word three back, and a miniature of its runs."""

import json

import pytest
import torch
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


def test_the_label_is_the_word_three_back():
    batch = three_back.chapter.three_back(2, 9, torch.Generator().manual_seed(0))
    assert torch.equal(batch["labels"][:, 3:], batch["input_ids"][:, :-3])
    assert (batch["labels"][:, :3] == -100).all()


def test_with_alibi_both_sides_are_alike():
    model = three_back.chapter.copier(three_back.ROWS["ALiBi"].attention, 0).eval()
    ids = torch.tensor([[1, 2, 3, 4, 5]])
    places = three_back.chapter.nowhere(5)
    with torch.no_grad():
        one = model(ids, position_ids=places).logits
        other = model(ids.flip(1), position_ids=places).logits.flip(1)
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_rows_begun_anywhere_reach_every_row_of_the_table():
    generator = torch.Generator().manual_seed(0)
    seen = {int(i) for _ in range(600) for i in three_back.begun_anywhere(16, generator)[0]}
    assert seen == set(range(three_back.LONG))
    assert three_back.begun_anywhere(5).tolist() == [[0, 1, 2, 3, 4]]
