"""Merges and cuts of words, and room for pairs, with a switch for each mistake. Chapter 6."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Any

from minibert.wordpiece import merge_gain


def saved_exactly(n: float, a: float, b: float, total: float) -> float:
    """Compute the saving with all pieces length_of again."""
    more, less = (total, a - n, b - n, n), (a, b, total - n)
    return sum(x * math.log(x) for x in more if x) - sum(x * math.log(x) for x in less if x)


def glued(left: str, right: str) -> str:
    """Merge two pieces into one."""
    return left + right.removeprefix("##")


def all_pieces(pieces: Counter, pairs: Counter) -> int:
    """Count all pieces."""
    return pieces.total()


def merged_in_one(
    word: Sequence[str],
    pair: tuple[str, str],
    glue: Callable = glued,
    leave: bool = False,
    most: int | None = None,
) -> list[str]:
    """Merge one pair in one spelled word, from the left."""
    merged: list[str] = []
    for piece in word:
        is_left = most is None or merged.count(glue(*pair)) < most
        if merged and is_left and (merged[-1], piece) == pair:
            merged[-1:] = [glue(*pair), piece] if leave else [glue(*pair)]
        else:
            merged.append(piece)
    return merged


def pair_to_merge(
    spelled: Sequence[list[str]],
    counts: Sequence[int],
    *,
    score: Callable = merge_gain,
    best: int = -1,
    of: Callable = all_pieces,
    tie: int | None = 0,
    digits: int = 9,
) -> tuple[str, str]:
    """Find the best pair by a score; of several, the first in the alphabet."""
    pieces, pairs = Counter(), Counter()
    for word, count in zip(spelled, counts):
        for piece in word:
            pieces[piece] += count
        for pair in pairwise(word):
            pairs[pair] += count
    total = of(pieces, pairs)
    gains = {
        (a, b): best * round(float(score(n, pieces[a], pieces[b], total)), digits)
        for (a, b), n in pairs.items()
    }
    best_pairs = [pair for pair, gain in gains.items() if gain == min(gains.values())]
    return best_pairs[0] if tie is None else sorted(best_pairs)[tie]


def one_merge(
    spelled: Sequence[list[str]],
    counts: Sequence[int],
    *,
    weighted: bool = True,
    join: Callable = merged_in_one,
    **how: Any,
) -> list[list[str]]:
    """Merge the best pair everywhere."""
    pair = pair_to_merge(spelled, counts if weighted else [1] * len(counts), **how)
    return [join(word, pair) for word in spelled]


def match(
    word: str,
    pieces: Collection[str],
    *,
    choose: int = 0,
    mark: str = "##",
    gap: str = "whole",
    least: int = 1,
    most: int = 0,
) -> list[str]:
    """Cut a word greedily into the longest pieces that fit."""
    found, start = [], 0
    while start < len(word):
        ends = range(len(word) - most, start + least - 1, -1)
        tried = [(mark if start else "") + word[start:end] for end in ends]
        fitting = [piece for piece in tried if piece in pieces]
        if not fitting and gap != "step":
            return {"whole": ["[UNK]"], "stop": [*found, "[UNK]"], "keep": found}[gap]
        found.append(fitting[choose] if fitting else "[UNK]")
        start += len(found[-1].removeprefix("##")) if fitting else 1
    return found


def match_backward(word: str, pieces: Collection[str]) -> list[str]:
    """Cut a word greedily from its end."""
    found, end = [], len(word)
    while end:
        tried = [("##" if start else "") + word[start:end] for start in range(end)]
        fitting = [piece for piece in tried if piece in pieces]
        if not fitting:
            return ["[UNK]"]
        found.insert(0, fitting[0])
        end -= len(fitting[0].removeprefix("##"))
    return found


def fewest(
    word: str,
    pieces: Collection[str],
    *,
    mark: str = "##",
    choose: Callable = min,
    none: float = 0,
) -> float:
    """Count the fewest pieces that make up a word, by the fewest of each of its beginnings."""
    counts: list[float | None] = [0, *[None] * len(word)]
    for end in range(1, len(word) + 1):
        found = [
            before + 1
            for start, before in enumerate(counts[:end])
            if before is not None and (mark if start else "") + word[start:end] in pieces
        ]
        counts[end] = choose(found, default=None)
    return none if counts[-1] is None else counts[-1]


def match_fewest(word: str, pieces: Collection[str]) -> list[str]:
    """Cut a word into as few pieces as possible."""
    cuts: dict[int, list[str]] = {0: []}
    for end in range(1, len(word) + 1):
        last = {start: ("##" if start else "") + word[start:end] for start in cuts}
        found = [[*cuts[start], piece] for start, piece in last.items() if piece in pieces]
        cuts |= {end: min(found, key=len)} if found else {}
    return cuts.get(len(word), ["[UNK]"])


def length_of(cut: Callable) -> Callable:
    """Count the pieces of some way to cut a word, 0 if there is none."""
    return lambda word, pieces: 0 if (found := cut(word, pieces)) == ["[UNK]"] else len(found)


def count_of_ways(word: str, pieces: Collection[str]) -> int:
    """Count in how many ways a word can be cut."""
    ways = [1]
    for end in range(1, len(word) + 1):
        fits = [("##" if start else "") + word[start:end] in pieces for start in range(end)]
        ways.append(sum(n for n, fit in zip(ways, fits) if fit))
    return ways[-1]


def room_of_both(
    first: int,
    second: int,
    room: int,
    *,
    half: Callable = lambda room: room // 2,
    tie_first: bool = True,
    always: bool = False,
) -> tuple[int, int]:
    """Give the shorter text at most half of the room, and the longer one the rest."""
    if first + second <= room and not always:
        return first, second
    short = min(first, second, half(room))
    longer_first = first > second if tie_first else first >= second
    return (room - short, short) if longer_first else (short, room - short)


def room_one_by_one(first: int, second: int, room: int) -> tuple[int, int]:
    """Take one piece after another from the longer text."""
    while first + second > room:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    return first, second
