"""The Sphinx extension that writes all flashcards as a deck for Anki, the same bytes every time.

A card is known by its front: somebody who imports a later deck keeps what she has learned.
"""

import html
import re
import tempfile
import zipfile
from pathlib import Path

import genanki
from cards import CHAPTERS, first_cards, stored_cards
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

TARGET = Path(__file__).resolve().parents[1] / "_vendor" / "anki" / "bert-by-hand.apkg"
CARD = re.compile(r"<details><summary>(.*?)</summary><p>(.*?)</p></details>", re.DOTALL)
DECK, MODEL = 1_968_140_001, 1_968_140_002  # Anki knows decks and kinds of cards by numbers
FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def all_cards() -> list[tuple[str, str, str]]:
    """List chapter, front and back of every card."""
    return [
        (chapter.name[:2], front, back)
        for chapter in sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
        for page in stored_cards(chapter)
        for front, back in CARD.findall(page)
    ]


def deck() -> genanki.Deck:
    """Make the deck; fronts and backs are HTML, as in the page."""
    kind = genanki.Model(
        MODEL,
        "BERT by Hand",
        fields=[{"name": "Front"}, {"name": "Back"}],
        templates=[{"name": "Card", "qfmt": "{{Front}}", "afmt": "{{Front}}<hr>{{Back}}"}],
    )
    made = genanki.Deck(DECK, "BERT by Hand")
    first = first_cards()
    for chapter, front, back in all_cards():
        guid = genanki.guid_for(html.unescape(front))
        tags = [f"chapter-{chapter}", *["learn-first"] * (front in first)]
        made.add_note(genanki.Note(kind, [front, back], guid=guid, tags=tags))
    return made


def write_deck(target: Path = TARGET) -> None:
    """Write the deck; an archive holds dates, which are set to one day."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "deck.apkg"
        genanki.Package(deck()).write_to_file(made, timestamp=0)
        with zipfile.ZipFile(made) as given, zipfile.ZipFile(target, "w") as packed:
            for name in sorted(given.namelist()):
                entry = zipfile.ZipInfo(name, FIRST_DAY)
                packed.writestr(entry, given.read(name), zipfile.ZIP_DEFLATED)


class AnkiDeck(SphinxDirective):
    """A link to the deck; the argument is its text."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Write the link, from a page beside the folder of the static files."""
        link = f'<a href="_static/anki/{TARGET.name}" download>{html.escape(self.arguments[0])}</a>'
        return [nodes.raw("", f"<p>{link}</p>", format="html")]


def setup(app: Sphinx) -> dict:
    """Connect the step to Sphinx."""
    app.add_directive("anki-deck", AnkiDeck)
    app.connect("builder-inited", lambda _: write_deck())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
