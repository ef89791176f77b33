"""The chapters of the King James Bible, and which of them no model is trained on. Chapter 14."""

from __future__ import annotations

import bz2
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

# The books in order, each with the number of its chapters.
BOOKS = (
    ("Genesis", 50), ("Exodus", 40), ("Leviticus", 27), ("Numbers", 36), ("Deuteronomy", 34),
    ("Joshua", 24), ("Judges", 21), ("Ruth", 4), ("1 Samuel", 31), ("2 Samuel", 24),
    ("1 Kings", 22), ("2 Kings", 25), ("1 Chronicles", 29), ("2 Chronicles", 36), ("Ezra", 10),
    ("Nehemiah", 13), ("Esther", 10), ("Job", 42), ("Psalms", 150), ("Proverbs", 31),
    ("Ecclesiastes", 12), ("Song of Solomon", 8), ("Isaiah", 66), ("Jeremiah", 52),
    ("Lamentations", 5), ("Ezekiel", 48), ("Daniel", 12), ("Hosea", 14), ("Joel", 3), ("Amos", 9),
    ("Obadiah", 1), ("Jonah", 4), ("Micah", 7), ("Nahum", 3), ("Habakkuk", 3), ("Zephaniah", 3),
    ("Haggai", 2), ("Zechariah", 14), ("Malachi", 4), ("Matthew", 28), ("Mark", 16), ("Luke", 24),
    ("John", 21), ("Acts", 28), ("Romans", 16), ("1 Corinthians", 16), ("2 Corinthians", 13),
    ("Galatians", 6), ("Ephesians", 6), ("Philippians", 4), ("Colossians", 4),
    ("1 Thessalonians", 5), ("2 Thessalonians", 3), ("1 Timothy", 6), ("2 Timothy", 4),
    ("Titus", 3), ("Philemon", 1), ("Hebrews", 13), ("James", 5), ("1 Peter", 5), ("2 Peter", 3),
    ("1 John", 5), ("2 John", 1), ("3 John", 1), ("Jude", 1), ("Revelation", 22),
)  # fmt: skip

# Chosen before anything was measured: stories, wisdom, songs, prophecy and a letter.
HELD_OUT_BOOKS = ("Ruth", "Esther", "Ecclesiastes", "Song of Solomon", "Daniel", "Hebrews")
HELD_OUT_CHAPTERS = 60  # of the other books, drawn by lot; as many more to tune the counts with


class Chapter(NamedTuple):
    """A chapter of the Bible.

    Args:
        book: Its book, such as "Genesis".
        number: Its number, from 1.
        verses: Its verses, in order.
    """

    book: str
    number: int
    verses: list[str]


class KjvParts(NamedTuple):
    """The chapters of the Bible, divided.

    Args:
        train, tune: Those to train with, and those to tune with.
        chapters, books: The two tests: chapters of books that are otherwise read, and whole books.
    """

    train: list[Chapter]
    tune: list[Chapter]
    chapters: list[Chapter]
    books: list[Chapter]


@cache
def kjv_text() -> str:
    r"""Read the King James Bible: one verse on a line, a blank line between two chapters.

    This is the form in which ``minibert pretrain`` wants a text. It is in the public domain; its
    electronic form is that of the package bible-kjv-text of Debian.

    Returns:
        4 million characters.

    >>> kjv_text().split("\n", 1)[0]
    'In the beginning God created the heaven and the earth.'
    """
    packed = files("bertbook.corpus.kjv").joinpath("kjv.txt.bz2").read_bytes()
    return bz2.decompress(packed).decode("ascii")


def kjv_chapters() -> list[Chapter]:
    """Read the 1,189 chapters, in order."""
    places = [(book, number) for book, last in BOOKS for number in range(1, last + 1)]
    documents = kjv_text().removesuffix("\n").split("\n\n")
    return [Chapter(*place, verses.split("\n")) for place, verses in zip(places, documents)]


def kjv_parts() -> KjvParts:
    """Divide the chapters, always in the same way: six whole books, and 60 chapters, twice.

    Returns:
        ``train``, ``tune``, ``chapters`` and ``books``, each in the order of the Bible.

    >>> [len(part) for part in kjv_parts()]
    [1010, 60, 60, 59]
    """
    chapters = kjv_chapters()
    books = [chapter for chapter in chapters if chapter.book in HELD_OUT_BOOKS]
    others = [chapter for chapter in chapters if chapter.book not in HELD_OUT_BOOKS]
    order = np.random.default_rng(0).permutation(len(others)).tolist()
    drawn = [sorted(order[n * HELD_OUT_CHAPTERS :][:HELD_OUT_CHAPTERS]) for n in range(2)]
    aside = {*drawn[0], *drawn[1]}
    train = [chapter for number, chapter in enumerate(others) if number not in aside]
    test, tune = ([others[number] for number in numbers] for numbers in drawn)
    return KjvParts(train, tune, test, books)


def as_documents(chapters: Iterable[Chapter]) -> str:
    r"""Write chapters as ``minibert pretrain`` reads them: a line a verse, a blank line between."""
    return "\n".join("\n".join([*chapter.verses, ""]) for chapter in chapters)
