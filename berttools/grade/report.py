"""What a class has reached: a table as CSV, and the class on one page. Chapter 1."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, StrictUndefined

from berttools.cli.files import write_output
from minibert.text_files import packed_text

TABLE, OVERVIEW = "grades.csv", "overview.html"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that is computed


class Mark(NamedTuple):
    """What an answer has earned, and what the checker says of it."""

    student: str
    file: str
    chapter: str
    exercise: str
    points: int
    of: int
    reply: str

    @property
    def right(self) -> bool:
        """Whether nothing is wanting."""
        return self.points == self.of

    @property
    def hint(self) -> str:
        """What others were told as well, who have the mistake in another line."""
        return self.reply.partition(", line ")[0]


def write_results(marks: Sequence[Mark], folder: Path) -> None:
    """Write the table, and the page of the class."""
    folder.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    csv.writer(text).writerows([Mark._fields, *([*map(_not_computed, mark)] for mark in marks)])
    write_output(folder / TABLE, text.getvalue())
    write_output(folder / OVERVIEW, class_page(marks))


def _not_computed(cell: str | int) -> str | int:
    """Return a cell that a spreadsheet shows as it is."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def class_page(marks: Sequence[Mark]) -> str:
    """Return the page of a class; of two answers of a student the better one counts."""
    best: dict[tuple[str, str, str], Mark] = {}
    for mark in marks:
        key = mark.student, mark.chapter, mark.exercise
        best[key] = max(best.get(key, mark), mark, key=lambda each: each.points)
    tools = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    tools.filters["most_common"] = lambda values: Counter(values).most_common(1)
    page = tools.from_string(packed_text("berttools/grade/overview.html"))
    return page.render(
        marks=marks,
        best=[mark for mark in best.values() if mark.exercise],
        students=sorted({mark.student for mark in marks}, key=lambda name: (name.casefold(), name)),
        asked=dict.fromkeys((mark.chapter, mark.exercise) for mark in marks if mark.exercise),
    )
