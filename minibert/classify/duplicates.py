"""Texts that occur more than once: copies, contradictions, and leaks between parts. Chapter 19."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import NamedTuple

from .table import LabeledTable


class Duplicates(NamedTuple):
    """Rows whose text was there before, and rows of one text whose labels differ."""

    exact: list[int]
    near: list[int]
    contradictions: list[list[int]]


def normalize_text(text: str) -> str:
    """Remove what makes copies look different: case, punctuation, white space, digits."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"\d+", "0", " ".join(words)) or text


def text_keys(table: LabeledTable) -> list[tuple[str, ...]]:
    """Return for each row its normalized text, or pair of texts: copies have the same key."""
    columns = [table.texts] + ([table.pairs] if table.pairs else [])
    return [tuple(map(normalize_text, texts)) for texts in zip(*columns, strict=True)]


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
        are like one before only once normalized (`normalize_text`); ``contradictions``: for each
        text with more than one label, its rows.

    Examples
    --------
    >>> table = LabeledTable(["It hums.", "it hums", "No bill.", "It hums."], ["A", "B", "B", "A"])
    >>> find_duplicates(table)
    Duplicates(exact=[3], near=[1], contradictions=[[0, 1, 3]])
    """
    whole = list(zip(table.texts, table.pairs or table.texts, strict=True))
    labels = table.labels or [""] * len(table)
    found, seen, rows_of = Duplicates([], [], []), set(), defaultdict(list)
    for row, (key, text) in enumerate(zip(text_keys(table), whole, strict=True)):
        if key in rows_of:
            (found.exact if text in seen else found.near).append(row)
        rows_of[key].append(row)
        seen.add(text)
    told = [rows for rows in rows_of.values() if len({labels[row] for row in rows}) > 1]
    return found._replace(contradictions=told)


def without_copies(table: LabeledTable) -> list[int]:
    """Return the rows to keep: the first of each normalized text with each label.

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
    keys = zip(text_keys(table), table.labels or [""] * len(table), strict=True)
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    return list(first.values())


def find_leaks(seen: LabeledTable, asked: LabeledTable) -> list[int]:
    """Find rows that are asked about though a copy of them was trained on.

    Parameters
    ----------
    seen, asked : LabeledTable
        What a model learns from, and what it is measured on.

    Returns
    -------
    list of int
        Numbers of rows of `asked` whose normalized text stands in `seen`, with whichever label.

    Examples
    --------
    >>> find_leaks(LabeledTable(["It hums.", "No bill."]), LabeledTable(["Which bill?", "it HUMS"]))
    [1]
    """
    known = {*text_keys(seen)}
    return [row for row, key in enumerate(text_keys(asked)) if key in known]
