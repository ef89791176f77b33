"""Are the labels of a table classes? What is none, and what is perhaps one twice. Chapter 19."""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from .table import LabeledTable
from .thresholds import REFUSAL


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
    """Tell of labels that are perhaps one, and of numbers that are perhaps no classes."""
    told = set()
    for normalized, seen in _LIKENESSES:
        alike = defaultdict(list)
        for name in classes:
            alike[normalized(name)].append(name)
        for names in alike.values():
            if len(names) > 1 and not {*names} <= told:
                told |= {*names}
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
