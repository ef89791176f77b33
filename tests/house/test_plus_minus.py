"""A ± says whether it is a standard deviation or a standard error."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import code, says

NAMED = re.compile(r"\b(?:sd|se|standard (?:deviation|error)s?)\b")


def plus_minus(root: Path) -> list[str]:
    """Ask each section that has a ±, in prose or in what it prints, for the word behind it."""
    return [
        f"{chapter.name}: the section {section or 'before the first'!r} has a ± and does not say "
        "what it is. Write sd (of the runs) or se (of their mean) beside it."
        for chapter in chapters(root)
        for section, text in _sections(chapter).items()
        if "±" in text and not NAMED.search(text)
    ]


def _sections(chapter: Chapter) -> dict[str, str]:
    """Join what each section says and prints."""
    found: dict[str, str] = defaultdict(str)
    for cell in chapter.cells:
        if cell.kind == "markdown":
            for block in cell.blocks:
                found[block.section] += block.text + "\n"
        else:
            found[cell.section] += "\n".join(cell.texts) + "\n"
    return found


def test_each_plus_minus_says_what_it_is(this_project):
    this_project.keeps(plus_minus)


@pytest.mark.parametrize(
    ("said", "printed", "problem"),
    [
        ("0.5 ± 0.1, the standard error", "0.2", ""),
        ("It is 0.5 ± 0.1, based on seeds.", "", "the section 'One' has a ±"),
        ("It is 0.5.", "0.2 ± 0.1", "the section 'One' has a ±"),
    ],
)
def test_plus_minus_with_and_without_its_name(plot, said, printed, problem):
    other = "## Two\n\nHere ± is the sd."
    root = plot.chapter("# A", f"## One\n\n{said}", code("x = 1", printed), other)
    says(plus_minus(root), problem)
