"""What is odd about a table, in sentences: labels, copies, unknown words. Chapter 19."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from jaxtyping import Int

from minibert.wordpiece import WordPieceTokenizer

from .duplicates import find_duplicates, find_patterns
from .splitting import kept_together
from .table import LabeledTable
from .thresholds import REFUSAL, least_answers

FEW, SHOWN = 10, 3
MOST_UNKNOWN = 0.2  # of the tokens; of more, answers depend on what is left
LOOKED_AT = 2000  # texts, evenly from all


def require_classes(table: LabeledTable, column: str) -> None:
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


def notes_on_labels(classes: Sequence[str]) -> Iterator[str]:
    """Ask about labels that are perhaps one, and of numbers that are perhaps no classes."""
    named = set()
    for normalized, seen in _LIKENESSES:
        alike = defaultdict(list)
        for name in classes:
            alike[normalized(name)].append(name)
        for names in alike.values():
            if len(names) > 1 and not {*names} <= named:
                named |= {*names}
                listed = " and ".join(map(ascii if seen == _LOOK else repr, names))
                yield f"{listed} {seen}, and are different labels here. Are they one?"
    values = [_number(name) for name in classes]
    if all(isinstance(value, float) for value in values):
        decimals = [n for n, v in zip(classes, values, strict=True) if v % 1]  # pyright: ignore
        if decimals:
            yield (
                f"Each label is a number, and some have decimals, such as {decimals[0]!r}. Scores "
                "have an order, which classes do not; should they be put into a few classes?"
            )


def notes_on_rows(table: LabeledTable) -> Iterator[str]:
    """Say what was read, and what was not."""
    yield f"{len(table):,} rows were read, with {len(table.classes)} labels."
    if table.skipped:
        yield f"{len(table.skipped):,} rows lack a field, left out: {_listed(table.skipped)}."
    yield from table.notes


def notes_on_copies(table: LabeledTable, kept: LabeledTable) -> Iterator[str]:
    """Count rows that were left out, and of texts with several labels."""
    lines, contradictions = table.lines or range(len(table)), find_duplicates(table)[-1]
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
    for rows in contradictions[:SHOWN]:
        text = table.texts[rows[0]][:60]
        where = _listed([lines[row] for row in rows])
        yield f"The same text has several labels: {where}, {text!r}."
    if more := contradictions[SHOWN:]:
        yield f"So have {len(more):,} other texts."


def notes_on_patterns(kept: LabeledTable) -> Iterator[str]:
    """Count texts that differ in digits or signs only: how they were divided."""
    patterns, together = find_patterns(kept), kept_together(kept)
    if count := sum(map(len, together)):
        yield (
            f"{count:,} rows differ from others in digits or signs only; such rows are in one part."
        )
    for rows in [rows for rows in patterns if rows not in together]:
        yield (
            f"{len(rows):,} rows differ from others in digits or signs only, "
            f"{kept.texts[rows[0]][:60]!r} first; they are too many to stay together, and were "
            "divided like different texts. If such texts are copies, the results are too good."
        )


def notes_on_rare_labels(
    tables: Mapping[str, LabeledTable], classes: tuple[str, ...]
) -> Iterator[str]:
    """Name labels that are too few to say much about: the first, and how many more."""
    counts = {part: Counter(table.labels) for part, table in tables.items()}
    notes = []
    for name in classes:
        rows = ", ".join(f"{count[name]} in {part}" for part, count in counts.items())
        fewest = min(count[name] for count in counts.values())
        if not counts["train"][name]:
            yield f"{name!r} is never learned ({rows}), so no text gets it."
        elif fewest < FEW:
            what = "nothing" if fewest == 0 else "little"
            notes.append(f"{name!r} has few rows ({rows}); {what} can be said of its answers.")
    yield from notes[:SHOWN]
    if more := notes[SHOWN:]:
        yield f"So have {len(more):,} other labels, with fewer than {FEW} rows in some part."


def notes_on_target(
    labels: Int[np.ndarray, " rows"], classes: tuple[str, ...], target: float
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


def unknown_share(tokenizer: WordPieceTokenizer, texts: Sequence[str]) -> float:
    """Compute the share of [UNK] among the tokens of some texts, of up to 2,000 of them."""
    some = texts[:: max(1, len(texts) // LOOKED_AT)]
    tokens = [token for text in some for token in tokenizer.tokenize(text)]
    return tokens.count("[UNK]") / max(1, len(tokens))


def require_known(
    tokenizer: WordPieceTokenizer, tables: Mapping[str, LabeledTable], use: str
) -> str:
    """Return the share of [UNK] in each part; raise if it is above a fifth in one of them.

    Counted words need no vocabulary, so they may be used all the same.
    """
    shares = {name: unknown_share(tokenizer, part.whole_texts) for name, part in tables.items()}
    each = ", ".join(f"{100 * share:.1f} % in {name}" for name, share in shares.items())
    message = f"Tokens that the vocabulary does not know, [UNK]: {each}"
    if max(shares.values()) > MOST_UNKNOWN and use != "words":
        raise ValueError(
            f"{message}; above {100 * MOST_UNKNOWN:g} % too little is left to learn from. Name a "
            "--model whose vocabulary has this script, or count words: --use words"
        )
    return f"{message}."


def notes_on_unknown(tokenizer: WordPieceTokenizer | None, table: LabeledTable) -> Iterator[str]:
    """Warn of texts that are answered though little of them is known."""
    share = unknown_share(tokenizer, table.whole_texts) if tokenizer else 0.0
    if share > MOST_UNKNOWN:
        yield f"{100 * share:.0f} % of the tokens are [UNK], so these answers mean little"


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


_LOOK = "look alike"
_LIKENESSES: tuple[tuple[Callable[[str], object], str], ...] = (
    (_number, "are one number"),
    (_spaced, "differ in white space only"),
    (str.casefold, "differ in capitals only"),
    (_folded, _LOOK),
)
