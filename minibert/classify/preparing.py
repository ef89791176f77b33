"""From a table to parts without copies, with a sentence for each thing that is odd. Chapter 19."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from .duplicates import find_duplicates, without_copies
from .splitting import split_rows
from .table import LabeledTable, read_table

COLUMNS = ("text", "label", "pair", "group", "time", "encoding")
FEW, SHOWN = 10, 3


class Work(NamedTuple):
    """The rows of a run, divided: as tables and as numbers of classes; and what was noticed."""

    tables: dict[str, LabeledTable]
    labels: dict[str, Int[np.ndarray, " rows"]]
    classes: tuple[str, ...]
    notes: list[str]


def prepare(plan: Mapping[str, Any]) -> Work:
    """Read the table of a plan, drop copies, and divide the rest."""
    table = read_table(plan["table"], **{name: plan[name] for name in COLUMNS})
    classes = table.classes
    _require_classes(table, plan["label"])
    kept = table.take(without_copies(table))
    parts = split_rows(kept, seed=plan["seed"])
    tables = {name: kept.take(rows) for name, rows in parts._asdict().items()}
    learned = list(tables["train"].classes)
    if len(learned) < 2:
        told = f"the rows to learn from have one label only, {learned[0]!r}; give more rows"
        raise ValueError(f"{told} of the others, or divide without --time and --group")
    number = {name: place for place, name in enumerate(classes)}
    labels = {p: np.array([number[x] for x in t.labels or ()]) for p, t in tables.items()}
    notes = [*_copies(table, kept), *_alike(classes), *_rare(tables, classes)]
    return Work(tables, labels, classes, notes)


def _require_classes(table: LabeledTable, column: str) -> None:
    """Raise if the labels are no classes."""
    count = len(table.classes)
    if count < 2:
        raise ValueError(
            f"each of the {len(table):,} rows has the label {table.classes[0]!r}, so there is "
            f"nothing to choose; is {column!r} the column of the labels?"
        )
    if count > max(2, len(table) // 3):
        raise ValueError(
            f"the column {column!r} has {count:,} different labels in {len(table):,} rows, and a "
            "label is a class that many rows share; name another, or put numbers into classes"
        )


def _copies(table: LabeledTable, kept: LabeledTable) -> Iterator[str]:
    """Tell of rows that were left out, and of texts with several labels."""
    lines, found = table.lines or range(len(table)), find_duplicates(table)
    yield f"{len(table):,} rows were read, with {len(table.classes)} labels."
    if table.skipped:
        yield f"{len(table.skipped):,} rows lack a field, left out: {_listed(table.skipped)}."
    if copies := len(table) - len(kept):
        stay = {*zip(kept.whole_texts, kept.labels or (), strict=True)}
        near = sum(row not in stay for row in zip(table.whole_texts, table.labels or ()))
        rows = "rows are copies of others" if copies > 1 else "row is a copy of another"
        yield (
            f"{copies:,} {rows} with the same label and left out ({near:,} in other case, "
            "punctuation or digits)."
        )
    for rows in found.contradictions[:SHOWN]:
        text = table.texts[rows[0]][:60]
        where = _listed([lines[row] for row in rows])
        yield f"The same text has several labels: {where}, {text!r}."
    if more := found.contradictions[SHOWN:]:
        yield f"So have {len(more):,} other texts."


def _alike(classes: tuple[str, ...]) -> Iterator[str]:
    """Tell of labels that are perhaps one."""
    counts = Counter(name.casefold() for name in classes)
    for key in (key for key, count in counts.items() if count > 1):
        names = " and ".join(repr(name) for name in classes if name.casefold() == key)
        yield f"{names} differ in capitals only, and are different labels here. Are they one?"


def _rare(tables: Mapping[str, LabeledTable], classes: tuple[str, ...]) -> Iterator[str]:
    """Tell of labels that are too few to say much about."""
    counts = {part: Counter(table.labels) for part, table in tables.items()}
    for name in classes:
        told = ", ".join(f"{count[name]} in {part}" for part, count in counts.items())
        fewest = min(count[name] for count in counts.values())
        if not counts["train"][name]:
            yield f"{name!r} is never learned ({told}), so no text gets it."
        elif fewest < FEW:
            what = "nothing" if fewest == 0 else "little"
            yield f"{name!r} has few rows ({told}); {what} can be said of its answers."


def _listed(lines: Any) -> str:
    shown = ", ".join(map(str, lines[:5]))
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}{', …' * (len(lines) > 5)}"
