"""Questions that mean the same, and questions that only look the same: the pairs of Chapter 16."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from .splits import split_text

#: Whether two questions ask the same, in the order of the ids.
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

    >>> [len(question_pairs(split)) for split in ("train", "validation", "test")]
    [480, 120, 144]
    """
    return tuple(_parse(split_text("requests_and_pairs", "pairs", split)))


def _parse(text: str) -> Iterator[QuestionPair]:
    """Pair the questions of each block: within its halves duplicates, across them none.

    A block is ``== name``, questions, a line ``--`` and as many questions. Of n in each half, every
    one stands n − 1 times in each class, so that nothing about a single question gives the class
    away: no question meets its counterpart of the other half.
    """
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for block in "\n".join(lines).removeprefix("== ").split("\n== "):
        one, other = (half.splitlines() for half in block.split(f"\n{LINE}\n"))
        one = one[1:]  # behind the name
        for half in (one, other):
            yield from (QuestionPair(*pair, "duplicate") for pair in combinations(half, 2))
        for first, counterpart in zip(one, reversed(other), strict=True):
            for second in other:
                if second != counterpart:
                    yield QuestionPair(first, second, "not_duplicate")
