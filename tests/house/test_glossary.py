"""No term before the chapter that introduces it, and no entry without a chapter that uses it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import assert_kept, code, says
from prose import blocks

GLOSSARY = Path("book", "glossary.md")
CHAPTER = re.compile(r"Chapter (\d+)\. +\S.*")
SILENT = {"References"}  # titles of papers


def glossary_form(root: Path) -> list[str]:
    """Ask for entries of one form in alphabetical order, each once."""
    entries = _entries(root)
    return [
        f"{GLOSSARY.as_posix()}: {term} is not followed by `*Chapter N.*` and an explanation in "
        "the same paragraph."
        for term, number in entries
        if number is None
    ] + [
        f"{GLOSSARY.as_posix()}: {later} stands after {earlier}. Sort the entries, and keep one of "
        "two that are the same."
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
            elif number == chapter.number and not _uses(chapter, term):
                found.append(
                    f"{GLOSSARY.as_posix()}: {term} is given to Chapter {number}, whose text never "
                    "uses it. Name the chapter that introduces it, or remove it."
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
    pattern, entry = _pattern(term), f"glossary.md#{_slug(term)}"
    for block in [*chapter.blocks, *chapter.spoken]:
        is_announced = number in block.chapters or any(entry in link for link in block.links)
        if block.section not in SILENT and pattern.search(block.words) and not is_announced:
            yield (
                f"{chapter.name}: uses {term!r}, which Chapter {number} introduces, in "
                f"{str(block)!r}. Say it in other words, or announce it in the same paragraph "
                f"with a link to the glossary or the words Chapter {number}."
            )


def _slug(term: str) -> str:
    return re.sub(r"[^\w -]", "", term.lower()).replace(" ", "-")


def _uses(chapter: Chapter, term: str) -> bool:
    return any(_pattern(term).search(block.words) for block in chapter.blocks)


def _pattern(term: str) -> re.Pattern:
    """Match a term as a word, in the plural too, whether it is written with spaces or hyphens."""
    body = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", term)))
    plural = "(?:s|es)?"
    if body.endswith("y"):
        body, plural = body[:-1], "(?:y|ies)"
    return re.compile(rf"(?<![\w-]){body}{plural}(?![\w-])", re.IGNORECASE)


def test_this_project_keeps_it():
    assert_kept(glossary_form, terms_in_order)


WORDS = "### loss\n*Chapter 2.* How wrong.\n\n### vocabulary\n*Chapter 3.* All words.\n"
QUESTION = '[quiz.why]\nanswers = [{ right = "Yes", reply = "A loss." }]'


@pytest.mark.parametrize(
    ("early", "term"),
    [
        ("The [loss](../glossary.md#loss) is low. Vocabulary: see Chapter 3.", ""),
        ("Low-loss models: the *loss*.", "loss"),
        ("[loss](02-a-chapter.ipynb) and [vocabularies](other.md)", "vocabulary"),
        (code("quiz('why')"), "loss"),
    ],
)
def test_a_term_before_its_chapter(plot, early, term):
    plot.file(GLOSSARY.as_posix(), WORDS)
    plot.file("bertbook/questions/masks.toml", QUESTION)
    problem = f"book/chapters/01-a-chapter.ipynb: uses {term!r}, which Chapter"
    says(terms_in_order(plot.chapter("# One", early, number=1)), term and problem)


@pytest.mark.parametrize(
    ("rule", "words", "problem"),
    [
        (glossary_form, WORDS.replace("*Chapter 2.* ", ""), "loss is not followed by `*Chapter N"),
        (glossary_form, WORDS.replace("### vocab", "### a vocab"), "stands after loss"),
        (terms_in_order, WORDS, "loss is given to Chapter 2, whose text never uses it"),
    ],
)
def test_a_fault_of_the_glossary(plot, rule, words, problem):
    plot.file(GLOSSARY.as_posix(), words)
    says(rule(plot.chapter("# Two", "`loss` only in code.", number=2)), problem)
