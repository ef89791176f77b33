"""What is summed over all chapters: costs, minutes, the cells that are compared, and paths.

Each chapter stores its own numbers. They are put together while the pages are built, so that a
change in a chapter changes no other file.
"""

from pathlib import Path

import costs
import misconceptions
import nbformat
import paths
import release
import teachers
from reading import spans
from sphinx.application import Sphinx

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
TABLE = "<!-- costs of all chapters -->"


def fill(text: str, notebooks: dict[str, nbformat.NotebookNode]) -> str:
    """Put the totals in their places: a comment for each table, braces for the rest."""
    run, compared = map(sum, zip(*map(costs.count_cells, notebooks.values())))
    numbers = spans(notebooks.values()) | {"cells run": f"{run}", "cells compared": f"{compared}"}
    told = {f"{{{name}}}": number for name, number in numbers.items()} | paths.totals(notebooks)
    for place, words in told.items():
        text = text.replace(place, words)
    tables = {TABLE: costs.table(notebooks), release.DOWNLOADS: release.downloads()}
    for place, table in tables.items():
        text = text.replace(place, table)
    return misconceptions.fill(teachers.fill(text, notebooks), notebooks)


def put_on_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill the pages that speak of all chapters, and make them again when a chapter changes."""
    if docname not in ("index", "paths", "statistics", "for-teachers"):
        return
    chapters = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
    for path in chapters:
        app.env.note_dependency(str(path))
    source[0] = fill(source[0], {path.stem: nbformat.read(path, 4) for path in chapters})


def setup(app: Sphinx) -> dict:
    """Connect the step to Sphinx."""
    app.connect("source-read", put_on_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
