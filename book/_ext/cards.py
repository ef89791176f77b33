"""The Sphinx extension that puts the flashcards of all chapters on one page.

The cards are taken from what the notebooks have stored, so that each stands in one place only, with
the same elements and the same style as in its chapter. Those to learn first, whose fronts stand in
``first_cards.txt``, get a class that the style sheet marks with a star.
"""

import html
import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
CARDS = re.compile(r'<div class="mb-cards".*</div>', re.DOTALL)
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
FIRST_CARDS = CHAPTERS.parent / "first_cards.txt"


def stored_cards(chapter: Path) -> list[str]:
    """Return the HTML of all flashcards that a notebook has stored."""
    cells = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    pages = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return [page for page in pages if CARDS.search(page)]


def first_cards() -> list[str]:
    """List the fronts of the cards to learn first, as they are escaped in the notebooks."""
    return [html.escape(line) for line in FIRST_CARDS.read_text(encoding="utf-8").splitlines()]


def with_stars(page: str) -> str:
    """Mark the cards of a page that are to be learned first."""
    for front in first_cards():
        card = f"<details><summary>{front}</summary>"
        page = page.replace(card, card.replace("<details>", '<details class="mb-first">'))
    return page


class AllFlashcards(SphinxDirective):
    """The flashcards of all chapters, each chapter's under a heading that leads to it."""

    def run(self) -> list[nodes.Node]:
        """Write one section for each chapter that has cards."""
        self.env.note_dependency(str(FIRST_CARDS))
        found: list[nodes.Node] = []
        for chapter in sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb")):
            self.env.note_dependency(str(chapter))
            pages = stored_cards(chapter)
            if pages:
                found.append(self._section(chapter, pages, not found))
        return found

    def _section(self, chapter: Path, pages: list[str], with_style: bool) -> nodes.section:
        title = _title(chapter)
        heading = nodes.title(title, f"{int(chapter.name[:2])} · {title}")
        section = nodes.section("", heading, ids=[f"cards-{chapter.name[:2]}"])
        link = addnodes.pending_xref(
            "", nodes.inline("", "To the chapter"), refdomain="std", reftype="doc",
            reftarget=f"/chapters/{chapter.stem}", refexplicit=True, refwarn=True,
        )  # fmt: skip
        section += nodes.paragraph("", "", link)
        for page in pages:
            shown = page if with_style else STYLE.sub("", page)
            section += nodes.raw("", with_stars(shown), format="html")
        return section


def _title(chapter: Path) -> str:
    """Read the heading of level 1."""
    cells = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    match = re.search(r"^# (.+)$", text, re.MULTILINE)
    return match[1] if match else chapter.stem


def setup(app: Sphinx) -> dict:
    """Connect the directive to Sphinx."""
    app.add_directive("all-flashcards", AllFlashcards)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
