"""Texts that occur more than once: copies, contradictions, and texts of one pattern. Chapter 19."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from .table import LabeledTable

# What ends a sentence, parts it, or stands around its words. Signs that mean something are not
# among them: C++ and C#, +3 and -3, :) and :( are different texts, and so are 3.5 and 35.
PUNCTUATION = re.compile(r"(?<!\d)[.,]|[.,](?!\d)|[;!?…\"“”„«»¡¿。，、！？]")


class Duplicates(NamedTuple):
    """Rows whose text was there before, and rows of one text whose labels differ.

    Args:
        exact: Rows with a text that was there before, letter by letter.
        near: Rows with a text that was there before but for case, white space and marks of
            sentences.
        contradictions: Groups of rows of one text whose labels differ.
    """

    exact: list[int]
    near: list[int]
    contradictions: list[list[int]]


def plain_text(text: str) -> str:
    """Remove what makes copies look different: case, white space, and marks of sentences."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(PUNCTUATION.sub(" ", folded).split()) or text


def normalize_text(text: str) -> str:
    """Remove all that makes one text look like several: also signs, and which digits there are."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"\d+", "0", " ".join(words)) or text


def rows_by(keys: Iterable[Hashable]) -> list[list[int]]:
    """Return the rows of each key, in the order of the first ones."""
    rows_of = defaultdict(list)
    for row, key in enumerate(keys):
        rows_of[key].append(row)
    return [*rows_of.values()]


def find_duplicates(table: LabeledTable) -> Duplicates:
    """Find texts that occur more than once.

    Args:
        table: With labels, or without.

    Returns:
        Rows like one before, letter by letter or as `plain_text` has them, and contradictions.

    >>> table = LabeledTable(["It hums.", "it hums", "No bill.", "It hums."], ["A", "B", "B", "A"])
    >>> find_duplicates(table)
    Duplicates(exact=[3], near=[1], contradictions=[[0, 1, 3]])
    """
    labels = table.labels or [""] * len(table)
    alike, same = rows_by(map(plain_text, table.texts)), rows_by(table.texts)
    later, exact = ({row for rows in groups for row in rows[1:]} for groups in (alike, same))
    contradictions = [rows for rows in alike if len({labels[row] for row in rows}) > 1]
    return Duplicates(sorted(exact), sorted(later - exact), contradictions)


def without_copies(table: LabeledTable) -> list[int]:
    """Return the rows to keep: the first of each plain text with each label.

    Texts that differ in digits or in signs are not copies, and stay.

    Args:
        table: With labels, or without.

    Returns:
        Numbers of rows, in order. A text with two labels keeps a row of each.
    """
    keys = zip(map(plain_text, table.texts), table.labels or [""] * len(table), strict=True)
    return [rows[0] for rows in rows_by(keys)]


def find_patterns(table: LabeledTable) -> list[list[int]]:
    """Return the rows of each group of texts that differ in digits or signs only."""
    keys = [*map(plain_text, table.texts)]
    groups = rows_by(map(normalize_text, table.texts))
    return [rows for rows in groups if len({keys[row] for row in rows}) > 1]
