"""Names in verses of the Bible, with the kinds that WordNet gives them (Chapter 17).

Neither the verses nor the kinds were made for this book; see the datasheet of the glosses.
"""

from __future__ import annotations

import csv
import io
import random
import re
from typing import NamedTuple

from bertbook.corpus.kjv.chapters import kjv_chapters
from minibert.text_files import packed_text

FOLDER = "bertbook/corpus/datasets/glosses_of_wordnet"
WORD = re.compile(r"[A-Za-z]+(?:[-'][A-Za-z]+)*|[^\sA-Za-z]")
MOST = 5  # places of one name, drawn where there are more
AROUND = 8  # words that are kept on either side of a name


class VerseName(NamedTuple):
    """A name in a verse, with a few words on either side.

    Args:
        verse: Where it stands, such as ``Genesis 12:10``.
        words: The words around the name, and itself.
        place: Which of these is the name.
        kind: ``person`` or ``location``.
    """

    verse: str
    words: tuple[str, ...]
    place: int
    kind: str

    @property
    def name(self) -> str:
        """The name itself."""
        return self.words[self.place]


def verses() -> list[tuple[str, tuple[str, ...]]]:
    """Cut every verse into words and marks, each verse with its place in the Bible."""
    return [
        (f"{book} {chapter}:{number}", tuple(WORD.findall(text)))
        for book, chapter, lines in kjv_chapters()
        for number, text in enumerate(lines, start=1)
    ]


def kinds_of_names() -> dict[str, str]:
    """Read the names, half of them persons and half of them places, as WordNet sorts them."""
    _, *rows = csv.reader(io.StringIO(packed_text(f"{FOLDER}/names.csv")))
    return dict(rows)


def verse_names() -> list[VerseName]:
    """Find the names in the verses: of each at most five places, drawn.

    >>> first = verse_names()[0]
    >>> first.name, first.kind, first.verse
    ('Abraham', 'person', 'Deuteronomy 6:10')
    """
    kinds, rng = kinds_of_names(), random.Random(17)
    found: dict[str, list[VerseName]] = {name: [] for name in kinds}
    for verse, words in verses():
        for place, word in enumerate(words):
            if word in kinds:
                first = max(place - AROUND, 0)
                near = words[first : place + AROUND + 1]
                found[word].append(VerseName(verse, near, place - first, kinds[word]))
    return [each for some in found.values() for each in rng.sample(some, min(len(some), MOST))]


def kinds_by_eye() -> dict[tuple[str, str], str]:
    """Read what some of these names are in their verses, as one reader took them."""
    _, *rows = csv.reader(io.StringIO(packed_text(f"{FOLDER}/names_by_eye.csv")))
    return {(verse, name): kind for verse, name, kind in rows}
