"""Every number in prose stands in an output of its chapter, or in its code."""

import ast
import html
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
from agreement import LABEL
from book_tree import Cell, Chapter, chapters, question
from planting import assert_kept, code, says
from prose import Block, blocks
from python_code import calls

LANDING_PAGE = "book/index.md"
BACK_MATTER = ("book/paper.md", "book/questions.md", "book/the-end.md")
LOOKING_BACK = {"", "Check yourself", "Summary", "In the real BERT"}
SILENT = {"Exercises", "References"}  # numbers that are given, and numbers of pages
# Facts of the real model are quoted from papers; there a whole percentage is a whole number.
QUOTING = "In the real BERT"
WHOLE_PERCENT = re.compile(r"(?<![\d.])\d+ ?%")
PERCENT = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)[\s~]*(?:\\?%|percent\b)")
DECIMAL = re.compile(
    r"(?<![\d.])(\d+\.\d+)(?!\.?\d)"
    r"(?:\s*(?:\\cdot|\\times|·|\N{MULTIPLICATION SIGN})\s*10\^\{?([-\N{MINUS SIGN}]?\d+)\}?)?"
)
PRINTED = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?(\s*%)?")
NOT_TEXT = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)


class Number(NamedTuple):
    """A number and how exactly it is written: one unit of its last digit."""

    value: Decimal
    unit: Decimal


class Claim(NamedTuple):
    """A number in prose."""

    number: Number
    text: str
    block: Block


def numbers(root: Path) -> list[str]:
    """Look for a witness of every decimal number and every percentage in prose.

    A number is proved by the code and the outputs of its own section, or by an earlier section
    that names it too; in the sections that look back, by everything before. A paragraph that names
    another chapter may use what is computed there.
    """
    found, known = [], {chapter.number: _witnesses(chapter) for chapter in chapters(root)}
    for chapter in chapters(root):
        sections, proved = known[chapter.number], []
        for claim in _claims(chapter):
            looks_back = claim.block.section in LOOKING_BACK
            here = list(sections) if looks_back else [claim.block.section]
            witnesses = chain(
                proved,
                *(sections.get(section, []) for section in here),
                *(chain(*known.get(n, {}).values()) for n in claim.block.chapters),
            )
            if any(_agree(claim.number, witness) for witness in witnesses):
                proved.append(claim.number)
            else:
                found.append(_sentence(chapter.name, claim))
    return found


def numbers_of_the_pages(root: Path) -> list[str]:
    """Look for the numbers of the landing page in all chapters, and for those of the back matter.

    There the chapters that a paragraph names are asked; one that names none quotes others, as the
    tables of the paper's results do.
    """
    known = {chapter.number: _witnesses(chapter) for chapter in chapters(root)}
    found = []
    for name in (name for name in (LANDING_PAGE, *BACK_MATTER) if (root / name).is_file()):
        for block in blocks((root / name).read_text(encoding="utf-8")):
            asked = known.keys() if name == LANDING_PAGE else block.chapters & known.keys()
            witnesses = [each for number in asked for each in chain(*known[number].values())]
            for claim in _numbers_in(block) if asked else ():
                if not any(_agree(claim.number, witness) for witness in witnesses):
                    found.append(_sentence(name, claim))
    return found


def _sentence(name: str, claim: Claim) -> str:
    return (
        f"{name}: {claim.text} in {str(claim.block)!r} stands in no output and in no code of its "
        f"section. Print it or assert it there, so that it cannot become wrong unseen."
    )


def _agree(claim: Number, witness: Number) -> bool:
    """Say whether a number is what becomes of a witness when it is rounded."""
    difference = abs(claim.value - witness.value)
    return difference == 0 or (witness.unit < claim.unit and 2 * difference <= claim.unit)


def _claims(chapter: Chapter) -> Iterator[Claim]:
    """Find the numbers in paragraphs, tables, formulas, captions, descriptions and cards."""
    for block in chapter.blocks:
        is_cost = block.columns[:1] == ("**Cost**",)
        if block.kind != "heading" and block.section not in SILENT and not is_cost:
            yield from _numbers_in(block)
    for block in chapter.spoken:
        if block.kind in ("alt", "caption", "flashcards"):
            yield from _numbers_in(block)


