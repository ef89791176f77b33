"""From a table to parts without copies, with a sentence for each thing that is odd. Chapter 19."""

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from minibert.loading import load_tokenizer
from minibert.wordpiece import WordPieceTokenizer

from .duplicates import find_duplicates, without_copies
from .splitting import SHARES, Blocks, linked_rows, split_rows
from .table import LabeledTable, read_table
from .thresholds import REFUSAL, least_answers

SHOWN = 3  # of many
LEAST, MOST = SHARES[0] / 2, 2 * SHARES[0]  # of the rows in a part that needs no note
MOST_UNKNOWN = 0.2  # of the tokens; of more, answers depend on what is left
LOOKED_AT = 2000  # texts, evenly from all


class Work(NamedTuple):
    """Parts, as tables and as numbers of classes; notes; rows to ask that belong together."""

    tables: dict[str, LabeledTable]
    labels: dict[str, Int[np.ndarray, " rows"]]
    classes: tuple[str, ...]
    notes: list[str]
    blocks: Blocks


def prepare(options: argparse.Namespace) -> Work:
    """Read a table, drop copies, and divide the rest; count [UNK] if an encoder will read it."""
    more = {name: getattr(options, name) for name in ("group", "time", "encoding")}
    table = read_table(options.table, options.text, options.label, **more)
    classes = table.classes
    if len(classes) < 2:
        raise ValueError(
            f"each of the {len(table):,} rows has one label, so there is nothing to choose; is "
            f"{options.label!r} the column of the labels?"
        )
    if len(classes) > max(2, len(table) // 3):
        raise ValueError(
            f"the column {options.label!r} has {len(classes):,} different labels in "
            f"{len(table):,} rows, and a label is a class that many rows share; name another, or "
            "put numbers into classes"
        )
    kept = table.take(without_copies(table))
    parts = split_rows(kept, seed=options.seed)
    tables = {name: kept.take(rows) for name, rows in parts._asdict().items()}
    learned = [*tables["train"].classes]
    if len(learned) < 2:
        raise ValueError(
            f"the rows to learn from have one label only, {learned[0]!r}; give more rows of the "
            "others, or divide without --time and --group"
        )
    labels = {p: np.array([*map(classes.index, t.labels or ())]) for p, t in tables.items()}
    notes = [
        *_notes_on_rows(table, kept),
        *(
            f"The {name} part has {len(part):,} of {len(kept):,} rows: blocks stay together."
            for name, part in [*tables.items()][1:]
            if not LEAST <= len(part) / len(kept) <= MOST
        ),
        "The newest rows are the test part." if options.time else "Chance divides the rows.",
        *(f"{x!r} is never learned, so no text gets it." for x in classes if x not in learned),
        *_notes_on_target(labels["validation"], classes, options.promise),
    ]
    if options.use != "words":
        share = unknown_share(load_tokenizer(options.model), kept)
        notes.append(f"{100 * share:.1f} % of the tokens are [UNK], unknown to the vocabulary.")
        if share > MOST_UNKNOWN:
            raise ValueError(
                f"{notes[-1][:-1]}, which leaves too little to learn from. Name a --model whose "
                "vocabulary has this script, or count words: --use words"
            )
    place = {row: number for number, row in enumerate(parts.test)}
    blocks = [[place[row] for row in rows] for rows in linked_rows(kept) if rows[0] in place]
    return Work(tables, labels, classes, notes, blocks)


def unknown_share(tokenizer: WordPieceTokenizer, table: LabeledTable) -> float:
    """Return the share of tokens that the vocabulary does not know, among some of the texts."""
    some = table.texts[:: max(1, len(table) // LOOKED_AT)]
    tokens = [token for text in some for token in tokenizer.tokenize(text)]
    return tokens.count("[UNK]") / max(1, len(tokens))


def _notes_on_rows(table: LabeledTable, kept: LabeledTable) -> Iterator[str]:
    """Say what was read, and what was not; count copies, and texts with several labels."""
    lines, several = table.lines or range(len(table)), find_duplicates(table).contradictions
    yield f"Rows with a text and a label: {len(table):,}, with {len(table.classes)} labels."
    if table.skipped:
        yield f"Others, with an empty field: {len(table.skipped):,}, first line {table.skipped[0]}."
    if copies := len(table) - len(kept):
        stay = {*zip(kept.texts, kept.labels or (), strict=True)}
        near = sum(row not in stay for row in zip(table.texts, table.labels or ()))
        yield (
            f"Copies of texts with the same label, left out: {copies:,} ({near:,} in other case or "
            "punctuation)."
        )
    if several:
        where = ", ".join(str(lines[row]) for row in several[0][:5])
        yield (
            f"Texts with several labels, which stay: {len(several):,}, as in lines {where}: "
            f"{table.texts[several[0][0]][:60]!r}."
        )


def _notes_on_target(
    labels: Int[np.ndarray, " rows"], classes: Sequence[str], target: float
) -> Iterator[str]:
    """Say what cannot be promised, whatever is learned: there are too few rows to choose with."""
    least, counts = least_answers(target), np.bincount(labels, minlength=len(classes))
    few = [name for name, count in zip(classes, counts, strict=True) if count < least]
    listed = ", ".join(map(repr, few[:SHOWN])) + ", …" * (len(few) > SHOWN)
    if few:
        together = (
            "such labels share one, and it is promised for them together only"
            if len(labels) >= least
            else f'all {len(labels)} together are too few, so every text will get "{REFUSAL}"'
        )
        yield (
            f"{len(few)} of {len(classes)} labels ({listed}) have fewer than the {least} rows to "
            f"choose with that --promise {target:g} needs for a threshold of their own; {together}."
        )
