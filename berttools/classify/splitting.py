"""Divide a table into parts to learn from, to choose with, and to be asked once. Chapter 19."""

import math
from collections import Counter
from datetime import datetime, timezone
from typing import NamedTuple

import numpy as np

from .duplicates import normalize_text, plain_text, rows_by
from .table import LabeledTable

FEWEST = 3  # blocks of a class: one for each part
# Texts of one pattern stay together up to so many rows or such a share: digits and signs that make
# more texts are what they say.
ALWAYS, LARGEST = 10, 0.15
SHARES = (0.15, 0.15)  # of the validation and of the test part
Blocks = list[list[int]]


class Parts(NamedTuple):
    """Numbers of rows: `train` to learn from, `validation` to choose with, `test` to ask once."""

    train: list[int]
    validation: list[int]
    test: list[int]


def split_rows(table: LabeledTable, *, seed: int, shares: tuple[float, float] = SHARES) -> Parts:
    """Return parts of which none knows anything of another; every row is in one.

    Copies of a text stay together, and so do texts that differ in digits or signs only, and the
    rows of a group: they are a block. With times the newest blocks, by their newest row, are the
    test part and those before them the validation part. Without times chance fills the parts, and
    each gets about its share of every class; one of one or two blocks is in the first part only.

    Args:
        table: With labels.
        seed: Start of all chance; with times there is none.
        shares: Of the validation and of the test part.

    >>> table = LabeledTable([*"abcdefgh"], [*"xyxyxyxy"], times=[*"12345678"])
    >>> split_rows(table, seed=0, shares=(0.25, 0.25))
    Parts(train=[0, 1, 2, 3], validation=[4, 5], test=[6, 7])
    """
    blocks = linked_rows(table)
    if table.times:
        places = [f"line {n}" for n in table.lines or ()] or [f"row {n}" for n in range(len(table))]
        times = [*map(_time_value, table.times, places)]
        if len({is_number for is_number, _ in times}) > 1:
            raise ValueError("some times are dates and some are numbers; write all in one way")
        parts = _by_time(blocks, [value for _, value in times], shares)
    else:
        parts = _by_class(blocks, table.labels or [""] * len(table), seed, shares)
    for name, rows in zip(Parts._fields, parts, strict=True):
        if not rows:
            raise ValueError(
                f"the {name} part would be empty: of {len(table)} rows, copies, texts that differ "
                f"in digits or signs only, and groups stay together, which leaves {len(blocks)} "
                "blocks; give more rows, or a finer --group"
            )
    return Parts(*map(sorted, parts))


def linked_rows(table: LabeledTable) -> Blocks:
    """Return the rows of `table` in blocks that share a text, its pattern or a group.

    Also by way of others; each row stands in one block.

    >>> linked_rows(LabeledTable(["a b", "c d", "a b"]))
    [[0, 2], [1]]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    most, patterns = max(ALWAYS, LARGEST * len(table)), rows_by(map(normalize_text, table.texts))
    groups = [*rows_by(map(plain_text, table.texts)), *rows_by(table.groups or ())]
    groups += [rows for rows in patterns if len(rows) <= most]
    links = np.array([(rows[0], row) for rows in groups for row in rows]).T  # also to itself
    graph = coo_array((np.ones(links.shape[1]), (links[0], links[1])), 2 * (len(table),))
    _, blocks = connected_components(graph, directed=False)
    return rows_by(blocks.tolist())


def _time_value(text: str, place: str) -> tuple[bool, float]:
    """Turn a time into a number that can be ordered, and say whether it was one already."""
    try:
        if math.isfinite(number := float(text)):
            return True, number
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"the time {text!r} ({place}) is neither an ISO date, such as 2024-03-31 or "
            "2024-03-31 17:05, nor a number"
        ) from None
    return False, (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def _by_time(blocks: Blocks, times: list[float], shares: tuple[float, float]) -> Blocks:
    """Take blocks from the newest on: the test part first."""
    blocks = sorted(blocks, key=lambda rows: max(times[row] for row in rows))
    parts = [[], [], []]
    for number in (2, 1):
        while blocks and len(parts[number]) < shares[number - 1] * len(times):
            parts[number] += blocks.pop()
    parts[0] = [row for rows in blocks for row in rows]
    return parts


def _by_class(blocks: Blocks, labels: list[str], seed: int, shares: tuple[float, float]) -> Blocks:
    """Give each block, in an order of chance, to the part that lacks most of its class."""
    order = np.random.default_rng(seed).permutation(len(blocks)).tolist()
    counted = {place: Counter(labels[row] for row in blocks[place]) for place in order}
    usual = {place: counts.most_common(1)[0][0] for place, counts in counted.items()}
    sizes, numbers = Counter(labels), Counter(usual.values())
    missing = {}
    for name, size in sizes.items():
        aside = [max(1, round(share * size)) if numbers[name] >= FEWEST else 0 for share in shares]
        missing[name] = [size - sum(aside), *aside]
    parts = [[], [], []]
    for place in sorted(usual, key=lambda place: sizes[usual[place]]):  # rare classes first
        lacking = missing[usual[place]]
        chosen = lacking.index(max(lacking))
        parts[chosen] += blocks[place]
        for name, count in counted[place].items():
            missing[name][chosen] -= count
    return parts
