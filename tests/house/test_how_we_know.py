"""A chapter that compares says how it knows: sentence, control, unit and n, interval, record."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import says

HELD = range(13, 27)
COLUMNS = ("Sentence", "Control", "Unit and n", "Interval", "Record")
FOLD = re.compile(r"^:::\{dropdown\} How we know\n(.*?)^:::$", re.DOTALL | re.MULTILINE)
HERE = "this page"
FOLDERS = ("bertbook/records", "book", ".")  # of a record, or of what stands for one


def how_we_know(root: Path) -> list[str]:
    """Hold the table below each summary to its columns, and to its records."""
    found = []
    for chapter in chapters(root):
        if chapter.number in HELD:
            found += [f"{chapter.name}: {fault}" for fault in _faults(chapter)]
    return found


def _faults(chapter: Chapter) -> Iterator[str]:
    tables = [match[1] for cell in chapter.cells for match in FOLD.finditer(cell.source)]
    head, *rows = _rows(tables[0]) if tables else [()]
    if len(tables) != 1 or head != COLUMNS:
        yield (
            "needs one fold that is called 'How we know' below the summary, a table with the "
            f"columns {', '.join(COLUMNS)}."
        )
        return
    for row in rows:
        if len(row) != len(COLUMNS) or not all(row) or not re.search(r"\d", row[2]):
            yield f"'How we know' leaves a column empty beside {row[0]!r}, or gives no n."
        yield from _missing(row, chapter.root)


def _rows(table: str) -> list[tuple[str, ...]]:
    lines = [line.strip() for line in table.splitlines() if line.strip().startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
    return [tuple(c.strip() for c in row) for row in cells if not set("".join(row)) <= set(" :-")]


def _missing(row: tuple[str, ...], root: Path) -> Iterator[str]:
    """Ask for the file of a record; what a page computes itself has none."""
    names = re.findall(r"`([^`]+)`", row[-1])
    if not names and HERE not in row[-1]:
        yield f"'How we know' names no record for {row[0]!r}. Write its file, or {HERE!r}."
    for name in names:
        if not any((root / folder / name).is_file() for folder in FOLDERS):
            yield f"'How we know' names the record {name!r}, and there is no such file."


def test_each_comparison_says_how_it_is_known(this_project):
    this_project.keeps(how_we_know)


ROW = "| it is ahead by 0.1 | the table of words | letter, n = 180 | bootstrap | this page |"
HEAD = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}\n"


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (HEAD + ROW, ""),
        (HEAD + ROW.replace("this page", "`pyproject.toml`"), "there is no such file"),
        (HEAD + ROW.replace("180", "all"), "or gives no n"),
        (ROW, "needs one fold that is called 'How we know'"),
    ],
)
def test_what_the_table_must_say_but_in_chapters_that_prove_on_the_page(plot, table, sentence):
    cell = f"## Summary\n\n:::{{dropdown}} How we know\n{table}\n:::"
    assert how_we_know(plot.chapter("# A", cell, number=2)) == []
    says(how_we_know(plot.chapter("# A", cell, number=HELD[0])), sentence)
