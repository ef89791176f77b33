"""From a table to parts without copies, with a sentence for each thing that is odd. Chapter 19."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from .duplicates import find_duplicates, find_patterns, without_copies
from .labels import notes_on_labels, require_classes
from .splitting import Blocks, kept_together, linked_rows, split_rows
from .table import LabeledTable, read_table
from .thresholds import REFUSAL, least_answers

COLUMNS = ("text", "label", "pair", "group", "time", "encoding")
FEW, SHOWN = 10, 3


class Work(NamedTuple):
    """The rows of a run, divided: as tables and as numbers of classes; and what was noticed.

    `blocks` are the rows of the test part that belong together.
    """

    tables: dict[str, LabeledTable]
    labels: dict[str, Int[np.ndarray, " rows"]]
    classes: tuple[str, ...]
    notes: list[str]
    blocks: Blocks


def prepare(plan: Mapping[str, Any]) -> Work:
    """Read the table of a plan, drop copies, and divide the rest."""
    table = read_table(plan["table"], **{name: plan[name] for name in COLUMNS})
    classes = table.classes
    require_classes(table, plan["label"])
    kept = table.take(without_copies(table))
    parts = split_rows(kept, seed=plan["seed"])
    tables = {name: kept.take(rows) for name, rows in parts._asdict().items()}
    learned = list(tables["train"].classes)
    if len(learned) < 2:
        told = f"the rows to learn from have one label only, {learned[0]!r}; give more rows"
        raise ValueError(f"{told} of the others, or divide without --time and --group")
    number = {name: place for place, name in enumerate(classes)}
    labels = {p: np.array([number[x] for x in t.labels or ()]) for p, t in tables.items()}
    notes = [*_read(table), *_copies(table, kept), *_patterns(kept)]
    notes += [*notes_on_labels(classes), *_rare(tables, classes)]
    notes += _promised(labels["validation"], classes, plan["promise"])
    return Work(tables, labels, classes, notes, _within(linked_rows(kept), parts.test))


def _within(blocks: Blocks, rows: Sequence[int]) -> Blocks:
    """Return the blocks of a part, with the places of their rows in it."""
    place = {row: number for number, row in enumerate(rows)}
    return [[place[row] for row in block] for block in blocks if block[0] in place]


def _read(table: LabeledTable) -> Iterator[str]:
    """Tell what was read, and what was not."""
    yield f"{len(table):,} rows were read, with {len(table.classes)} labels."
    if table.skipped:
        yield f"{len(table.skipped):,} rows lack a field, left out: {_listed(table.skipped)}."
    yield from table.notes


def _copies(table: LabeledTable, kept: LabeledTable) -> Iterator[str]:
    """Tell of rows that were left out, and of texts with several labels."""
    lines, found = table.lines or range(len(table)), find_duplicates(table)
    if copies := len(table) - len(kept):
        stay = {*zip(kept.whole_texts, kept.labels or (), strict=True)}
        near = sum(row not in stay for row in zip(table.whole_texts, table.labels or ()))
        rows = "rows are copies of others" if copies > 1 else "row is a copy of another"
        gone = Counter(table.labels) - Counter(kept.labels)
        each = ", ".join(f"{count:,} of {name!r}" for name, count in gone.most_common(SHOWN))
        yield (
            f"{copies:,} {rows} with the same label and left out ({near:,} in other case or "
            f"punctuation): {each}{', …' * (len(gone) > SHOWN)}."
        )
    for rows in found.contradictions[:SHOWN]:
        text = table.texts[rows[0]][:60]
        where = _listed([lines[row] for row in rows])
        yield f"The same text has several labels: {where}, {text!r}."
    if more := found.contradictions[SHOWN:]:
        yield f"So have {len(more):,} other texts."


def _patterns(kept: LabeledTable) -> Iterator[str]:
    """Tell of texts that differ in digits or signs only: how they were divided."""
    patterns, together = find_patterns(kept), kept_together(kept)
    if count := sum(map(len, together)):
        told = f"{count:,} rows differ from others in digits or signs only"
        yield f"{told}; such rows are in one part."
    for rows in [rows for rows in patterns if rows not in together]:
        yield (
            f"{len(rows):,} rows differ from others in digits or signs only, "
            f"{kept.texts[rows[0]][:60]!r} first; they are too many to stay together, and were "
            "divided like different texts. If such texts are copies, the results are too good."
        )


def _rare(tables: Mapping[str, LabeledTable], classes: tuple[str, ...]) -> Iterator[str]:
    """Tell of labels that are too few to say much about: the first, and how many more."""
    counts = {part: Counter(table.labels) for part, table in tables.items()}
    notes = []
    for name in classes:
        told = ", ".join(f"{count[name]} in {part}" for part, count in counts.items())
        fewest = min(count[name] for count in counts.values())
        if not counts["train"][name]:
            yield f"{name!r} is never learned ({told}), so no text gets it."
        elif fewest < FEW:
            what = "nothing" if fewest == 0 else "little"
            notes.append(f"{name!r} has few rows ({told}); {what} can be said of its answers.")
    yield from notes[:SHOWN]
    if more := notes[SHOWN:]:
        yield f"So have {len(more):,} other labels, with fewer than {FEW} rows in some part."


def _promised(
    labels: Int[np.ndarray, " rows"], classes: tuple[str, ...], promise: float
) -> Iterator[str]:
    """Tell what cannot be promised, whatever is learned: there are too few rows to choose with."""
    least, counts = least_answers(promise), np.bincount(labels, minlength=len(classes))
    if len(labels) < least:
        yield (
            f"--promise {promise:g} cannot be kept with {len(labels)} rows to choose with; it "
            f'needs {least}, so all texts will get "{REFUSAL}". Give more rows, or promise less.'
        )
    elif few := [name for name, count in zip(classes, counts, strict=True) if count < least]:
        listed = ", ".join(map(repr, few[:SHOWN])) + ", …" * (len(few) > SHOWN)
        yield (
            f"{len(few)} of {len(classes)} labels ({listed}) have fewer than the {least} rows to "
            f"choose with that --promise {promise:g} needs for a threshold of their own; such "
            "labels share one, and it is promised for them together only."
        )


def _listed(lines: Any) -> str:
    shown = ", ".join(map(str, lines[:5]))
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}{', …' * (len(lines) > 5)}"
