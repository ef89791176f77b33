"""What people write to a town hall, labeled by two readers: the letters of Chapter 19."""

from __future__ import annotations

import csv
import io
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from minibert.text_files import packed_text

LETTER_LABELS = ("Streets", "Waste", "Parks", "Noise", "Danger")
PLACE = "datasets/letters_to_town_hall/letters.csv"


class Letter(NamedTuple):
    """One letter, and what its readers chose; the third read those of May and June only.

    Args:
        date: The day, as ``2026-01-01``.
        writer: Who wrote it; several letters can be by one writer.
        text: What was written.
        label, second: What two readers chose, each one of `LETTER_LABELS`.
        third: What a third reader chose; empty before May.
    """

    date: str
    writer: str
    text: str
    label: str
    second: str
    third: str


def letters_file() -> Path:
    """Return the path of the table of letters, to be read as a file of one's own.

    Returns:
        A CSV file with the columns date, writer, text, label, second and third.

    >>> letters_file().name
    'letters.csv'
    """
    return Path(str(resources.files("bertbook.corpus") / PLACE))


def town_letters() -> tuple[Letter, ...]:
    """Return the letters of the book, by date.

    Returns:
        1,500, from January to June; copies, slips of the key and contradictions included.

    >>> len(town_letters())
    1500
    >>> town_letters()[0].date
    '2026-01-01'
    """
    _, *rows = csv.reader(io.StringIO(packed_text(f"bertbook/corpus/{PLACE}")))
    return tuple(Letter(*row) for row in rows)
