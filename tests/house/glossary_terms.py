"""No term before the chapter that introduces it, and no entry without a chapter that uses it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from book_tree import Chapter, chapters
from prose import blocks

GLOSSARY = "book/glossary.md"
CHAPTER = re.compile(r"Chapter (\d+)\. +\S.*")


def glossary_form(root: Path) -> list[str]:
    """Ask for entries of one form in alphabetical order, each once."""
    entries = _entries(root)
    return [
        f"{GLOSSARY}: {term} is not followed by `*Chapter N.*` and an explanation in the same "
        "paragraph."
        for term, number in entries
        if number is None
    ] + [
        f"{GLOSSARY}: {later} stands after {earlier}. Sort the entries, and keep one of two that "
        "are the same."
        for (earlier, _), (later, _) in pairwise(entries)
        if later.casefold() <= earlier.casefold()
    ]


def terms_in_order(root: Path) -> list[str]:
    """Read every chapter for terms that it uses too early, or introduces but never uses."""
    found, entries = [], _entries(root)
    for chapter in chapters(root):
        for term, number in entries:
            if number is not None and number > chapter.number:
                found += _too_early(chapter, term, number)
            elif number == chapter.number and not any(
                _pattern(term).search(block.words) for block in chapter.blocks
            ):
                found.append(
                    f"{GLOSSARY}: {term} is given to Chapter {number}, whose text never uses it. "
                    "Name the chapter that introduces it, or remove it."
                )
    return found


def _entries(root: Path) -> list[tuple[str, int | None]]:
    """List each term with the chapter that the paragraph below it names."""
    path = root / GLOSSARY
    found = list(blocks(path.read_text(encoding="utf-8"))) if path.is_file() else []
    below = (CHAPTER.fullmatch(block.text) for block in [*found[1:], *found[-1:]])
    return [
        (block.text, int(match[1]) if match else None)
        for block, match in zip(found, below, strict=True)
        if block.kind == "heading" and block.level == 3
    ]


def _too_early(chapter: Chapter, term: str, number: int) -> Iterator[str]:
    """Find a term in what an earlier chapter says, unless the place announces it."""
    pattern = _pattern(term)
    entry = "glossary.md#" + re.sub(r"[^\w -]", "", term.lower()).replace(" ", "-")
    for block in [*chapter.blocks, *chapter.spoken]:
        is_announced = number in block.chapters or any(entry in link for link in block.links)
        # References have the titles of papers.
        if block.section != "References" and pattern.search(block.words) and not is_announced:
            yield (
                f"{chapter.name}: uses {term!r}, which Chapter {number} introduces, in "
                f"{str(block)!r}. Say it in other words, or announce it in the same paragraph "
                f"with a link to the glossary or the words Chapter {number}."
            )


def _pattern(term: str) -> re.Pattern:
    """Match a term as a word, in the plural too, whether it is written with spaces or hyphens."""
    body = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", term)))
    plural = "(?:s|es)?"
    if body.endswith("y"):
        body, plural = body[:-1], "(?:y|ies)"
    return re.compile(rf"(?<![\w-]){body}{plural}(?![\w-])", re.IGNORECASE)
