"""The figures of a chapter for an e-book: a table stays a table, all others are drawings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

import nbformat
from answers_behind import made
from bs4 import BeautifulSoup, Tag
from ebook_colors import opaque

from bertbook.core.static_svg.drawing import still

OUTPUT = ".output.text_html"
CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.DOTALL)
NAMED = re.compile(r"""( id="|url\(#|href="#)""")
# A figure of these alone is text, and any reader can enlarge, search and copy it.
TEXT = {"figcaption", "div", "p", "ol", "ul", "li", "table", "caption", "thead", "tbody", "tr"} | {
    *("th", "td", "em", "strong", "b", "i", "code", "small", "sub", "sup", "br", "wbr", "a"),
}
WIDTH = 460  # pixels of a drawing: on a small screen letters of one that is wider are too small
LONGEST = 1200  # letters of an alternative text; a longer one says what the figure shows instead


def stored_outputs(path: Path) -> list[tuple[str, str]]:
    """List what a page shows of a notebook as HTML, with its summaries, in the order of the page.

    It does not show what a checker says to an exercise: the cell before a solution.
    """
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    seen = [
        cell
        for cell, below in zip_longest(cells, cells[1:])
        if not {"remove-output", "remove-cell"} & {*tags_of(cell)}
        and not (below and "solution" in tags_of(below))
    ]
    data = (output.data for cell in seen for output in cell.outputs if "data" in output)
    return [(each["text/html"], each["text/plain"]) for each in data if "text/html" in each]


def tags_of(cell) -> list[str]:
    """List the tags of a cell."""
    return cell.metadata.get("tags", [])


def is_text(figure: Tag) -> bool:
    """Say whether a figure needs no drawing: it is made of tables and lines."""
    if {each.name for each in figure.find_all(True)} - TEXT:
        return False
    return "gradient" not in str(figure) and not figure.select(".mb-bar, .mb-flow")


def draw_figures(article: Tag, outputs: list[tuple[str, str]], stem: str) -> dict[str, bytes]:
    """Put drawings in the place of figures; give their files, named after the chapter."""
    files: dict[str, bytes] = {}
    shown = article.select(OUTPUT)
    if len(shown) != len(outputs):
        raise ValueError(
            f"{stem} shows {len(shown)} results and its notebook stores {len(outputs)}: "
            "build the pages again with `make book`"
        )
    for output, (html, summary) in zip(shown, outputs, strict=True):
        figure = output.find("figure", recursive=False)
        if isinstance(figure, Tag) and not is_text(figure):
            name = f"figures/{stem}-{len(files) + 1}.svg"
            files[name] = _drawing(html, summary).encode()
            figure.replace_with(_figure(name, files[name].decode(), html, summary))
    return files


def _drawing(html: str, summary: str) -> str:
    """Draw a figure without its caption, which stays text; in XML a name begins with a letter."""
    return opaque(NAMED.sub(r"\1d-", still(CAPTION.sub("", html), summary, WIDTH)))


def _figure(name: str, svg: str, html: str, summary: str) -> Tag:
    """Write a picture with its caption and with words for those who cannot see it."""
    figure = made('<figure><img class="drawing"/></figure>')
    assert figure.img is not None
    figure.img["src"] = name
    figure.img["alt"] = in_words(svg) or summary
    caption = CAPTION.search(html)
    if caption:
        figure.append(BeautifulSoup(caption[0], "html.parser"))
    return figure


def in_words(svg: str) -> str:
    """Say what stands in a drawing: the description of each part that has one, else its letters."""
    words = " ".join(" ".join(_words(ElementTree.fromstring(svg))).split())
    return words if len(words) <= LONGEST else ""


def _words(element: ElementTree.Element) -> Iterator[str]:
    if label := element.get("aria-label"):
        yield label
    elif not element.tag.endswith(("}title", "}style")):
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""
