"""Chapter 22's tables: the best rate is chosen elsewhere, differences are paired, cells escaped."""

import re

import numpy as np
import pytest

from bertbook.show.search_tables import (
    WITHOUT_CHANGE,
    best_runs,
    found_table,
    gains_of,
    milliseconds_table,
    search_table,
    settings_table,
)


def run(seed, rate, development, ranks):
    return {"seed": seed, "rate": rate, "development": development, "ranks": ranks}


RUNS = {
    WITHOUT_CHANGE: [run(0, 0.1, 0.2, [1, 1]), run(0, 0.2, 0.9, [2, 2]), run(1, 0.2, 0.1, [2, 4])],
    "random start": [run(1, 0.1, 0.1, [1, 2]), run(0, 0.1, 0.5, [1, 1])],
}


def cells(shown):
    text = shown if isinstance(shown, str) else shown.content
    return re.findall(r"<t[dh](?: [^>]*)?>([^<]*)", text)


def test_the_rate_is_chosen_by_the_first_seed_and_not_by_what_is_searched():
    best = [(made["seed"], made["rate"]) for made in best_runs(RUNS[WITHOUT_CHANGE])]
    assert best == [(0, 0.2), (1, 0.2)]


def test_gains_have_a_row_for_each_seed():
    assert gains_of(RUNS["random start"]).tolist() == [[1, 1], [1, 0.5]]


def test_a_change_is_compared_seed_by_seed():
    found = cells(settings_table(RUNS, {WITHOUT_CHANGE: "base", "random start": "random"}))
    assert found[5:10] == ["base", "0.2", "0.44 ± 0.09", "", ""]
    assert found[10:14] == ["random", "0.1", "0.88 ± 0.18", "+0.44"]


def test_a_search_shows_its_three_measures():
    found = cells(search_table({"one": [1, 4, 2], "two": np.ones(3, int)}))
    assert found[5] == "one" and found[6] == "0.58" and found[8] == "1.00"
    assert found[-5:] == ["two", "1.00", "1.00 to 1.00", "1.00", "1.00"]


def test_seconds_become_milliseconds():
    assert cells(milliseconds_table({"one": [0.001, 0.002, 0.003]}))[-3:] == [
        "one", "2.00", "1.50 to 2.50",
    ]  # fmt: skip


@pytest.mark.parametrize("place", [0, 1])
def test_what_is_found_cannot_write_into_the_page(place):
    row = ["x", "x"]
    row[place] = "<b>"
    assert "<b>" not in found_table(["cosine", "document"], [row])
