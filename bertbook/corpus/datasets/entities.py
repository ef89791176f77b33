"""Sentences whose names are tagged: those of Chapter 17."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from .splits import split_text


class TaggedSentence(NamedTuple):
    """The words of a sentence, and a tag for each.

    Args:
        words: The words, punctuation among them.
        tags: For each word ``O``, or ``B-`` or ``I-`` and a kind: the first or a later word of a
            name.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]


def entity_sentences(split: str) -> tuple[TaggedSentence, ...]:
    """Return the tagged sentences of the book.

    Args:
        split: "train", "validation" or "test"; no name of one is in another.

    Returns:
        With persons (PER), places (LOC) and organizations (ORG).

    >>> [len(entity_sentences(split)) for split in ("train", "validation", "test")]
    [334, 61, 134]
    """
    return tuple(_parse(split_text("passages_and_entities", "entities", split)))


def _parse(text: str) -> Iterator[TaggedSentence]:
    """Read lines with a word and its tag; a blank line ends a sentence, # begins a heading."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for is_sentence, group in groupby(lines, key=bool):
        if is_sentence:
            yield TaggedSentence(*zip(*map(str.split, group)))
