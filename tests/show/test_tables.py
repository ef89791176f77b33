"""Tables of results: names to the left, a cell for each column, real minus signs."""

import pytest

from bertbook.show.tables import table


def test_a_table_has_a_head_and_names_its_rows():
    found = table(["right", "95 %"], [["MiniLM, a < b", "0.91", "-0.02 to +0.07"]], "method")
    assert found.count("<tr>") == 2 and found.count('scope="col"') == 3
    assert "MiniLM, a &lt; b</th><td>0.91</td><td>−0.02 to +0.07</td>" in found
    assert ">method</th>" in found and 'aria-label="method"' in found


def test_a_hyphen_in_a_word_is_no_minus():
    assert "<td>mid-p - 3</td>" in table(["x"], [["a", "mid-p - 3"]])


def test_a_row_needs_a_cell_for_each_column():
    with pytest.raises(ValueError, match="row 'a' has 1 cells, and there are 2 columns"):
        table(["x", "y"], [["a", 1]])
