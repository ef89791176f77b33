"""Is a classifier.json whole? What is wrong with it, in a sentence. Chapter 19."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

LEAST = 3  # tokens: [CLS], one of the text, [SEP]


def damage(
    told: Mapping[str, Any], wanted: Collection[str], classes: int, longest: int | None
) -> str | None:
    """Say what is wrong with the fields of a file, or return None.

    `longest` is the most tokens that the model reads; None for one that reads no tokens.
    """
    if names := {*wanted} - {*told}:
        return f"it has no {min(names)!r}"
    if names := {*told} - {*wanted}:
        return f"nobody knows its {min(names)!r}"
    problems = (
        _length(told["max_length"], longest),
        _columns(told["columns"]),
        _temperature(told["temperature"]),
        _thresholds(told["thresholds"], classes),
        _classes(told["classes"], classes) if "classes" in told else None,
    )
    return next(filter(None, problems), None)


def _length(length: object, longest: int | None) -> str | None:
    if longest is None:
        return None if length is None else f"'max_length' is {length!r}, though it reads no tokens"
    if type(length) is int and LEAST <= length <= longest:
        return None
    return f"'max_length' is {length!r}, not from {LEAST} to {longest}"


def _columns(columns: object) -> str | None:
    names = columns if isinstance(columns, dict) else {}
    known = {"text"} <= {*names} <= {"text", "pair"} and isinstance(names["text"], str)
    if known and isinstance(names.get("pair"), str | None):
        return None
    return f"'columns' is {columns!r}, not the names of a text and its pair"


def _temperature(value: object) -> str | None:
    if _is_number(value, math.inf) and value != 0:
        return None
    return f"'temperature' is {value!r}, no number above 0"


def _thresholds(levels: object, classes: int) -> str | None:
    if not isinstance(levels, list) or len(levels) not in (0, classes):
        return f"'thresholds' is {str(levels)[:60]}, not one number for each of {classes} labels"
    wrong = [level for level in levels if level is not None and not _is_number(level, 1.0)]
    return f"{wrong[0]!r} in 'thresholds' is no probability" if wrong else None


def _classes(names: Any, classes: int) -> str | None:
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if texts and len({*names}) == len(names) == classes:
        return None
    return f"'classes' is {str(names)[:60]}, not {classes} names"


def _is_number(value: Any, most: float) -> bool:
    """Return whether a value is a number from 0 to `most`, and finite."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= most
