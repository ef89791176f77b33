"""Divide a table into parts to learn from, to choose with, and to be asked once. Chapter 19."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

import numpy as np

from .duplicates import text_keys
from .table import Table

FEWEST = 3  # blocks of a class: one for each part


class Parts(NamedTuple):
    """Numbers of rows: to learn from, to choose with, to be asked once."""

    train: list[int]
    validation: list[int]
    test: list[int]


def split_rows(table: Table, *, seed: int, shares: tuple[float, float] = (0.15, 0.15)) -> Parts:
    """Divide the rows so that no part knows anything of another.

    Copies of a text stay together, and so do the rows of a group, if there are groups: they are a
    block. With times, the newest blocks are the test part, those before them the validation part,
    and no row to learn from is newer than the newest of its part. Without times each part gets
    every class in about the same share, which chance fills.

    Parameters
    ----------
    table : Table
        With labels.
    seed : int
        Start of all chance; it decides nothing where there are times.
    shares : pair of float, default (0.15, 0.15)
        Of the validation and of the test part.

    Returns
    -------
    Parts
        Every row is in one part. A class with fewer than three blocks is in the first one only,
        unless times decide.

    Raises
    ------
    ValueError
        If a time is neither an ISO date nor a number, or a part would be empty.

    Examples
    --------
    >>> table = Table([*"abcdefgh"], [*"xyxyxyxy"], times=[*"12345678"])
    >>> split_rows(table, seed=0, shares=(0.25, 0.25))
    Parts(train=[0, 1, 2, 3], validation=[4, 5], test=[6, 7])
    """
    blocks = _blocks(table)
    if table.times:
        parts = _by_time(blocks, time_values(table.times, table.lines), shares)
    else:
        parts = _by_class(blocks, table.labels or [""] * len(table), seed, shares)
    for name, rows in zip(Parts._fields, parts, strict=True):
        if not rows:
            raise ValueError(
                f"the {name} part would be empty: {len(table)} rows make {len(blocks)} blocks that "
                "must stay together (copies, groups); give more rows or a finer group"
            )
    return Parts(*(sorted(rows) for rows in parts))


def time_values(times: Sequence[str], lines: Sequence[int] = ()) -> list[float]:
    """Turn times into numbers that can be ordered."""
    values = []
    for number, text in enumerate(times):
        try:
            values.append(_time_value(text))
        except ValueError:
            where = f" (line {lines[number]})" if lines else ""
            raise ValueError(
                f"the time {text!r}{where} is neither an ISO date, such as 2024-03-31 or "
                "2024-03-31 17:05, nor a number"
            ) from None
    return values


def _time_value(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def _blocks(table: Table) -> list[list[int]]:
    """Join rows that share a text or a group, also by way of others."""
    parent = list(range(len(table)))

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = row = parent[parent[row]]
        return row

    for keys in (text_keys(table), table.groups or ()):
        first: dict[object, int] = {}
        for row, key in enumerate(keys):
            parent[root(row)] = root(first.setdefault(key, row))
    members = defaultdict(list)
    for row in range(len(table)):
        members[root(row)].append(row)
    return list(members.values())


def _by_time(
    blocks: list[list[int]], times: list[float], shares: tuple[float, float]
) -> list[list[int]]:
    """Take blocks from the newest on, by their newest row: the test part first."""
    blocks = sorted(blocks, key=lambda rows: max(times[row] for row in rows))
    total = sum(map(len, blocks))
    test, validation = [], []
    for part, share in ((test, shares[1]), (validation, shares[0])):
        while blocks and len(part) < share * total:
            part += blocks.pop()
    return [_joined(blocks), validation, test]


def _by_class(
    blocks: list[list[int]], labels: list[str], seed: int, shares: tuple[float, float]
) -> list[list[int]]:
    """Give each block, in an order of chance, to the part that lacks most of its class."""
    order = np.random.default_rng(seed).permutation(len(blocks))
    common = {place: Counter(labels[row] for row in blocks[place]) for place in order.tolist()}
    usual = {place: counts.most_common(1)[0][0] for place, counts in common.items()}
    sizes, numbers = Counter(labels), Counter(usual.values())
    parts: list[list[int]] = [[], [], []]
    missing = {}
    for name, size in sizes.items():
        aside = [max(1, round(share * size)) if numbers[name] >= FEWEST else 0 for share in shares]
        missing[name] = [size - sum(aside), *aside]
    by_rarity = sorted(usual, key=lambda place: sizes[usual[place]])  # rare classes first
    for place in by_rarity:
        lacking = missing[usual[place]]
        chosen = lacking.index(max(lacking))
        parts[chosen] += blocks[place]
        for name, count in common[place].items():
            missing[name][chosen] -= count
    return parts


def _joined(blocks: Iterable[list[int]]) -> list[int]:
    return [row for rows in blocks for row in rows]
