"""Sentences whose names are tagged: those of Chapter 17, and any file with a tag for each word."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from minibert.text_files import read_text

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

    Raises:
        ValueError: When there is no such split.

    >>> [len(entity_sentences(split)) for split in ("train", "validation", "test")]
    [334, 61, 134]
    """
    return parse_entities(split_text("passages_and_entities", "entities", split))


def read_entities(path: str | Path) -> tuple[TaggedSentence, ...]:
    r"""Read a UTF-8 file with a word and its tag on each line.

    Args:
        path: The file, as `parse_entities` reads it.

    Returns:
        In the order of the file.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is not UTF-8, or a line is wrong; the message gives its number.
    """
    return parse_entities(read_text(path))


def parse_entities(text: str) -> tuple[TaggedSentence, ...]:
    r"""Read lines that hold a word and, last, its tag; a blank line ends a sentence.

    Args:
        text: Lines such as ``Rome B-LOC``; what stands between word and tag is passed over, as are
            lines with # at the beginning of the file.

    Returns:
        In the order of the text.

    Raises:
        ValueError: If a line has no tag, or one that cannot follow the tag before it.

    >>> parse_entities("Anna B-PER\nsings O\n\n")
    (TaggedSentence(words=('Anna', 'sings'), tags=('B-PER', 'O')),)
    """
    sentences: list[TaggedSentence] = []
    words: list[str] = []
    tags: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        columns = line.split()
        is_head = line.startswith("#") and not sentences and not words
        if is_head or columns[:1] == ["-DOCSTART-"]:
            continue
        if columns:
            before = tags[-1] if tags else "O"
            _require_legal(number, line, columns, before)
            words.append(columns[0])
            tags.append(columns[-1])
        elif words:
            sentences.append(TaggedSentence(tuple(words), tuple(tags)))
            words, tags = [], []
    return tuple(sentences)


def _require_legal(number: int, line: str, columns: list[str], before: str) -> None:
    """Raise for a line without a tag, or with one that cannot follow the tag before it."""
    begun, _, kind = columns[-1].partition("-")
    if len(columns) < 2 or not (columns[-1] == "O" or (begun in ("B", "I") and kind)):
        raise ValueError(
            f"line {number} ({line!r}) is not a word and a tag; write 'Rome B-LOC', with a tag "
            "that is O or begins with B- or I-"
        )
    if begun == "I" and before not in (f"B-{kind}", f"I-{kind}"):
        raise ValueError(
            f"line {number} ({line!r}): {columns[-1]} continues a name, but the tag before it is "
            f"{before}; a name begins with B-{kind}"
        )
