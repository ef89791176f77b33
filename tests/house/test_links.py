"""Every link inside the project leads to a file that exists, and to a heading in it."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from book_tree import chapters, files, name_of
from planting import code, says
from prose import TARGET, Block, blocks

HTML_LINK = re.compile(r"<[^>]*\b(?:href|src)=\"([^\"]+)\"")


def links(root: Path) -> list[str]:
    """Follow every internal link of the notebooks and of all markdown files."""
    pages = dict(_pages(root))
    found = []
    for path, text in pages.items():
        for link in _links(text):
            problem = _problem(link, path, pages)
            if problem:
                found.append(f"{name_of(path, root)}: the link to {link} {problem}")
    return found


def _pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield the markdown of every page of the book and of the files around it."""
    for path in files(root):
        if path.suffix == ".md":
            yield path, path.read_text(encoding="utf-8")
    for chapter in chapters(root):
        prose = [cell.source for cell in chapter.cells if cell.kind == "markdown"]
        yield chapter.path, "\n\n".join(prose)


def _links(text: str) -> Iterator[str]:
    """Yield the addresses of links and pictures that lie inside the project."""
    written = [link for block in blocks(text) for link in block.links]
    for link in dict.fromkeys([*written, *HTML_LINK.findall(text)]):
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            yield link


def _problem(link: str, path: Path, pages: dict[Path, str]) -> str:
    """Say what is wrong with one link; nothing if it leads somewhere."""
    place, anchor = unquote(urlsplit(link).path), unquote(urlsplit(link).fragment)
    target = (path.parent / place).resolve() if place else path
    if not target.exists():
        return "leads to no file. Correct the path; it is read from the folder of the page."
    if anchor and target in pages and anchor not in _anchors(pages[target]):
        near = ", ".join(sorted(_anchors(pages[target]))[:8])
        return f"leads to no heading of that page. Some that exist: {near}."
    return ""


@cache
def _anchors(text: str) -> set[str]:
    """List the anchors of a page: its headings as the book and GitHub name them, and labels."""
    anchors = set(TARGET.findall(text))
    for block in blocks(text):
        if block.kind == "heading":
            anchors.add(_slug(block, anchors))
    return anchors


def _slug(block: Block, taken: set[str]) -> str:
    slug = re.sub(r"[^\w\- ]", "", block.text.lower()).replace(" ", "-")
    same = (f"{slug}-{number}" for number in range(1, 100))
    return slug if slug not in taken else next(name for name in same if name not in taken)


def test_links_lead_somewhere(this_project):
    this_project.keeps(links)


PAGE = """
# A page

## What the `√` does, really

(label)=
## Twice

## Twice
"""


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("[x](../page.md) ![x](../cover.svg) `[x](none.md)`", ""),
        ("[x](../page.md#what-the--does-really) [x](#here)", ""),
        ("[x](../page.md#twice) [y](../page.md#twice-1) [z](../page.md#label)", ""),
        ("[x](https://example.org/none) [y](mailto:a@b.c)", ""),
        ('<img src="../cover.svg">', ""),
        ("| [x](../page.md) |\n| --- |\n| [](../page.md) |", ""),
        (":::{note}\n[x](../page.md)\n:::", ""),
        ("[x](page.md)", "leads to no file"),
        ('<a href="../none.md">x</a>', "leads to no file"),
        ("| [x](none.md) |\n| --- |", "leads to no file"),
        ("```{note}\n[x](none.md)\n```", "leads to no file"),
        ("[x](../page.md#nowhere)", "leads to no heading of that page. Some that exist: a-page"),
        ("[x](#nowhere)", "leads to no heading of that page. Some that exist: here"),
    ],
)
def test_where_links_lead(plot, link, problem):
    plot.file("book/page.md", PAGE)
    plot.file("book/cover.svg", "<svg/>")
    plot.chapter("# One", number=1)
    found = links(plot.chapter("# Two", f"## Here\n\n{link}", code("x"), number=2))
    says(found, problem)
    assert all(s.startswith("book/chapters/02-a-chapter.ipynb: the link to ") for s in found)
    (sentence,) = set(links(plot.file("README.md", "[book](book/none.md)"))) - {*found}
    assert sentence.startswith("README.md: the link to book/none.md leads to no file")