def _numbers_in(block: Block) -> Iterator[Claim]:
    """Find decimals and percentages in a piece of prose; signs do not count."""
    text = LABEL.sub(" ", block.text.replace("{,}", ","))
    text = WHOLE_PERCENT.sub(" ", text) if block.section == QUOTING else text
    for match in PERCENT.finditer(text):
        yield Claim(_number(match[1], exponent=-2), match[0], block)
    for match in DECIMAL.finditer(PERCENT.sub(" ", text)):
        exponent = (match[2] or "0").replace("\N{MINUS SIGN}", "-")
        yield Claim(_number(match[1], int(exponent)), match[0], block)


def _number(digits: str, exponent: int = 0) -> Number:
    """Read a number as it is written, times a power of ten."""
    value = Decimal(digits).scaleb(exponent)
    return Number(value, Decimal(1).scaleb(value.as_tuple().exponent))


def _witnesses(chapter: Chapter) -> dict[str, list[Number]]:
    """Collect the numbers that each section computes, and those in its code."""
    found: dict[str, list[Number]] = {}
    for cell in chapter.code:
        # A figure that moves has hundreds of numbers, and shows most of them only when asked. What
        # cards show was written by hand.
        if not calls(cell.tree, "explore", "flashcards"):
            found.setdefault(cell.section, []).extend(_computed(cell))
            found[cell.section] += _answers(cell, chapter.root)
    return found


def _computed(cell: Cell) -> Iterator[Number]:
    for text in cell.texts:
        shown = html.unescape(NOT_TEXT.sub(" ", text))
        for words in _words_of_figures(cell):
            shown = shown.replace(words, " ")
        for match in PRINTED.finditer(shown):
            yield _number(match[0].rstrip(" %"), exponent=-2 if match[1] else 0)
    for node in ast.walk(cell.tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield _number(repr(node.value))


def _answers(cell: Cell, root: Path) -> Iterator[Number]:
    """Read the numbers that a question expects: the right one, and the usual mistakes."""
    for call in calls(cell.tree, "ask"):
        entry = question(root, "ask", ast.literal_eval(call.args[0]))
        for answer in (each.get("answer") for each in (entry, *entry.get("mistakes", ()))):
            for value in answer if isinstance(answer, list) else [answer]:
                if isinstance(value, int | float):
                    yield _number(repr(value))


def _words_of_figures(cell: Cell) -> Iterator[str]:
    """Find what was written by hand: a figure shows its caption, and would be its own witness."""
    for call in calls(cell.tree, "picture", "html"):
        for keyword in call.keywords:
            if keyword.arg in ("alt", "caption") and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value)


def test_this_project_keeps_it():
    assert_kept(numbers, numbers_of_the_pages)


CODE = code("f(0.1)", "0.2397 <b>0.35</b>")
FIGURE = code("picture(axes, alt='', caption='To 8.8.')", "<figcaption>To 8.8.</figcaption>")


@pytest.mark.parametrize(
    ("cells", "number"),
    [
        (["It is 0.24, or 23.97 percent. In code: 10 %."], ""),
        (["## Two\n\nIn [another chapter](01-a-chapter.ipynb) 7.77."], ""),
        (["It is 0.23971, finer than printed."], "0.23971"),
        (["It was 7.77, in the chapter before."], "7.77"),
        (["## Two\n\nIt was 0.35, in the section before."], "0.35"),
        (["It is 0.45.", code("explore(draw, x=[1, 2])", "0.45")], "0.45"),
        ([FIGURE], "8.8 in 'To 8.8.'"),
    ],
)
def test_numbers_with_and_without_a_witness(plot, cells, number):
    plot.chapter("# A", code("print(7.77)"), number=1)
    told = number and f"book/chapters/02-a-chapter.ipynb: {number}"
    says(numbers(plot.chapter("# B", CODE, *cells)), told)


def test_numbers_of_the_landing_page_and_after_the_last_chapter(plot):
    root = plot.chapter("# A", CODE, number=1)
    plot.file("book/index.md", "# Book\n\n24 %.\n\n8.88.")
    told = "In [A](chapters/01-a-chapter.ipynb) it is 24 %, or 7.77.\n\nTheirs is 8.88.\n\n"
    plot.file("book/paper.md", told)
    front, back = numbers_of_the_pages(root)
    assert front.startswith("book/index.md: 8.88 in '8.88.' stands in no output")
    assert back.startswith("book/paper.md: 7.77 in")
