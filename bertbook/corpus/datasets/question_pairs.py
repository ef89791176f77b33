"""Questions that mean the same, and questions that only look the same: the pairs of Chapter 16."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from .splits import split_text

PAIR_LABELS = ("not_duplicate", "duplicate")
LINE = "--"


class QuestionPair(NamedTuple):
    """Two questions, and whether an answer to one answers the other.

    Args:
        first, second: The two questions.
        label: One of `PAIR_LABELS`.
    """

    first: str
    second: str
    label: str


def question_pairs(split: str) -> tuple[QuestionPair, ...]:
    """Return the pairs of questions of the book.

    Args:
        split: "train", "validation" or "test": 480, 120 or 144 of them, half of each class; no
            question is in two splits.

    Returns:
        Block by block; shuffle them before you train.

    Raises:
        ValueError: When there is no such split.

    >>> [len(question_pairs(split)) for split in ("train", "validation", "test")]
    [480, 120, 144]
    """
    return parse_pairs(split_text("requests_and_pairs", "pairs", split))


def parse_pairs(text: str) -> tuple[QuestionPair, ...]:
    r"""Pair the questions of each block: within its halves duplicates, across them none.

    Of n questions in each half, every one stands n − 1 times in each class, so that nothing about a
    single question gives the class away.

    Args:
        text: Blocks ``== name`` of two halves with as many questions each, a line ``--`` between
            them; lines with # are passed over.

    Returns:
        Block by block, in each the duplicates first.

    Raises:
        ValueError: If the halves of a block are not equally long, or shorter than two.
    """
    found = []
    for name, lines in _blocks(text):
        if lines.count(LINE) != 1:
            raise ValueError(f"block {name!r} has {lines.count(LINE)} lines {LINE!r}; it needs one")
        half = lines.index(LINE)
        one, other = lines[:half], lines[half + 1 :]
        if len(one) != len(other) or len(one) < 2:
            raise ValueError(
                f"block {name!r} has {len(one)} questions above {LINE!r} and {len(other)} below; "
                "write as many below as above, at least two"
            )
        found += [QuestionPair(*pair, "duplicate") for pair in _within(one, other)]
        found += [QuestionPair(*pair, "not_duplicate") for pair in _across(one, other)]
    return tuple(found)


def _blocks(text: str) -> list[tuple[str, list[str]]]:
    """Read the name and the lines of each block."""
    blocks = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("== "):
            blocks.append((line.removeprefix("== "), []))
        elif not line.startswith("#"):
            if not blocks:
                raise ValueError(f"{line!r} stands in no block; write '== name' above it")
            blocks[-1][1].append(line)
    return blocks


def _within(one: list[str], other: list[str]) -> Iterator[tuple[str, str]]:
    """Pair each question with all others of its half."""
    yield from combinations(one, 2)
    yield from combinations(other, 2)


def _across(one: list[str], other: list[str]) -> Iterator[tuple[str, str]]:
    """Pair each question with all of the other half except its counterpart."""
    for first, mirror_image in zip(one, reversed(other)):
        yield from ((first, second) for second in other if second != mirror_image)
