"""The tables of Chapter 13's record: means, gains in pairs, signs, and peaks."""

import pytest

from bertbook.show import training_runs as shown

PAIRS = [
    {"depth": 2, "peak": 0.01, "warmup": 0, "held_out": [3.0, 3.2, 3.1]},
    {"depth": 2, "peak": 0.01, "warmup": 25, "held_out": [2.9, 3.3, 2.7]},
]


def test_gains_are_taken_seed_by_seed():
    content = shown.warm_up_table(PAIRS).content
    cells = ("2 of 3", "0.13", "3.10 ± 0.10", "2.97 ± 0.31", "0.750")
    assert "2 layers, 0.01</th>" + "".join(f"<td>{cell}</td>" for cell in cells) in content


@pytest.mark.parametrize(
    ("gains", "p"), [([1, 1], 0.5), ([-1, -1], 0.5), ([1, -1], 1), ([3, 2, 1], 0.25)]
)
def test_signs_are_counted_on_both_sides(gains, p):
    assert shown.sign_flip_p(gains) == p


def test_the_odd_batch_is_shown_before_after_and_at_the_end():
    made = [{"40": 3.0, "45": 3.5, "80": 3.2}, {"40": 3.2, "45": 3.9, "80": 3.2}]
    cells = "<td>3.10 ± 0.14</td><td>3.70 ± 0.28</td><td>3.20 ± 0.00</td>"
    assert cells in shown.odd_batch_table({"clipped": made}).content


def test_each_run_ends_with_each_seed():
    content = shown.ends_table({"A": {"ends": [1.0, 2.345]}}).content
    assert "seed 1</th>" in content and "A</th><td>1.00</td><td>2.35</td>" in content


def test_the_lowest_peak_and_that_of_each_seed_differ():
    runs = [{"peak": p, "held_out": ends} for p, ends in ((1, [5, 4]), (2, [3, 4.5]), (3, [9, 9]))]
    assert shown.lowest_peak(runs) == 2
    assert shown.peaks_of_single_seeds(runs) == [2, 1]
