"""Every link of README and its like leads to a file; those of the book's pages Sphinx follows."""

import re
from pathlib import Path

from book_tree import files, name_of
from planting import says
from prose import blocks

HTML_LINK = re.compile(r"<[^>]*\b(?:href|src)=\"([^\"]+)\"")
ADDRESS = re.compile(r"[a-z]+:|#")


def links(root: Path) -> list[str]:
    """Follow every link to a file in markdown outside the book."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in files(root)
        if path.suffix == ".md" and root / "book" not in path.parents
    }
    return [
        f"{name_of(path, root)}: the link to {link} leads to no file. Correct the path; it is read "
        "from the folder of the page."
        for path, text in texts.items()
        for link in [*(link for b in blocks(text) for link in b.links), *HTML_LINK.findall(text)]
        if not ADDRESS.match(link) and not (path.parent / link.partition("#")[0]).exists()
    ]


def test_links_lead_somewhere(this_project):
    this_project.keeps(links)


def test_where_links_lead(plot):
    plot.file("book/page.md", "[x](none.md)")
    good = "[x](book/page.md#b) ![x](README.md) `[x](none.md)` [y](mailto:a@b.c) [z](#here)\n\n"
    assert links(plot.file("README.md", good)) == []
    told = "README.md: the link to none.md leads to no file"
    for wrong in ('<a href="none.md">x</a>', "| [x](none.md) |\n| --- |"):
        says(links(plot.file("README.md", good + wrong)), told)
