"""Texts that occur more than once: copies, contradictions, and leaks between parts. Chapter 19."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from .table import LabeledTable

# What ends a sentence, parts it, or stands around its words. Signs that mean something are not
# among them: C++ and C#, +3 and -3, :) and :( are different texts, and so are 3.5 and 35.
PUNCTUATION = re.compile(r"(?<!\d)[.,]|[.,](?!\d)|[;!?…\"“”„«»¡¿。，、！？]")


class Duplicates(NamedTuple):
    """Rows whose text was there before, and rows of one text whose labels differ.

    Parameters
    ----------
    exact : list of int
        Rows with a text that was there before, up to case, punctuation and white space.
    near : list of int
        Rows with a text that nearly was there before.
    contradictions : list of list of int
        Groups of rows of one text whose labels differ.
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


def copy_keys(table: LabeledTable) -> list[tuple[str, ...]]:
    """Return for each row its plain text, or pair of texts: copies have the same key."""
    return _keys(table, plain_text)


def text_keys(table: LabeledTable) -> list[tuple[str, ...]]:
    """Return for each row its normalized text, or pair: texts of one pattern have the same key."""
    return _keys(table, normalize_text)


def _keys(table: LabeledTable, normalized: Callable[[str], str]) -> list[tuple[str, ...]]:
    columns = [table.texts] + ([table.pairs] if table.pairs else [])
    return [tuple(map(normalized, texts)) for texts in zip(*columns, strict=True)]


def find_duplicates(table: LabeledTable) -> Duplicates:
    """Find texts that occur more than once.

    Parameters
    ----------
    table : LabeledTable
        With labels, or without.

    Returns
    -------
    Duplicates
        ``exact``: rows whose text stood in a row before, letter by letter; ``near``: those that
        are like one before but for case, white space and marks of sentences (`plain_text`);
        ``contradictions``: for each text with more than one label, its rows.

    Examples
    --------
    >>> table = LabeledTable(["It hums.", "it hums", "No bill.", "It hums."], ["A", "B", "B", "A"])
    >>> find_duplicates(table)
    Duplicates(exact=[3], near=[1], contradictions=[[0, 1, 3]])
    """
    whole = list(zip(table.texts, table.pairs or table.texts, strict=True))
    labels = table.labels or [""] * len(table)
    duplicates, seen, rows_of = Duplicates([], [], []), set(), defaultdict(list)
    for row, (key, text) in enumerate(zip(copy_keys(table), whole, strict=True)):
        if key in rows_of:
            (duplicates.exact if text in seen else duplicates.near).append(row)
        rows_of[key].append(row)
        seen.add(text)
    contradictions = [rows for rows in rows_of.values() if len({labels[row] for row in rows}) > 1]
    return duplicates._replace(contradictions=contradictions)


def without_copies(table: LabeledTable) -> list[int]:
    """Return the rows to keep: the first of each plain text with each label.

    Texts that differ in digits or in signs are not copies, and stay.

    Parameters
    ----------
    table : LabeledTable
        With labels, or without.

    Returns
    -------
    list of int
        Numbers of rows, in order. A text with two labels keeps a row of each.
    """
    first: dict[tuple, int] = {}
    keys = zip(copy_keys(table), table.labels or [""] * len(table), strict=True)
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    return list(first.values())


def find_patterns(table: LabeledTable) -> list[list[int]]:
    """Return the rows of each group of texts that differ in digits or signs only."""
    rows_of = defaultdict(list)
    for row, key in enumerate(text_keys(table)):
        rows_of[key].append(row)
    keys = copy_keys(table)
    return [rows for rows in rows_of.values() if len({keys[row] for row in rows}) > 1]


def find_leaks(seen: LabeledTable, asked: LabeledTable) -> list[int]:
    """Find rows that are asked about though a text of the same pattern was trained on.

    Parameters
    ----------
    seen, asked : LabeledTable
        What a model learns from, and what it is measured on.

    Returns
    -------
    list of int
        Numbers of rows of `asked` whose text stands in `seen`, up to case, punctuation, signs and
        digits, with whichever label.

    Examples
    --------
    >>> find_leaks(LabeledTable(["It hums.", "No bill."]), LabeledTable(["Which bill?", "it HUMS"]))
    [1]
    """
    known = {*text_keys(seen)}
    return [row for row, key in enumerate(text_keys(asked)) if key in known]
