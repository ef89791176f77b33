"""Give every stored figure its second form: `python book/_ext/stills.py`.

A figure is stored as HTML, and as a drawing of that HTML for viewers which show none. A chapter
that is run stores both. Where the way of drawing has changed, this draws the stored figures again,
without running anything: the drawing follows from the HTML beside it.
"""

import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from notebooks import BOOK, chapters, write_whole

from bertbook.core.static_svg.drawing import still

SVG = "image/svg+xml"
# What only text shows as well is no figure: a verdict, a printed result.
FIGURES = ("<figure", "<fieldset", "<details", "<svg", "<canvas", "<script")


def figures(notebook: NotebookNode) -> list[NotebookNode]:
    """List the data of every output that is a figure, a question or a set of cards."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    shown = (output.data for output in outputs if "data" in output)
    return [data for data in shown if any(tag in data.get("text/html", "") for tag in FIGURES)]


def second_form(data: NotebookNode) -> str:
    """Draw what an output shows as HTML."""
    return still(data["text/html"], data["text/plain"])


def redraw(path: Path) -> bool:
    """Draw the figures of a chapter; say whether one of them had another second form, or none."""
    notebook = nbformat.read(path, as_version=4)
    old = [data for data in figures(notebook) if data.get(SVG) != second_form(data)]
    for data in old:
        data[SVG] = second_form(data)
    if old:
        write_whole(path, nbformat.writes(notebook).rstrip("\n") + "\n")
    return bool(old)


def main() -> int:
    """Draw the figures of all chapters, and name those that have changed."""
    for path in chapters(BOOK):
        if redraw(path):
            print(f"{path.name}: its figures are drawn again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
