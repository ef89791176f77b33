"""What is summed over all chapters: the table of costs, and from how many to how many minutes.

Each chapter stores its own numbers. They are put together while the pages are built, so that a
change in a chapter changes no other file.
"""

from pathlib import Path

import costs
import nbformat
from reading import spans
from sphinx.application import Sphinx

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
TABLE = "<!-- costs of all chapters -->"


def fill(text: str, notebooks: dict[str, nbformat.NotebookNode]) -> str:
    """Put the totals in their places: a comment for the table, braces for minutes."""
    for name, minutes in spans(notebooks.values()).items():
        text = text.replace(f"{{{name}}}", minutes)
    return text.replace(TABLE, costs.table(notebooks))


def put_on_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill the pages that speak of all chapters, and make them again when a chapter changes."""
    if docname not in ("index", "statistics"):
        return
    paths = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
    for path in paths:
        app.env.note_dependency(str(path))
    source[0] = fill(source[0], {path.stem: nbformat.read(path, 4) for path in paths})


def setup(app: Sphinx) -> dict:
    """Connect the step to Sphinx."""
    app.connect("source-read", put_on_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
