"""Texts that occur more than once: copies, contradictions, and texts of one pattern. Chapter 19."""

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
    """Rows with a text that was there before: `exact`, or `near`, but for case, space and marks.

    `contradictions` are groups of rows of one text whose labels differ.
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
    """Return which texts of `table` occur more than once, as `plain_text` has them.

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
    """Return the rows of `table` to keep, in order: the first of each plain text with each label.

    Texts that differ in digits or in signs are not copies, and stay.

    >>> without_copies(LabeledTable(["It hums.", "it hums.", "it hums."], ["A", "A", "B"]))
    [0, 2]
    """
    keys = zip(map(plain_text, table.texts), table.labels or [""] * len(table), strict=True)
    return [rows[0] for rows in rows_by(keys)]
