"""A chapter that compares says how it knows: sentence, control, unit and n, interval, record."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import says
from prose import Block

HELD = range(13, 27)
COLUMNS = ("Sentence", "Control", "Unit and n", "Interval", "Record")
COMPARES = re.compile(
    r"\b(?:than|more|less|fewer|better|worse|higher|lower|faster|slower|larger|smaller|longer|"
    r"shorter|earlier|later|sooner|ahead|behind|beats?|leads?|best|worst|most|least|twice|"
    r"as well as|helps?|no clear difference)\b"
)
FOLD = re.compile(r"^:::\{dropdown\} How we know\n(.*?)^:::$", re.DOTALL | re.MULTILINE)
HERE = "this page"

FOLDERS = ("bertbook/records", "book", ".")  # of a record, or of what stands for one


def how_we_know(root: Path) -> list[str]:
    """Hold each summary to the table that stands below it, and that table to its records."""
    found = []
    for chapter in chapters(root):
        if chapter.number in HELD:
            found += [f"{chapter.name}: {fault}" for fault in _faults(chapter)]
    return found


def _faults(chapter: Chapter) -> Iterator[str]:
    tables = [match[1] for cell in chapter.cells for match in FOLD.finditer(cell.source)]
    if len(tables) != 1:
        yield (
            f"{len(tables)} folds are called 'How we know'. Write one below the summary, "
            f"a table with the columns {', '.join(COLUMNS)}."
        )
        return
    head, *rows = _rows(tables[0])
    if head != COLUMNS:
        yield f"'How we know' has the columns {', '.join(head)}. Write {', '.join(COLUMNS)}."
        return
    known = [_plain(row[0]) for row in rows]
    for sentence in _compared(chapter):
        if not any(sentence in quoted for quoted in known):
            yield f"the summary compares, {sentence!r}, and 'How we know' does not quote it."
    for row in rows:
        yield from _empty(row)
        yield from _missing(row, chapter.root)


def _rows(table: str) -> list[tuple[str, ...]]:
    lines = [line.strip() for line in table.splitlines() if line.strip().startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
    return [tuple(c.strip() for c in row) for row in cells if not set("".join(row)) <= set(" :-")]


def _compared(chapter: Chapter) -> Iterator[str]:
    """Find the clauses of the summary that compare, in its rows and its paragraphs."""
    for block in chapter.blocks:
        if block.section == "Summary" and block.kind in ("row", "paragraph"):
            for clause in _clauses(block):
                if COMPARES.search(clause):
                    yield clause


def _clauses(block: Block) -> list[str]:
    if block.kind == "row":
        return [part.strip() for text in block.columns[1:] for part in _plain(text).split(";")]
    return re.split(r"(?<=[.?!])\s+", _plain(block.text))


def _plain(text: str) -> str:
    """Leave out emphasis, links and line ends."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*`]", "", text).split())


def _empty(row: tuple[str, ...]) -> Iterator[str]:
    if len(row) != len(COLUMNS) or not all(row):
        yield f"'How we know' leaves a column empty beside {row[0]!r}. Fill it, or say 'not run'."
    elif not re.search(r"\d", row[2]):
        yield f"'How we know' gives no n for {row[0]!r}. How many of what was counted?"


def _missing(row: tuple[str, ...], root: Path) -> Iterator[str]:
    """Ask for the file of a record; what a page computes itself has none."""
    record = row[-1]
    names = re.findall(r"`([^`]+)`", record)
    if not names and HERE not in record:
        yield f"'How we know' names no record for {row[0]!r}. Write its file, or {HERE!r}."
    for name in names:
        if not any((root / folder / name).is_file() for folder in FOLDERS):
            yield f"'How we know' names the record {name!r}, and there is no such file."


def test_each_comparison_says_how_it_is_known(this_project):
    this_project.keeps(how_we_know)


ROW = "| it is ahead by 0.1 | the table of words | letter, n = 180 | bootstrap | this page |"


def summary(*rows: str, said: str = "it is ahead by 0.1", columns=COLUMNS) -> str:
    table = [f"| {' | '.join(columns)} |", "| " + " | ".join("---" for _ in columns) + " |", *rows]
    return "\n".join(
        [f"## Summary\n\n| Idea | In short |\n| --- | --- |\n| one | {said}; two rows |\n",
         ":::{dropdown} How we know", *table, ":::"]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (summary(ROW, said="it *is* ahead by 0.1"), ""),
        (summary(ROW.replace("this page", "`pyproject.toml`")), "no such file"),
        (summary(ROW, said="it is worse by 0.2"), "'it is worse by 0.2', and 'How we know'"),
        (summary(ROW.replace("180", "all")), "gives no n for 'it is ahead by 0.1'"),
        (summary(ROW.replace("bootstrap", "")), "leaves a column empty"),
        (summary(ROW, columns=("Sentence", "Record")), "has the columns Sentence, Record"),
        ("## Summary\n\nNothing.", "0 folds are called 'How we know'"),
        (summary(ROW) + "\n\nIt learns faster.", "'It learns faster.', and"),
    ],
)
def test_what_a_summary_must_say_but_in_chapters_that_prove_on_the_page(plot, cell, sentence):
    assert how_we_know(plot.chapter("# A", cell, number=2)) == []
    says(how_we_know(plot.chapter("# A", cell, number=HELD[0])), sentence)
