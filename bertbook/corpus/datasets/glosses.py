"""Definitions out of WordNet, with the kind of thing that each defines (Chapters 16 and 19)."""

from __future__ import annotations

import csv
import io
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from minibert.text_files import packed_text

PLACE = "datasets/glosses_of_wordnet/glosses.csv"


class Gloss(NamedTuple):
    """A word, one of its definitions, and what kind of thing that is.

    Args:
        word: As WordNet writes it; perhaps more than one word.
        gloss: The definition.
        kind: Which of ten kinds of thing is defined, such as ``artifact``.
    """

    word: str
    gloss: str
    kind: str


def glosses_file() -> Path:
    """Return the path of the table of glosses, to be read as a file of one's own.

    Returns:
        A CSV file with the columns word, gloss and kind.

    >>> glosses_file().name
    'glosses.csv'
    """
    return Path(str(resources.files("bertbook.corpus") / PLACE))


def noun_glosses() -> tuple[Gloss, ...]:
    """Return 2,000 glosses of nouns, 200 of each of ten kinds, in random order.

    They are WordNet 3.0's, Copyright 2006 by Princeton University; the license stands beside the
    table.

    Returns:
        As in the table.

    >>> len(noun_glosses())
    2000
    >>> noun_glosses()[0].word, noun_glosses()[0].kind
    ('dinner bell', 'artifact')
    """
    _, *rows = csv.reader(io.StringIO(packed_text(f"bertbook/corpus/{PLACE}")))
    return tuple(Gloss(*row) for row in rows)
