"""Every stored figure has a second form, and it shows what its HTML shows."""

from pathlib import Path

import nbformat
import pytest
from book_tree import chapters
from nbformat.v4 import new_output
from planting import assert_kept, code, says
from stills import SVG, figures, redraw, second_form

WAY_OUT = "Run `python book/_ext/stills.py`."


def second_forms(root: Path) -> list[str]:
    """Hold the drawing of every figure to the HTML beside it, letter by letter."""
    found = []
    for chapter in chapters(root):
        for data in figures(nbformat.read(chapter.path, as_version=4)):
            name = data["text/plain"][:60] or "a figure without a caption"
            if SVG not in data:
                found.append(
                    f"{chapter.name}: {name!r} is lost where no HTML is shown, in print too: it "
                    f"has no drawing beside it. {WAY_OUT}"
                )
            elif data[SVG] != second_form(data):
                found.append(f"{chapter.name}: {name!r} is drawn otherwise than shown. {WAY_OUT}")
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_every_figure_of_this_project_has_two_forms():
    assert_kept(second_forms)


def test_a_figure_without_its_drawing_and_the_way_out(plot):
    cell = code("draw()", tags=("remove-input",))
    one = {"text/html": "<figure><p>one</p></figure>", "text/plain": "Figure 2.1. One."}
    cell.outputs = [new_output("execute_result", one)]
    says(second_forms(plot.chapter("# A", cell)), "'Figure 2.1. One.' is lost where no HTML is")
    cell.outputs[0].data[SVG] = second_form(one | {"text/html": "<figure><p>two</p></figure>"})
    root = plot.chapter("# A", cell)
    says(second_forms(root), "'Figure 2.1. One.' is drawn otherwise than shown")
    (chapter,) = chapters(root)
    assert redraw(chapter.path)
    assert second_forms(root) == []
