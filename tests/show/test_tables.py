"""Tables of results: every cell arrives, as people write numbers, and as text as well."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bertbook.core import parts_table, result_table, show_table
from bertbook.core.grid import sign_grid
from bertbook.records import record_of
from bertbook.topics.search.tables import found_table

RECORD = record_of("toy_parts")


def rows_of(shown):
    table = next(ElementTree.fromstring(shown.content).iter("table"))
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_cells_are_written_as_people_do():
    columns = {
        "a & b": ["<x>", "y", "z", "w"],
        "n": [23_837_184, np.int64(-4), None, "none"],
        "loss": [-0.0004, {"mean": -1.25, "sd": 0.051}, float("nan"), 2],
    }
    shown = show_table(columns, "Told.", digits=2)
    assert rows_of(shown) == [
        ["a & b", "n", "loss"],
        ["<x>", "23,837,184", "0.00"],
        ["y", "−4", "−1.25 ± 0.05"],
        ["z", "", "nan"],
        ["w", "none", "2"],
    ]
    assert repr(shown).splitlines()[0] == "Told."
    assert [line.split(" | ") for line in repr(shown).splitlines()[1:]] == rows_of(shown)


def test_phrases_are_read_from_the_left_and_numbers_stand_at_the_right():
    columns = {"guesser": ["bag", "full"], "knows": ["all words", "order"], "loss": ["0.1", "0.08"]}
    table = next(ElementTree.fromstring(show_table(columns, "Told.").content).iter("table"))
    sides = [[cell.get("style") for cell in row] for row in table.iter("tr")]
    assert sides == [[None, "text-align:left", None]] * 3
    one_word = show_table({"part": ["heads"], "notices": ["yes"]}, "Told.")
    assert "text-align" not in one_word.content


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (show_table, [{"a": ["x", "y"], "b": [1]}, "T."], "'b': 1}; None leaves a cell empty"),
        (parts_table, [RECORD, "5 heads"], "no row '5 heads'; the rows are 1 head, 2 heads,"),
        (result_table, [["x", "y"], [["a", 1]]], "row 'a' has 1 cells, and there are 2 columns"),
        (sign_grid, [["x", "y"], {"a": [""]}, "A."], "'a' has 1 signs, and there are 2 columns"),
    ],
)
def test_rows_and_columns_that_do_not_fit_are_refused(make, given, words):
    with pytest.raises(ValueError, match=words):
        make(*given)


def test_a_table_has_a_head_and_names_its_rows():
    found = result_table(["right", "95 %"], [["MiniLM, a < b", "0.91", "-0.02 to +0.07"]], "method")
    assert found.count("<tr>") == 2 and found.count('scope="col"') == 3
    assert "MiniLM, a &lt; b</th><td>0.91</td><td>−0.02 to +0.07</td>" in found
    assert "<td>mid-p - 3</td>" in result_table(["x"], [["a", "mid-p - 3"]])  # no minus
    assert "<b>" not in found_table(["cosine", "document"], [["<b>", "x"], ["x", "<b>"]])
