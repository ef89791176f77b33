"""From a table to parts without copies, with a sentence for each thing that is odd. Chapter 19."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from minibert.loading import load_tokenizer
from minibert.wordpiece import WordPieceTokenizer

from .command import Settings
from .duplicates import find_duplicates, find_patterns, rows_by, without_copies
from .splitting import Blocks, linked_rows, most_together, split_rows
from .table import LabeledTable, read_table
from .thresholds import REFUSAL, least_answers

SHOWN = 3  # of many
MOST_UNKNOWN = 0.2  # of the tokens; of more, answers depend on what is left
LOOKED_AT = 2000  # texts, evenly from all


class Work(NamedTuple):
    """The rows of a run, divided: as tables and as numbers of classes; and what was noticed.

    `blocks` are the rows of the test part that belong together.
    """

    tables: dict[str, LabeledTable]
    labels: dict[str, Int[np.ndarray, " rows"]]
    classes: tuple[str, ...]
    notes: list[str]
    blocks: Blocks


def prepare(settings: Settings) -> Work:
    """Read a table, drop copies, and divide the rest; count [UNK] if an encoder will read it."""
    table = read_table(
        settings.table,
        settings.text,
        settings.label,
        group=settings.group,
        time=settings.time,
        encoding=settings.encoding,
    )
    classes = table.classes
    _require_classes(table, settings.label)
    kept = table.take(without_copies(table))
    parts = split_rows(kept, seed=settings.seed)
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
        *_notes_on_labels(classes),
        *(f"{x!r} is never learned, so no text gets it." for x in classes if x not in learned),
        *_notes_on_target(labels["validation"], classes, settings.promise),
    ]
    if settings.use != "words":
        notes.append(require_known(load_tokenizer(settings.model), tables))
    place = {row: number for number, row in enumerate(parts.test)}
    blocks = [[place[row] for row in rows] for rows in linked_rows(kept) if rows[0] in place]
    return Work(tables, labels, classes, notes, blocks)


def require_known(tokenizer: WordPieceTokenizer, tables: Mapping[str, LabeledTable]) -> str:
    """Return the share of [UNK] in each part; raise if it is above a fifth in one of them."""
    shares = {name: _unknown_share(tokenizer, part) for name, part in tables.items()}
    each = ", ".join(f"{100 * share:.1f} % in {name}" for name, share in shares.items())
    message = f"Tokens that the vocabulary does not know, [UNK]: {each}"
    if max(shares.values()) > MOST_UNKNOWN:
        raise ValueError(
            f"{message}; above {100 * MOST_UNKNOWN:g} % too little is left to learn from. Name a "
            "--model whose vocabulary has this script, or count words: --use words"
        )
    return f"{message}."


def notes_on_unknown(tokenizer: WordPieceTokenizer | None, table: LabeledTable) -> Iterator[str]:
    """Warn of texts that are answered though little of them is known."""
    share = _unknown_share(tokenizer, table) if tokenizer else 0.0
    if share > MOST_UNKNOWN:
        yield f"{100 * share:.0f} % of the tokens are [UNK], so these answers mean little"


def _unknown_share(tokenizer: WordPieceTokenizer, table: LabeledTable) -> float:
    some = table.texts[:: max(1, len(table) // LOOKED_AT)]
    tokens = [token for text in some for token in tokenizer.tokenize(text)]
    return tokens.count("[UNK]") / max(1, len(tokens))


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
    if taken := [name for name in table.classes if _folded(name) == _folded(REFUSAL)]:
        raise ValueError(
            f"the label {taken[0]!r} is what `predict` says where it gives no answer; name this "
            "class otherwise in the table"
        )


def _notes_on_rows(table: LabeledTable, kept: LabeledTable) -> Iterator[str]:
    """Say what was read, and what was not; count copies, and texts with several labels."""
    lines, found = table.lines or range(len(table)), find_duplicates(table)
    yield f"{len(table):,} rows were read, with {len(table.classes)} labels."
    if table.skipped:
        yield f"{len(table.skipped):,} rows lack a field, left out: {_listed(table.skipped)}."
    yield from table.notes
    if copies := len(table) - len(kept):
        stay = {*zip(kept.texts, kept.labels or (), strict=True)}
        near = sum(row not in stay for row in zip(table.texts, table.labels or ()))
        rows = "rows are copies of others" if copies > 1 else "row is a copy of another"
        yield (
            f"{copies:,} {rows} with the same label and left out ({near:,} in other case or "
            "punctuation)."
        )
    for rows in found.contradictions[:SHOWN]:
        where = _listed([lines[row] for row in rows])
        yield f"The same text has several labels: {where}, {table.texts[rows[0]][:60]!r}."
    if more := found.contradictions[SHOWN:]:
        yield f"So have {len(more):,} other texts."
    for rows in [rows for rows in find_patterns(kept) if len(rows) > most_together(kept)]:
        yield (
            f"{len(rows):,} rows differ from others in digits or signs only, "
            f"{kept.texts[rows[0]][:60]!r} first; they are too many to stay together, and were "
            "divided like different texts. If such texts are copies, the results are too good."
        )


def _notes_on_labels(classes: Sequence[str]) -> Iterator[str]:
    """Ask about labels that are perhaps one, and of numbers that are perhaps no classes."""
    named: set[str] = set()
    for what, normalized in LIKENESSES.items():
        for rows in rows_by(map(normalized, classes)):
            names = [classes[row] for row in rows]
            if len(names) > 1 and not {*names} <= named:
                named |= {*names}
                listed = " and ".join(map(ascii if what == ALIKE else repr, names))
                yield f"{listed} {what}, and are different labels here. Are they one?"
    numbers = [value for value in map(_number, classes) if isinstance(value, float)]
    decimals = [name for name, value in zip(classes, numbers) if value % 1]
    if len(numbers) == len(classes) and decimals:
        yield (
            f"Each label is a number, and some have decimals, such as {decimals[0]!r}. Scores "
            "have an order, which classes do not; should they be put into a few classes?"
        )


def _notes_on_target(
    labels: Int[np.ndarray, " rows"], classes: Sequence[str], target: float
) -> Iterator[str]:
    """Say what cannot be promised, whatever is learned: there are too few rows to choose with."""
    least, counts = least_answers(target), np.bincount(labels, minlength=len(classes))
    if len(labels) < least:
        yield (
            f"--promise {target:g} cannot be kept with {len(labels)} rows to choose with; it "
            f'needs {least}, so all texts will get "{REFUSAL}". Give more rows, or promise less.'
        )
    elif few := [name for name, count in zip(classes, counts, strict=True) if count < least]:
        listed = ", ".join(map(repr, few[:SHOWN])) + ", …" * (len(few) > SHOWN)
        yield (
            f"{len(few)} of {len(classes)} labels ({listed}) have fewer than the {least} rows to "
            f"choose with that --promise {target:g} needs for a threshold of their own; such "
            "labels share one, and it is promised for them together only."
        )


def _listed(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:5]))
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}{', …' * (len(lines) > 5)}"


def _spaced(name: str) -> str:
    return " ".join(name.split())


def _folded(name: str) -> str:
    """Remove what can hardly be seen: forms of letters, case, and white space."""
    return _spaced(unicodedata.normalize("NFKC", name).casefold())


def _number(name: str) -> float | str:
    """Return a number as its value, anything else as it is."""
    try:
        value = float(name)
    except ValueError:
        return name
    return value if math.isfinite(value) else name


ALIKE = "look alike"
LIKENESSES: dict[str, Callable[[str], object]] = {
    "are one number": _number,
    "differ in white space only": _spaced,
    "differ in capitals only": str.casefold,
    ALIKE: _folded,
}
