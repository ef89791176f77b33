"""What a class has reached: one table as CSV, and a page for each student. Chapter 1."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from berttools.cli.files import write_output

TABLE = "grades.csv"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that is computed
STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0}"
    "tr{border-top:1px solid #999}"
    "th:first-child{width:30%}small{font-weight:400}"
    "td:nth-child(2){white-space:nowrap}"
    "td:nth-child(3){overflow-wrap:anywhere}"
    ":root{color-scheme:light dark}"
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


def write_table(marks: Iterable[Mark], path: Path) -> None:
    """Write all marks as CSV, a line for each exercise that was asked."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(Mark._fields)
    table.writerows([*map(no_formula, mark)] for mark in marks)
    write_output(path, text.getvalue())


def write_pages(marks: Sequence[Mark], folder: Path) -> dict[str, Path]:
    """Write a page for each student, under a name that any disk takes; return where each is."""
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, Path] = {}
    for student in dict.fromkeys(mark.student for mark in marks):
        stem = _file_name(student)
        taken = {page.stem for page in pages.values()}
        number = next(n for n in range(1, len(marks) + 2) if _numbered(stem, n) not in taken)
        page = pages[student] = folder / f"{_numbered(stem, number)}.html"
        write_output(page, _page(student, [mark for mark in marks if mark.student == student]))
    return pages


def _numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}-{number}"


def _file_name(student: str) -> str:
    plain = unicodedata.normalize("NFKD", student).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower() or "student"


def _page(student: str, marks: Sequence[Mark]) -> str:
    earned, most = sum(mark.points for mark in marks), sum(mark.of for mark in marks)
    rows = "".join(
        f'<tr><th scope="row">{escape(mark.exercise)}<br><small>{escape(mark.chapter)}</small></th>'
        f"<td>{mark.points} of {mark.of}</td><td>{escape(mark.reply)}</td></tr>"
        for mark in marks
    )
    return html_page(
        escape(student),
        f"<p>{earned} of {most} points</p>"
        '<table><thead><tr><th scope="col">Exercise</th><th scope="col">Points</th>'
        f'<th scope="col">Reply</th></tr></thead><tbody>{rows}</tbody></table>',
    )


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a page that needs nothing but itself."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}{style}</style></head><body><main><h1>{title}</h1>{body}</main></body>"
        "</html>\n"
    )


def no_formula(cell: object) -> object:
    """Keep a spreadsheet from computing what somebody has named herself."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
