"""The minutes on the card of a chapter count all that the page shows, and not its prose alone."""

import nbformat.v4 as nb
import pytest
from nbformat import from_dict
from reading import exercise_minutes, reading_minutes

PROSE = nb.new_markdown_cell("word " * 1800)  # ten minutes


def minutes(*cells):
    cells = [{**cell, "id": f"cell{n}"} for n, cell in enumerate(cells)]
    return reading_minutes(nb.new_notebook(cells=[PROSE, *map(from_dict, cells)]))


def drawn(source, *tags):
    html = nb.new_output("display_data", data={"text/html": "<p>"})
    return nb.new_code_cell(source, outputs=[html], metadata={"tags": ["remove-input", *tags]})


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([], 10),
        ([nb.new_markdown_cell("$$\nx^2\n$$\n\n" * 5)], 15),
        ([drawn("ask('1 + 1?', 2)")] * 5, 20),
        ([drawn("which_line('Which?', f)")] * 5, 25),
        ([drawn("table()")] * 10, 15),
        ([nb.new_code_cell("x = 1\n" * 50)], 15),
        ([nb.new_code_cell("x = 1\n" * 50, metadata={"tags": ["hide-input"]})], 10),
        ([drawn("table()", "remove-cell")] * 10, 10),
    ],
)
def test_what_is_seen_takes_time(cells, expected):
    assert minutes(*cells) == expected


def test_exercises_say_their_own_time():
    cells = [nb.new_markdown_cell(f"Difficulty ●○○ · {n} minutes") for n in (5, 40)]
    assert exercise_minutes(nb.new_notebook(cells=cells)) == 45
