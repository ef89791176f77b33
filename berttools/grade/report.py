"""What a class has reached: a table as CSV, the class on one page, a page a student. Chapter 1."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple
from urllib.parse import quote

from berttools.cli.files import write_output
from minibert.text_files import packed_text

TABLE = "grades.csv"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that is computed
MOST_HINTS = 30  # rarer ones stand on the pages of the students
NO_NUMBERS = re.compile(r"( does not parse), line \d+:.*", re.DOTALL)


class Mark(NamedTuple):
    """What an answer has earned, and what the checker says of it."""

    student: str
    file: str
    chapter: str
    exercise: str
    points: int
    of: int
    reply: str


class Asked(NamedTuple):
    """An exercise that was graded."""

    chapter: str
    exercise: str


class Overview(NamedTuple):
    """What a class has reached."""

    students: list[str]
    possible: dict[Asked, int]  # the points of each exercise, in the order of the book
    best: dict[tuple[str, Asked], Mark]  # none where no notebook of the chapter came in
    unread: list[Mark]  # files that could not be graded


def overview_of(marks: Sequence[Mark]) -> Overview:
    """Put together what a class has reached; of two answers of a student the better one counts."""
    best: dict[tuple[str, Asked], Mark] = {}
    for mark in (mark for mark in marks if mark.exercise):
        key = mark.student, Asked(mark.chapter, mark.exercise)
        best[key] = max(best.get(key, mark), mark, key=lambda each: each.points)
    students = sorted({mark.student for mark in marks}, key=lambda name: (name.casefold(), name))
    possible = {asked: mark.of for (_, asked), mark in best.items()}
    return Overview(students, possible, best, [mark for mark in marks if not mark.exercise])


def require_free(folder: Path) -> None:
    """Raise unless a folder for results is new, empty, or holds those of an earlier run."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; name a folder for the results by --out")
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    table, begins = folder / TABLE, ",".join(Mark._fields).encode()
    if names and not (table.is_file() and table.read_bytes().startswith(begins)):
        raise ValueError(
            f"{folder} holds other files ({names[0]!r}) and no results; name a new or an empty "
            "folder by --out"
        )


def write_results(marks: Sequence[Mark], folder: Path) -> None:
    """Write the table, the page of the class, and a page for each student."""
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    csv.writer(text).writerows([Mark._fields, *([*map(_not_computed, mark)] for mark in marks)])
    write_output(folder / TABLE, text.getvalue())
    pages = page_names(marks)
    write_output(folder / "overview.html", class_page(overview_of(marks), pages))
    for student, name in pages.items():
        own = [mark for mark in marks if mark.student == student]
        write_output(folder / "pages" / name, _student_page(student, own))


