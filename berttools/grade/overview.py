"""The class at a glance: who has reached what, and which hints most of them got. Chapter 1."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from berttools.cli.files import write_output

from .report import Mark, html_page, no_formula

MOST_HINTS = 30  # rarer ones stand on the pages of the students
OVERVIEW_STYLE = (
    "body{max-width:70rem}h2{margin-top:2.5rem}"
    ".wide{overflow-x:auto}td,th{padding-right:1rem}"
    "td:nth-child(n){white-space:normal;overflow-wrap:normal}"
    ".points td,.points thead th:not(:first-child){text-align:right}"
    ".hints th:first-child{width:auto}tfoot{border-top:2px solid #777}"
    "caption{text-align:left;padding-bottom:.4rem}"
    "@media print{body{margin:0;max-width:none;font-size:9pt}.wide{overflow:visible}"
    "tr{break-inside:avoid}thead{display:table-header-group}h2{break-after:avoid}"
    "a{color:inherit;text-decoration:none}}"
)
NO_NUMBERS = re.compile(r"( does not parse), line \d+:.*", re.DOTALL)


class Asked(NamedTuple):
    """An exercise that was graded."""

    chapter: str
    exercise: str


class Hint(NamedTuple):
    """What a checker says, and to whom."""

    exercise: Asked
    reply: str
    students: tuple[str, ...]


class Overview(NamedTuple):
    """What a class has reached."""

    students: tuple[str, ...]
    possible: dict[Asked, int]  # the points of each exercise, in the order of the book
    earned: dict[tuple[str, Asked], int]  # nothing where no notebook of the chapter came in
    hints: list[Hint]  # first what most students are told
    unread: list[Mark]  # files that could not be graded

    def total(self, student: str, exercises: Iterable[Asked] | None = None) -> int:
        """Add up the points of a student."""
        wanted = self.possible if exercises is None else exercises
        return sum(self.earned.get((student, asked), 0) for asked in wanted)

    def of_class(self, asked: Asked) -> int:
        """Add up the points that an exercise has brought."""
        return sum(self.earned.get((student, asked), 0) for student in self.students)


def overview_of(marks: Sequence[Mark]) -> Overview:
    """Put together what a class has reached; of two answers of a student the better one counts."""
    asked = [mark for mark in marks if mark.exercise]
    possible = {Asked(mark.chapter, mark.exercise): mark.of for mark in asked}
    best: dict[tuple[str, Asked], Mark] = {}
    for mark in asked:
        key = mark.student, Asked(mark.chapter, mark.exercise)
        if key not in best or mark.points > best[key].points:
            best[key] = mark
    replies: dict[tuple[Asked, str], list[str]] = {}
    for (student, exercise), mark in best.items():
        if mark.points < mark.of:
            replies.setdefault((exercise, NO_NUMBERS.sub(r"\1", mark.reply)), []).append(student)
    hints = [Hint(*key, tuple(sorted(students))) for key, students in replies.items()]
    return Overview(
        tuple(sorted({mark.student for mark in marks}, key=lambda name: (name.casefold(), name))),
        possible,
        {key: mark.points for key, mark in best.items()},
        sorted(hints, key=lambda hint: -len(hint.students)),
        [mark for mark in marks if not mark.exercise],
    )


def write_overview_table(overview: Overview, path: Path) -> None:
    """Write a line for each student as CSV, with a column for each exercise, and both totals."""
    text, every = io.StringIO(), [*overview.possible]
    table = csv.writer(text)
    titles = [f"{asked.chapter[:2]} {asked.exercise}" for asked in every]
    most = sum(overview.possible.values())
    table.writerow(["student", *map(no_formula, titles), "total"])
    table.writerow(["(points to earn)", *overview.possible.values(), most])
    for student in overview.students:
        points = [overview.earned.get((student, asked), "") for asked in every]
        table.writerow([no_formula(student), *points, overview.total(student)])
    of_class = [overview.of_class(asked) for asked in every]
    table.writerow(["(points of the class)", *of_class, sum(of_class)])
    write_output(path, text.getvalue())


def write_overview_page(overview: Overview, pages: Mapping[str, str], path: Path) -> None:
    """Write what a class has reached, with a link to the page of each student."""
    chapters = [*dict.fromkeys(asked.chapter for asked in overview.possible)]
    parts = [_points_of_chapters(overview, chapters, pages), _hints(overview)]
    parts += [_points_in(overview, chapter) for chapter in chapters]
    parts += [_unread(overview)]
    count, many = len(overview.students), len(overview.students) != 1
    most = sum(overview.possible.values())
    body = (
        f"<p>{count} student{'s' * many}, {len(overview.possible)} exercises, {most} points to "
        "earn. A dash stands where no notebook of the chapter was handed in.</p>"
        f"{''.join(parts)}"
    )
    write_output(path, html_page("The class", body, OVERVIEW_STYLE))


def _points_of_chapters(
    overview: Overview, chapters: Sequence[str], pages: Mapping[str, str]
) -> str:
    """Show the points of each student in each chapter."""
    of = {each: [a for a in overview.possible if a.chapter == each] for each in chapters}
    rows = [
        [
            _linked(student, pages.get(student, "")),
            *(_sum(overview, student, of[chapter]) for chapter in chapters),
            f"{overview.total(student)}",
        ]
        for student in overview.students
    ]
    sums = [sum(map(overview.of_class, of[chapter])) for chapter in chapters]
    possible = [sum(overview.possible[a] for a in of[chapter]) for chapter in chapters]
    heads = [f"Chapter {int(each[:2])}" if each[:2].isdigit() else each for each in chapters]
    feet = [
        ["Points to earn", *map(str, possible), f"{sum(possible)}"],
        ["Points of the class", *map(str, sums), f"{sum(sums)}"],
    ]
    return _section("Points", "Points of each student in each chapter", heads, rows, feet)


def _points_in(overview: Overview, chapter: str) -> str:
    """Show the points of each student in the exercises of a chapter."""
    every = [asked for asked in overview.possible if asked.chapter == chapter]
    rows = [
        [
            escape(student),
            *(f"{overview.earned.get((student, asked), '–')}" for asked in every),
            _sum(overview, student, every),
        ]
        for student in overview.students
    ]
    possible = [overview.possible[asked] for asked in every]
    whole = [
        sum(
            overview.earned.get((s, asked), -1) == overview.possible[asked]
            for s in overview.students
        )
        for asked in every
    ]
    of_class = [overview.of_class(asked) for asked in every]
    feet = [
        ["Points to earn", *map(str, possible), f"{sum(possible)}"],
        ["Points of the class", *map(str, of_class), f"{sum(of_class)}"],
        ["Students with all points", *map(str, whole), ""],
    ]
    number = f"Chapter {int(chapter[:2])}" if chapter[:2].isdigit() else escape(chapter)
    caption = f"Points of each student in the exercises of {number}"
    heads = [escape(asked.exercise) for asked in every]
    return _section(number, caption, heads, rows, feet)


def _sum(overview: Overview, student: str, exercises: Sequence[Asked]) -> str:
    came = any((student, asked) in overview.earned for asked in exercises)
    return f"{overview.total(student, exercises)}" if came else "–"


def _linked(student: str, page: str) -> str:
    return f'<a href="{quote(page)}">{escape(student)}</a>' if page else escape(student)


def _hints(overview: Overview) -> str:
    """Show what most students are told: what the class has misunderstood."""
    rows = "".join(
        f'<tr><td>{len(hint.students)}</td><th scope="row">{escape(hint.exercise.exercise)}</th>'
        f"<td>{escape(hint.reply)}</td><td>{escape(', '.join(hint.students))}</td></tr>"
        for hint in overview.hints[:MOST_HINTS]
    )
    if not rows:
        return "<h2>What most were told</h2><p>Nobody got a hint: every answer is right.</p>"
    left = len(overview.hints) - MOST_HINTS
    rest = f"<p>{left} more stand on the pages of the students.</p>" if left > 0 else ""
    return (
        "<h2>What most were told</h2>"
        '<table class="hints"><caption>Replies to wrong answers, by the number of students who got '
        'them</caption><thead><tr><th scope="col">Students</th><th scope="col">Exercise</th>'
        '<th scope="col">Reply</th><th scope="col">To whom</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{rest}"
    )


def _unread(overview: Overview) -> str:
    items = "".join(
        f"<li>{escape(mark.student)}: {escape(mark.reply)}</li>" for mark in overview.unread
    )
    return f"<h2>Files that could not be graded</h2><ul>{items}</ul>" if items else ""


def _section(
    title: str, caption: str, heads: list[str], rows: list[list[str]], feet: list[list[str]]
) -> str:
    """Write a heading, and a table of points whose last column is the total."""
    columns = "".join(f'<th scope="col">{head}</th>' for head in ["Student", *heads, "Total"])
    body, foot = (
        "".join(
            f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for first, *cells in lines
        )
        for lines in (rows, feet)
    )
    return (
        f'<h2>{title}</h2><div class="wide" role="region" tabindex="0" aria-label="{caption}">'
        f'<table class="points"><caption>{caption}</caption><thead><tr>{columns}</tr></thead>'
        f"<tbody>{body}</tbody><tfoot>{foot}</tfoot></table></div>"
    )
