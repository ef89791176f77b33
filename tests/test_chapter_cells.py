"""A cell that fails is named as an editor names it."""

from types import SimpleNamespace

from chapter_cells import place_of
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbval.plugin import IPyNbCell, NbCellError, nocolors

CELLS = [
    new_markdown_cell("# A chapter\n\nIt begins."),
    new_code_cell("a = 1"),
    new_markdown_cell("Some text."),
    new_markdown_cell("## Two rules\n\nMore of it."),
    new_code_cell("print(a + 1)", outputs=[new_output("stream", text="3\n")]),
]


def test_the_place_counts_all_cells_from_one_and_names_the_section():
    assert place_of(CELLS[4], CELLS) == (
        "This is cell 5 of 5 in an editor, in the section “Two rules”"
    )
    assert place_of(CELLS[1], CELLS).endswith(
        "cell 2 of 5 in an editor, in the section “A chapter”"
    )
    assert place_of(CELLS[1], CELLS[1:]) == "This is cell 1 of 4 in an editor"


def test_nbval_says_the_place_of_a_wrong_cell():
    notebook = SimpleNamespace(nb=SimpleNamespace(cells=CELLS))
    cell = SimpleNamespace(cell=CELLS[4], parent=notebook, colors=nocolors)
    error = SimpleNamespace(value=NbCellError(1, "Cell outputs differ", CELLS[4].source))
    told = IPyNbCell.repr_failure(cell, error)
    assert told.startswith("This is cell 5 of 5 in an editor, in the section “Two rules”.\n")
    assert "Cell outputs differ" in told
