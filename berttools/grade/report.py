"""What a class has reached: tables as CSV, the class on one page, a page a student. Chapter 1."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from berttools.cli.files import write_output

TABLE = "grades.csv"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that is computed
MOST_HINTS = 30  # rarer ones stand on the pages of the students
NO_NUMBERS = re.compile(r"( does not parse), line \d+:.*", re.DOTALL)
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "h2{margin-top:2.5rem}table{border-collapse:collapse;width:100%}.wide{overflow-x:auto}"
    "th,td{text-align:left;vertical-align:top;padding:.4rem 1rem .4rem 0}"
    "td{overflow-wrap:anywhere}.points td,.points thead th:not(:first-child){text-align:right}"
    "tr{border-top:1px solid #999}tfoot{border-top:2px solid #777}small{font-weight:400}"
    "caption{text-align:left;padding-bottom:.4rem}"
    "@media print{body{margin:0;max-width:none;font-size:9pt}.wide{overflow:visible}"
    "tr{break-inside:avoid}thead{display:table-header-group}h2{break-after:avoid}"
    "a{color:inherit;text-decoration:none}}"
)


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
    earned: dict[tuple[str, Asked], int]  # nothing where no notebook of the chapter came in
    hints: list[tuple[str, str, list[str]]]  # exercise, reply, students; the most common first
    unread: list[Mark]  # files that could not be graded

    def total(self, student: str, exercises: Iterable[Asked]) -> int | None:
        """Add up the points of a student; None where no notebook came in."""
        points = [self.earned.get((student, asked)) for asked in exercises]
        there = [each for each in points if each is not None]
        return sum(there) if there else None


def overview_of(marks: Sequence[Mark]) -> Overview:
    """Put together what a class has reached; of two answers of a student the better one counts."""
    best: dict[tuple[str, Asked], Mark] = {}
    for mark in (mark for mark in marks if mark.exercise):
        key = mark.student, Asked(mark.chapter, mark.exercise)
        best[key] = max(best.get(key, mark), mark, key=lambda each: each.points)
    replies: dict[tuple[str, str], list[str]] = {}
    for (student, asked), mark in best.items():
        if mark.points < mark.of:
            key = asked.exercise, NO_NUMBERS.sub(r"\1", mark.reply)
            replies.setdefault(key, []).append(student)
    hints = [(*key, sorted(students)) for key, students in replies.items()]
    return Overview(
        sorted({mark.student for mark in marks}, key=lambda name: (name.casefold(), name)),
        {asked: mark.of for (_, asked), mark in best.items()},
        {key: mark.points for key, mark in best.items()},
        sorted(hints, key=lambda hint: -len(hint[2])),
        [mark for mark in marks if not mark.exercise],
    )


def require_free(folder: Path) -> None:
    """Raise unless a folder for results is new, empty, or holds those of an earlier run."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; name a folder for the results by --out")
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    table = folder / TABLE
    begins = ",".join(Mark._fields).encode()
    if names and not (table.is_file() and table.read_bytes().startswith(begins)):
        raise ValueError(
            f"{folder} holds other files ({names[0]!r}) and no results; name a new or an empty "
            "folder by --out"
        )


def write_results(marks: Sequence[Mark], folder: Path) -> None:
    """Write both tables, the page of the class, and a page for each student."""
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    overview, pages = overview_of(marks), page_names(marks)
    _write_csv(folder / TABLE, [Mark._fields, *marks])
    _write_csv(folder / "overview.csv", _lines(overview))
    write_output(folder / "overview.html", class_page(overview, pages))
    for student, name in pages.items():
        own = [mark for mark in marks if mark.student == student]
        write_output(folder / "pages" / name, _student_page(student, own))


def _write_csv(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write a table in which a spreadsheet computes nothing."""
    text = io.StringIO()
    table = csv.writer(text)
    for row in rows:
        table.writerow(
            [f"'{x}" if isinstance(x, str) and x.startswith(FORMULA) else x for x in row]
        )
    write_output(path, text.getvalue())


def _lines(overview: Overview) -> list[list[object]]:
    """Return a line for each student, with a column for each exercise, and both totals."""
    every, earned = [*overview.possible], overview.earned
    lines = [
        [student, *(earned.get((student, asked), "") for asked in every)]
        for student in overview.students
    ]
    of_class = [sum(earned.get((s, asked), 0) for s in overview.students) for asked in every]
    lines = [
        ["(points to earn)", *overview.possible.values()],
        *lines,
        ["(points of the class)", *of_class],
    ]
    totals = [sum(x for x in points if isinstance(x, int)) for _, *points in lines]
    titles = [f"{asked.chapter[:2]} {asked.exercise}" for asked in every]
    return [
        ["student", *titles, "total"],
        *([*line, total] for line, total in zip(lines, totals, strict=True)),
    ]


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


def class_page(overview: Overview, pages: dict[str, str]) -> str:
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
    ]
    hints = [
        [escape(exercise), escape(reply), f"{len(students)}", escape(", ".join(students))]
        for exercise, reply, students in overview.hints[:MOST_HINTS]
    ]
    head = ["Exercise", "Reply", "Students", "To whom"]
    told = _table("Replies to wrong answers, the most common first", head, hints)
    parts.append(told if hints else "<p>Nobody got a hint: every answer is right.</p>")
    if (left := len(overview.hints) - MOST_HINTS) > 0:
        parts.append(f"<p>{left} more stand on the pages of the students.</p>")
    for name, every in chapters.items():
        caption = f"Points of each student in the exercises of {name}"
        columns = {escape(asked.exercise): [asked] for asked in every}
        parts += [f"<h2>{name}</h2>", _points(overview, caption, columns, pages)]
    if overview.unread:
        told = (f"{escape(mark.student)}: {escape(mark.reply)}" for mark in overview.unread)
        parts.append(f"<h2>Files that could not be graded</h2><p>{'<br>'.join(told)}</p>")
    return _page("The class", "".join(parts))


def _points(
    overview: Overview, caption: str, columns: dict[str, list[Asked]], pages: dict[str, str]
) -> str:
    """Show the points of each student in some columns of exercises, and in all of them."""
    groups = [*columns.values(), [asked for some in columns.values() for asked in some]]
    possible = [sum(overview.possible[asked] for asked in group) for group in groups]
    sums = {s: [overview.total(s, group) for group in groups] for s in overview.students}
    of_each = [*zip(*sums.values(), strict=True)]
    rows = [
        [f'<a href="pages/{quote(pages[student])}">{escape(student)}</a>', *map(_or_dash, points)]
        for student, points in sums.items()
    ]
    feet = [
        ["Points to earn", *possible],
        ["Points of the class", *(sum(n or 0 for n in points) for points in of_each)],
        ["Students with all points", *(p.count(n) for p, n in zip(of_each, possible, strict=True))],
    ]
    return _table(caption, ["Student", *columns, "Total"], rows, feet, "points")


def _or_dash(points: int | None) -> str:
    return "–" if points is None else f"{points}"


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
        "".join(
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
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body><main><h1>{title}</h1>{body}</main></body></html>\n"
    )
