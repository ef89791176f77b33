"""From a table to parts without copies, with a sentence for each thing that is odd. Chapter 19."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from . import notes
from .duplicates import without_copies
from .splitting import Blocks, linked_rows, split_rows
from .table import LabeledTable, read_table

COLUMNS = ("text", "label", "pair", "group", "time", "encoding")


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
    notes.require_classes(table, plan["label"])
    kept = table.take(without_copies(table))
    parts = split_rows(kept, seed=plan["seed"])
    tables = {name: kept.take(rows) for name, rows in parts._asdict().items()}
    learned = list(tables["train"].classes)
    if len(learned) < 2:
        raise ValueError(
            f"the rows to learn from have one label only, {learned[0]!r}; give more rows of the "
            "others, or divide without --time and --group"
        )
    number = {name: place for place, name in enumerate(classes)}
    labels = {p: np.array([number[x] for x in t.labels or ()]) for p, t in tables.items()}
    noticed = [
        *notes.notes_on_rows(table),
        *notes.notes_on_copies(table, kept),
        *notes.notes_on_patterns(kept),
        *notes.notes_on_labels(classes),
        *notes.notes_on_rare_labels(tables, classes),
        *notes.notes_on_target(labels["validation"], classes, plan["promise"]),
    ]
    return Work(tables, labels, classes, noticed, _within(linked_rows(kept), parts.test))


def _within(blocks: Blocks, rows: Sequence[int]) -> Blocks:
    """Return the blocks of a part, with the places of their rows in it."""
    place = {row: number for number, row in enumerate(rows)}
    return [[place[row] for row in block] for block in blocks if block[0] in place]
