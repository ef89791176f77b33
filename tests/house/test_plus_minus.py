"""A ± says whether it is a standard deviation or a standard error."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import code

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


@pytest.mark.parametrize("said", ["0.5 ± 0.1 (sd)", "0.5 ± 0.1, the standard error", "0.5"])
def test_plus_minus_with_its_name(plot, said):
    assert plus_minus(plot.chapter("# A", f"## One\n\n{said}", code("x = 1", "0.2"))) == []


@pytest.mark.parametrize("printed", ["", "0.2 ± 0.1"])
def test_plus_minus_without_its_name(plot, printed):
    prose = "It is 0.5." if printed else "It is 0.5 ± 0.1, based on seeds."
    other = "## Two\n\nHere ± is the sd."
    (sentence,) = plus_minus(
        plot.chapter("# A", f"## One\n\n{prose}", code("x = 1", printed), other)
    )
    assert sentence.startswith("book/chapters/02-a-chapter.ipynb: the section 'One' has a ±")
