"""The tables of Chapter 14's records: seeds, steps that are passed, intervals over pairs."""

import numpy as np
import pytest

from bertbook.show import small_world_runs as shown


def row(content: str, name: str) -> list[str]:
    """Give the cells of one row."""
    (line,) = [line for line in content.split("<tr>") if f">{name}</th>" in line]
    return [cell.split("</td>")[0] for cell in line.split("<td>")[1:]]


def test_runs_have_their_share_of_the_gap_and_an_sd():
    runs = [{"seed": 0, "masked_lm_loss": 1.0, "accuracy": 0.9},
            {"seed": 1, "masked_lm_loss": 2.0, "accuracy": 0.8}]  # fmt: skip
    floors = {"corrupted": {"masked_word": {"value": 0.0}}}
    record = {"ladder": {"unigram": 4.0}, "floors": floors, "runs": runs}
    content = shown.runs_table(record).content
    assert row(content, "seed 1") == ["2.000", "50.00%", "0.8000"]
    assert row(content, "mean") == ["1.500", "62.50%", "0.8500"]
    assert row(content, "sd") == ["0.707", "17.68%", "0.0707"]


def test_a_step_is_passed_by_the_last_curve_late_or_never():
    curves = [[3.0, 1.5, 0.5], [3.0, 2.5, 1.5]]
    content = shown.passed_table({"two": 2.0, "none": 0.1}, [10, 20, 30], curves).content
    assert row(content, "two") == ["2.000", "2 of 2", "30"]
    assert row(content, "none") == ["0.100", "0 of 2", "never"]


def test_an_interval_draws_whole_groups():
    groups = np.repeat(np.arange(40), 25)
    alike = np.repeat(np.random.default_rng(0).normal(size=40), 25)
    low, high = shown.interval_over_groups(alike, groups)
    single = shown.interval_over_groups(alike, np.arange(1000))
    assert high - low > 3 * (single[1] - single[0])


def test_kinds_are_counted_and_the_last_guesser_has_an_interval():
    losses = {"best": np.array([0.0, 1.0, 3.0]), "model": np.array([1.0, 1.0, 5.0])}
    chosen = {"few": np.array([True, True, False])}
    content = shown.kinds_table(losses, chosen, np.array([0, 1, 1])).content
    assert row(content, "few") == ["0.50", "1.00", "1.00 to 1.00", "2"]


@pytest.mark.parametrize(("ends", "cell"), [([1.0], "1.00"), ([1.0, 3.0], "2.00 ± 1.41")])
def test_copying_says_how_many_seeds_there_are(ends, cell):
    kinds = ("other words", "names", "pronouns")
    bounds = {name: dict.fromkeys(kinds, 0.5) for name in ("one_sentence", "both_sentences")}
    seeds = [{"mean": dict.fromkeys(kinds, end)} for end in ends]
    content = shown.copying_table({"bounds": bounds, "runs": {"a run": {"seeds": seeds}}}).content
    assert row(content, "a run") == [cell, cell, cell, str(len(ends))]


def test_levels_are_written_with_three_digits():
    assert row(shown.levels_table({"floor": 0.37891}, "c").content, "floor") == ["0.379"]
