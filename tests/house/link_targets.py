"""What README and its like name is there; links of the book's pages Sphinx follows."""

import re
from pathlib import Path

from book_tree import chapters
from prose import blocks
from python_code import PACKAGES

HTML_LINK = re.compile(r"<[^>]*\b(?:href|src)=\"([^\"]+)\"")
ADDRESS = re.compile(r"[a-z]+:|#")
CODE = re.compile(r"`([^`]+)`")
PLACES = ("tests/", *(f"{name}/" for name in PACKAGES))


def links(root: Path) -> list[str]:
    """Follow every link to a file in markdown outside the book."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in [*root.glob("*.md"), *root.glob("bertbook/**/*.md")]
    }
    return [
        f"{path.relative_to(root).as_posix()}: the link to {link} leads to no file. Correct the "
        "path; it is read from the folder of the page."
        for path, text in texts.items()
        for link in [*(link for b in blocks(text) for link in b.links), *HTML_LINK.findall(text)]
        if not ADDRESS.match(link) and not (path.parent / link.partition("#")[0]).exists()
    ]


def front_door(root: Path) -> list[str]:
    """Compare the README's table with the chapters: titles, and paths of modules and tests."""
    rows = [b for b in blocks((root / "README.md").read_text(encoding="utf-8")) if b.kind == "row"]
    found = []
    for chapter in chapters(root):
        title = next(b.text for b in chapter.blocks if b.kind == "heading" and b.level == 1)
        if not any(chapter.name in row.links and title in row.text for row in rows):
            found.append(
                f"README.md: its table has no row with a link to {chapter.name} that calls it "
                f"{title!r}. Add the chapter, its module and its tests."
            )
    named = {span for row in rows for span in [*CODE.findall(row.text), *row.links]}
    return found + [
        f"README.md: names {place}, which does not exist. Correct the path."
        for place in sorted(named)
        if place.startswith(PLACES) and not (root / place).exists()
    ]
