"""The Sphinx extension of the glossary: its letters lead to their terms, its chapters are links."""

import re
from pathlib import Path

from myst_parser.mdit_to_docutils.base import default_slugify
from sphinx.application import Sphinx

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
TERM = re.compile(r"^### (.+)$", re.MULTILINE)
CHAPTER = re.compile(r"^\*Chapter (\d+)\.\*", re.MULTILINE)
LETTERS = "<!-- letters -->"


def linked(text: str) -> str:
    """Link each chapter that an entry names, and put the letters in their place."""
    page = {int(path.name[:2]): path.name for path in CHAPTERS.glob("[0-9][0-9]-*.ipynb")}
    text = CHAPTER.sub(lambda n: f"*[Chapter {n[1]}](chapters/{page[int(n[1])]}).*", text)
    return text.replace(LETTERS, letters(TERM.findall(text)))


def letters(terms: list[str]) -> str:
    """Link each letter to the first term that begins with it."""
    first: dict[str, str] = {}
    for term in terms:
        first.setdefault(term[0].upper(), term)
    return " · ".join(
        f"[{letter}](#{default_slugify(term)})"
        for letter, term in first.items()
        if letter.isalpha()
    )


def link(app: Sphinx, docname: str, source: list[str]) -> None:
    """Change the glossary while it is read."""
    if docname == "glossary":
        source[0] = linked(source[0])


def setup(app: Sphinx) -> dict:
    """Connect the step to Sphinx."""
    app.connect("source-read", link)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
