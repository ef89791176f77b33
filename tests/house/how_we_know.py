"""What chapters say of measurements: how they know it, what a ± is, and the cheapest rival."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from book_tree import Chapter, chapters
from prose import blocks

HELD = range(13, 27)
COLUMNS = ("Sentence", "Control", "Unit and n", "Interval", "Record")
FOLD = re.compile(r"^:::\{dropdown\} How we know\n(.*?)^:::$", re.DOTALL | re.MULTILINE)
HERE = "this page"
FOLDERS = ("bertbook/records", "book", ".")  # of a record, or of what stands for one
NAMED = re.compile(r"\b(?:sd|se|standard (?:deviation|error)s?)\b")
CHEAPEST = {  # by chapter: how a row of the encoder begins, and what stands beside it
    16: (r"fine-tuned|MiniLM full", ("counted words", "naive Bayes")),
    19: (r"fine-tuned", ("counted words",)),
}


def how_we_know(root: Path) -> list[str]:
    """Hold the table below each summary to its columns, and to its records."""
    return [
        f"{chapter.name}: {fault}"
        for chapter in chapters(root)
        if chapter.number in HELD
        for fault in _faults(chapter)
    ]


def _faults(chapter: Chapter) -> Iterator[str]:
    tables = [match[1] for cell in chapter.cells for match in FOLD.finditer(cell.source)]
    head, *rows = [b.columns for b in blocks("".join(tables)) if b.columns] or [()]
    if len(tables) != 1 or head != COLUMNS:
        yield (
            "needs one fold that is called 'How we know' below the summary, a table with the "
            f"columns {', '.join(COLUMNS)}."
        )
        rows = []
    for row in rows:
        if not all(row) or not re.search(r"\d", row[2]):
            yield f"'How we know' leaves a column empty beside {row[0]!r}, or gives no n."
        names = re.findall(r"`([^`]+)`", row[-1])
        if not names and HERE not in row[-1]:
            yield f"'How we know' names no record for {row[0]!r}. Write its file, or {HERE!r}."
        for name in names:
            if not any((chapter.root / folder / name).is_file() for folder in FOLDERS):
                yield f"'How we know' names the record {name!r}, and there is no such file."


def plus_minus(root: Path) -> list[str]:
    """Ask each section that has a ±, in prose or in what it prints, for the word behind it."""
    found = []
    for chapter in chapters(root):
        texts: dict[str, str] = defaultdict(str)
        for cell in chapter.cells:
            texts[cell.section] += "\n".join(cell.texts)
            for block in cell.blocks:
                texts[block.section] += block.text + "\n"
        found += [
            f"{chapter.name}: the section {section or 'before the first'!r} has a ± and does not "
            "say what it is. Write sd (of the runs) or se (of their mean) beside it."
            for section, text in texts.items()
            if "±" in text and not NAMED.search(text)
        ]
    return found


def cheapest_rivals(root: Path) -> list[str]:
    """Ask each table that has a fine-tuned encoder for the cheapest method of the chapter, too."""
    found = []
    for chapter in (each for each in chapters(root) if each.number in CHEAPEST):
        encoder, cheapest = CHEAPEST[chapter.number]
        tables = [
            rows
            for cell in chapter.code
            for rows in _first_cells("".join(cell.texts))
            if any(re.match(encoder, row) for row in rows)
        ]
        if not tables:
            found.append(f"{chapter.name}: no table has a row that begins with {encoder!r}.")
        found += [
            f"{chapter.name}: the table with the rows {rows} leaves out what costs least; put "
            f"{' or '.join(cheapest)} beside the encoder."
            for rows in tables
            if not any(name in row for row in rows for name in cheapest)
        ]
    return found


def _first_cells(shown: str) -> Iterator[list[str]]:
    """Yield the first cell of each row, table by table."""
    for table in re.findall(r"<table.*?</table>", shown, re.DOTALL):
        rows = re.findall(r"<tr>\s*<t[hd][^>]*>(.*?)</t[hd]>", table, re.DOTALL)
        yield [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]
