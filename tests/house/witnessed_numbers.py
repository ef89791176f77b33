"""Every number in prose stands in an output of its chapter, or in its code."""

import ast
import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from agreement import LABEL
from book_tree import Cell, Chapter, chapters, question
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


Claim = tuple[Number, str, Block]  # a number in prose, as it is written, and where


def numbers(root: Path) -> list[str]:
    """Look for a witness of every decimal number and every percentage in prose.

    A number is proved by the code and the outputs of its own section, or by an earlier section
    that names it too; in the sections that look back, by everything before. A paragraph that names
    another chapter may use what is computed there.
    """
    found, known = [], {chapter.number: _witnesses(chapter) for chapter in chapters(root)}
    for chapter in chapters(root):
        sections, proved = known[chapter.number], []
        for number, text, block in _claims(chapter):
            here = list(sections) if block.section in LOOKING_BACK else [block.section]
            witnesses = chain(
                proved,
                *(sections.get(section, []) for section in here),
                *(chain(*known.get(n, {}).values()) for n in block.chapters),
            )
            told = _unproved(chapter.name, (number, text, block), witnesses)
            proved += [] if told else [number]
            found += told
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
                found += _unproved(name, claim, witnesses)
    return found


def _unproved(name: str, claim: Claim, witnesses: Iterable[Number]) -> list[str]:
    """Say what is missing, unless a witness becomes the number of a claim when it is rounded."""
    number, text, block = claim
    for witness in witnesses:
        difference = abs(number.value - witness.value)
        rounded = witness.unit < number.unit and 2 * difference <= number.unit
        if difference == 0 or rounded:
            return []
    return [
        f"{name}: {text} in {str(block)!r} stands in no output and in no code of its "
        f"section. Print it or assert it there, so that it cannot become wrong unseen."
    ]


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
        yield _number(match[1], exponent=-2), match[0], block
    for match in DECIMAL.finditer(PERCENT.sub(" ", text)):
        exponent = (match[2] or "0").replace("\N{MINUS SIGN}", "-")
        yield _number(match[1], int(exponent)), match[0], block


def _number(digits: str, exponent: int = 0) -> Number:
    """Read a number as it is written, times a power of ten."""
    value = Decimal(digits).scaleb(exponent)
    return Number(value, Decimal(1).scaleb(value.as_tuple().exponent))


def _witnesses(chapter: Chapter) -> dict[str, list[Number]]:
    """Collect the numbers that each section computes, and those in its code."""
    found: dict[str, list[Number]] = defaultdict(list)
    for cell in chapter.code:
        # A figure that moves has hundreds of numbers, and shows most of them only when asked. What
        # cards show was written by hand.
        if not calls(cell.tree, "explore", "flashcards"):
            found[cell.section] += _computed(cell, chapter.root)
    return found


def _computed(cell: Cell, root: Path) -> Iterator[Number]:
    """Read the numbers of outputs and code, and those that a question expects."""
    # What was written by hand: a figure shows its caption, and would be its own witness.
    given = [word for call in calls(cell.tree, "picture", "html") for word in call.keywords]
    given = [word.value for word in given if word.arg in ("alt", "caption")]
    by_hand = [str(value.value) for value in given if isinstance(value, ast.Constant)]
    for text in cell.texts:
        shown = html.unescape(NOT_TEXT.sub(" ", text))
        for words in by_hand:
            shown = shown.replace(words, " ")
        for match in PRINTED.finditer(shown):
            yield _number(match[0].rstrip(" %"), exponent=-2 if match[1] else 0)
    values = [node.value for node in ast.walk(cell.tree) if isinstance(node, ast.Constant)]
    for call in calls(cell.tree, "ask"):
        entry = question(root, "ask", ast.literal_eval(call.args[0]))
        for answer in (each.get("answer") for each in (entry, *entry.get("mistakes", ()))):
            values += answer if isinstance(answer, list) else [answer]
    yield from (_number(repr(value)) for value in values if type(value) in (int, float))
