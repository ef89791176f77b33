"""The Sphinx extension of the search: what each section says, as one script for the search page.

A page opened from the disk may read no other files, so the script brings along the sentences that
are shown. A sentence with a formula, or one that lies in a fold, is searched and never shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment

SCRIPT = "_static/search-index.js"
NOT_TEXT = "\ufffc"  # stands in a sentence for what is no text, or not yet
NEXT_SENTENCE = re.compile(r"(?<=[.?!])(?<! al\.)\s+(?=[\W_]*[A-Z0-9])")
SENTENCE = re.compile(r"[“‘(\[]*[A-Z].*[.?!]\W*|\d.*[.?!]\W*")
FEWEST_WORDS = 4
MOST_LETTERS = 320
INTRODUCED = re.compile(r"Chapter (\d+)\.")
ALSO_CALLED = re.compile(r"\balso called:? ([^.;]+)", re.IGNORECASE)
NO_TEXT = nodes.literal_block | nodes.math_block | nodes.comment | nodes.system_message
OF_ITS_OWN = nodes.section | addnodes.desc | nodes.title


class Section(NamedTuple):
    """A section of a page, or an object of the API: what it says of its own."""

    anchor: str
    heading: str
    sentences: list[str]
    rest: str


def sections_of(document: nodes.document) -> list[Section]:
    """Read all sections of a page, in their order."""
    found = []
    for node in document.findall(nodes.Element):
        if not isinstance(node, nodes.section | addnodes.desc):
            continue
        head = node.children[0]
        assert isinstance(head, nodes.Element)  # the title, or the signature
        names = node["ids"] or head["ids"]
        heading = head.get("fullname") or _text(head)
        if names and heading:
            found.append(Section(names[0], heading, *_said(node)))
    return found


def _said(section: nodes.Element) -> tuple[list[str], str]:
    """Divide what a section says into sentences that can be shown, and the rest."""
    sentences, rest = [], []
    for passage, is_seen in _passages(section):
        for sentence in NEXT_SENTENCE.split(passage):
            (sentences if is_seen and _can_be_shown(sentence) else rest).append(sentence)
    return sentences, " ".join(rest).replace(NOT_TEXT, " ")


def _can_be_shown(sentence: str) -> bool:
    """Say whether it is a whole sentence of a length that one reads at a glance."""
    is_whole = NOT_TEXT not in sentence and sentence.count("(") == sentence.count(")")
    fits = len(sentence) <= MOST_LETTERS and len(sentence.split()) >= FEWEST_WORDS
    return is_whole and fits and SENTENCE.fullmatch(sentence) is not None


def _passages(node: nodes.Element, is_seen: bool = True) -> Iterator[tuple[str, bool]]:
    """Read the paragraphs of a section but not of those below it, and whether a fold hides them."""
    folds = 0  # that are open around a child: their marks are HTML between the paragraphs
    for child in node.children:
        if isinstance(child, NO_TEXT | OF_ITS_OWN):
            continue
        if isinstance(child, nodes.raw):
            folds += child.astext().count("<details") - child.astext().count("</details")
        elif isinstance(child, nodes.TextElement):
            yield _text(child), is_seen and not folds
        elif isinstance(child, nodes.Element):
            is_open = not folds and child.get("design_component") != "dropdown"
            yield from _passages(child, is_seen and is_open)


def _text(node: nodes.Node) -> str:
    """Read the text of an element, in one line."""
    return " ".join("".join(_pieces(node)).split())


def _pieces(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Text):
        yield node.astext()
    elif isinstance(node, nodes.math | nodes.raw | nodes.image) or _has_no_text_yet(node):
        yield NOT_TEXT
    else:
        for child in node.children:
            yield from _pieces(child)


def _has_no_text_yet(node: nodes.Node) -> bool:
    """Say whether a link gets its words only later: a citation, or the title of its target."""
    return isinstance(node, addnodes.pending_xref) and not node.get("refexplicit")


class Book(NamedTuple):
    """Pages, their titles, and their sections by the names of the pages."""

    titles: dict[str, str]
    sections: dict[str, list[Section]]

    def introduced(self) -> dict[tuple[str, str], list[Section]]:
        """Give the entries of the glossary to the sections that introduce them."""
        found: dict[tuple[str, str], list[Section]] = {}
        chapters = {name.split("/")[-1][:2]: name for name in self.sections if "chapters/" in name}
        for entry in self.sections.get("glossary", ()):
            number = INTRODUCED.match(entry.rest)
            page = chapters.get(number[1].zfill(2)) if number else None
            if page:
                place = first_with(entry.heading, self.sections[page])
                found.setdefault((page, place.anchor), []).append(entry)
        return found


def first_with(word: str, sections: list[Section]) -> Section:
    """Find the first section that has a word in its heading, else in its text, else the first."""
    wanted = re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE)
    headed = (each for each in sections if wanted.search(each.heading))
    said = (each for each in sections if wanted.search(" ".join([*each.sentences, each.rest])))
    return next(headed, None) or next(said, sections[0])


def script(book: Book) -> str:
    """Write the script of the search page."""
    pages = sorted(book.sections)
    introduced = book.introduced()
    content = {
        "pages": [[f"{page}.html", book.titles[page]] for page in pages],
        "sections": [
            [number, *with_meanings(each, introduced.get((page, each.anchor), ()))]
            for number, page in enumerate(pages)
            for each in book.sections[page]
        ],
    }
    return f"const searchIndex = {json.dumps(content, ensure_ascii=False)};\n"


def with_meanings(section: Section, entries: Iterable[Section]) -> list:
    """Let a section be found by all words of what it introduces; these are not shown."""
    meanings = [" ".join([*entry.sentences, entry.rest]) for entry in entries]
    names = [name for entry, said in zip(entries, meanings) for name in names_of(entry, said)]
    return [*section[:-1], " ".join([section.rest, *meanings]), names]


def names_of(entry: Section, meaning: str) -> list[str]:
    """List the names of a term: its own, and those by which it is also called."""
    others = (re.split(r", (?:or )?| or ", names) for names in ALSO_CALLED.findall(meaning))
    return [entry.heading, *(name.strip() for names in others for name in names if name.strip())]


def title_of(page: str, title: str) -> str:
    """Name a page; a chapter has its number."""
    number = re.match(r"chapters/(\d+)-", page)
    return f"Chapter {int(number[1])}. {title}" if number else title


def note_sections(app: Sphinx, document: nodes.document) -> None:
    """Keep what a page says, when it is read; other builds will find it there."""
    _kept(app.env)[app.env.docname] = sections_of(document)


def forget_page(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Forget a page that is read again, or gone."""
    _kept(env).pop(page, None)