def _not_computed(cell: str | int) -> str | int:
    """Return a cell that a spreadsheet shows as it is."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def page_names(marks: Sequence[Mark]) -> dict[str, str]:
    """Give the page of each student a name that any disk takes, and no two the same."""
    names: dict[str, str] = {}
    for student in dict.fromkeys(mark.student for mark in marks):
        plain = unicodedata.normalize("NFKD", student).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower() or "student"
        others = (f"{stem}-{number}.html" for number in range(2, len(marks) + 2))
        taken = {*names.values()}
        names[student] = next(n for n in (f"{stem}.html", *others) if n not in taken)
    return names


def class_page(overview: Overview, pages: Mapping[str, str]) -> str:
    """Show the points, with a link to the page of each student, and what most were told."""
    chapters: dict[str, list[Asked]] = {}
    for asked in overview.possible:
        number = asked.chapter[:2]
        name = f"Chapter {int(number)}" if number.isdigit() else escape(asked.chapter)
        chapters.setdefault(name, []).append(asked)
    count = len(overview.students)
    parts = [
        f"<p>{count} student{'s' * (count != 1)}, {len(overview.possible)} exercises, "
        f"{sum(overview.possible.values())} points to earn. A dash stands where no notebook of the "
        "chapter was handed in.</p>",
        _points(overview, "Points of each student in each chapter", chapters, pages),
        "<h2>What most were told</h2>",
        _hints(overview),
    ]
    for name, every in chapters.items():
        caption = f"Points of each student in the exercises of {name}"
        columns = {escape(asked.exercise): [asked] for asked in every}
        parts += [f"<h2>{name}</h2>", _points(overview, caption, columns, pages)]
    if overview.unread:
        told = (f"{escape(mark.student)}: {escape(mark.reply)}" for mark in overview.unread)
        parts.append(f"<h2>Files that could not be graded</h2><p>{'<br>'.join(told)}</p>")
    return _page("The class", "\n".join(parts))


def _hints(overview: Overview) -> str:
    """Show the replies to wrong answers, the most common first."""
    replies: dict[tuple[str, str], list[str]] = {}
    for (student, asked), mark in overview.best.items():
        if mark.points < mark.of:
            reply = NO_NUMBERS.sub(r"\1", mark.reply)
            replies.setdefault((asked.exercise, reply), []).append(student)
    if not replies:
        return "<p>Nobody got a hint: every answer is right.</p>"
    rows = [
        [escape(exercise), escape(reply), len(students), escape(", ".join(sorted(students)))]
        for (exercise, reply), students in sorted(replies.items(), key=lambda each: -len(each[1]))
    ]
    left = len(rows) - MOST_HINTS
    more = f"<p>{left} more stand on the pages of the students.</p>" if left > 0 else ""
    caption = "Replies to wrong answers, the most common first"
    head = ["Exercise", "Reply", "Students", "To whom"]
    return _table(caption, head, rows[:MOST_HINTS]) + more


def _points(
    overview: Overview, caption: str, columns: Mapping[str, list[Asked]], pages: Mapping[str, str]
) -> str:
    """Show the points of each student in some columns of exercises, and in all of them."""
    groups = [*columns.values(), [asked for some in columns.values() for asked in some]]
    possible = [sum(overview.possible[asked] for asked in group) for group in groups]
    sums: list[list[int | None]] = []
    for student in overview.students:
        found = [[overview.best.get((student, asked)) for asked in group] for group in groups]
        sums.append([sum(m.points for m in some if m) if any(some) else None for some in found])
    of_each = [*zip(*sums, strict=True)]
    links = (f'<a href="pages/{quote(pages[s])}">{escape(s)}</a>' for s in overview.students)
    rows = [
        [link, *("–" if points is None else points for points in each)]
        for link, each in zip(links, sums, strict=True)
    ]
    feet = [
        ["Points to earn", *possible],
        ["Points of the class", *(sum(n or 0 for n in points) for points in of_each)],
        ["Students with all points", *(p.count(n) for p, n in zip(of_each, possible, strict=True))],
    ]
    return _table(caption, ["Student", *columns, "Total"], rows, feet, "points")


def _student_page(student: str, marks: Sequence[Mark]) -> str:
    earned, most = sum(mark.points for mark in marks), sum(mark.of for mark in marks)
    rows = [
        [
            f"{escape(mark.exercise)}<br><small>{escape(mark.chapter)}</small>",
            f"{mark.points} of {mark.of}",
            escape(mark.reply),
        ]
        for mark in marks
    ]
    table = _table(f"{earned} of {most} points", ["Exercise", "Points", "Reply"], rows)
    return _page(escape(student), table)


def _table(
    caption: str,
    head: Iterable[str],
    rows: Iterable[Sequence[object]],
    feet: Iterable[Sequence[object]] = (),
    kind: str = "",
) -> str:
    """Write a table; its cells are HTML, and the first one of a row is what the row is about."""
    columns = "".join(f'<th scope="col">{name}</th>' for name in head)
    body, foot = (
        "\n".join(
            f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for first, *cells in lines
        )
        for lines in (rows, feet)
    )
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{caption}">'
        f'<table class="{kind}"><caption>{caption}</caption><thead><tr>{columns}</tr></thead>'
        f"<tbody>{body}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _page(title: str, body: str) -> str:
    """Return a page that needs nothing but itself."""
    page = Template(packed_text("berttools/grade/page.html"))
    return page.substitute(title=title, body=body)