def take_over(app: Sphinx, env: BuildEnvironment, pages: Iterable[str], other) -> None:
    """Take over what another process has read."""
    _kept(env).update({page: _kept(other)[page] for page in pages if page in _kept(other)})


def _kept(env) -> dict[str, list[Section]]:
    if not hasattr(env, "book_sections"):
        env.book_sections = {}
    return env.book_sections


def replace_search(app: Sphinx, config) -> None:
    """Make the search page of our own template."""
    config.html_additional_pages["search"] = "search.html"


def switch_off_index(app: Sphinx) -> None:
    """Let Sphinx make no index: it orders equals by their letters, and shows whatever is near."""
    if isinstance(app.builder, StandaloneHTMLBuilder):
        app.builder.search = False


def write_script(app: Sphinx, exception: Exception | None) -> None:
    """Write the script when all pages are written."""
    if exception is None and app.builder.format == "html":
        sections = _kept(app.env)
        titles = {page: title_of(page, app.env.titles[page].astext()) for page in sections}
        target = Path(app.outdir) / SCRIPT
        target.write_text(script(Book(titles, sections)), encoding="utf-8")


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx."""
    app.connect("config-inited", replace_search)
    app.connect("builder-inited", switch_off_index)
    app.connect("doctree-read", note_sections)
    app.connect("env-purge-doc", forget_page)
    app.connect("env-merge-info", take_over)
    app.connect("build-finished", write_script)
    is_safe = {"parallel_read_safe": True, "parallel_write_safe": True}
    return {"version": "1", "env_version": 1, **is_safe}
