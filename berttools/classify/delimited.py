"""Rows of CSV and TSV: which character divides them, and what a quote means. Chapter 19."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

MARKS = ",;\t"
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs"}
AS_CSV = "save the table as CSV, divided by commas, with quotes around texts that hold one"
# A field with quotes around it, and each one inside written twice.
QUOTED = re.compile(r'"(?:[^"]|"")*"')


class Rows(NamedTuple):
    """The names of a header; of each row its line and its fields; and what was noticed."""

    header: list[str]
    fields: list[tuple[int, list[str]]]
    notes: tuple[str, ...]


def split_delimited(content: str, path: str, wanted: Collection[str]) -> Rows:
    """Split a text into the rows of a table.

    It is divided by the one of comma, semicolon and tab with which the header has all that is
    wanted. Quotes are those of CSV. A file with tabs usually has none, and they are letters of its
    texts: so it is read line by line, unless some line has more or fewer fields than the header, or
    each field that holds a quote is written as in CSV.
    """
    csv.field_size_limit(2**31 - 1)  # a text may be long
    mark = _mark_of(content, path, wanted)
    if mark == "\t" and (rows := _unquoted(content)):
        header, *fields = rows
        header = [name.strip() for name in header[1]]
        _require_names(header, path)
        return Rows(header, fields, ())
    header, fields = _quoted(content, path, mark)
    _require_whole_lines(content, path, mark, header, fields)
    return Rows(header, fields, tuple(_swallowed(fields, mark)))


def _mark_of(content: str, path: str, wanted: Collection[str]) -> str:
    """Return the character that divides the fields."""
    headers = {mark: _header(content, mark) for mark in [*MARKS, "|"]}
    for mark in MARKS:
        if {*wanted} <= {*headers[mark]}:
            return mark
    first = content.partition("\n")[0].strip()
    if re.fullmatch(r'"?sep=.?"?', first):
        raise ValueError(
            f"line 1 of {path!r} is {first!r}, which only Excel understands; remove this line"
        )
    if {*wanted} <= {*headers["|"]}:
        raise ValueError(f"{path!r} is divided by '|', which is not read; {AS_CSV}")
    return max(MARKS, key=lambda mark: len(headers[mark]))


def _header(content: str, mark: str) -> list[str]:
    """Return the fields of the first row, divided outside of quotes."""
    try:
        reader = csv.reader(io.StringIO(content, newline=""), delimiter=mark, strict=True)
        return [name.strip() for name in next(reader, [])]
    except csv.Error:
        return []


def _unquoted(content: str) -> list[tuple[int, list[str]]]:
    """Return each line as a row, or nothing if quotes mean something."""
    lines = re.split("\r\n|\n|\r", content)
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, start=1) if line]
    if len({len(fields) for _, fields in rows}) > 1:
        return []
    quoting = [field for _, fields in rows for field in fields if '"' in field]
    return [] if quoting and all(map(QUOTED.fullmatch, quoting)) else rows


def _quoted(content: str, path: str, mark: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=mark, strict=True)
    line, rows = 1, []
    try:
        header = [name.strip() for name in next(reader, [])]
        _require_names(header, path)
        line = reader.line_num + 1
        for fields in reader:
            if len(fields) not in (0, len(header)):
                raise _wrong_count(path, line, fields, header, mark)
            rows += [(line, fields)] if fields else []
            line = reader.line_num + 1
    except csv.Error as error:
        problem = f'line {line} of {path!r}: {error}; inside a quoted text each " is written twice'
        raise ValueError(problem) from error
    return header, rows


def _require_names(header: Sequence[str], path: str) -> None:
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise ValueError(f"{path!r} has two columns {twice[0]!r}; give each its own name")


def _wrong_count(
    path: str, line: int, fields: Sequence[str], header: Sequence[str], mark: str
) -> ValueError:
    return ValueError(
        f"line {line} of {path!r} has {len(fields)} fields, and the header names "
        f"{len(header)}; put quotes around a text that holds {mark!r} or line breaks"
    )


def _holds_rows(field: str, mark: str) -> bool:
    """Return whether a field has line breaks and what divides fields, as several rows have."""
    return mark in field and ("\n" in field or "\r" in field)


def _swallowed(fields: Sequence[tuple[int, list[str]]], mark: str) -> Iterator[str]:
    """Tell of quoted texts that are perhaps several rows."""
    odd = [line for line, row in fields if any(_holds_rows(field, mark) for field in row)]
    if odd:
        rows = "row holds" if len(odd) == 1 else "rows hold"
        yield (
            f"{len(odd):,} of {len(fields):,} {rows} line breaks and {NAMES[mark]} inside quotes, "
            f"the first in line {odd[0]}. Is it one row? A quote that was none joins several."
        )


def _require_whole_lines(
    content: str,
    path: str,
    mark: str,
    header: Sequence[str],
    fields: Sequence[tuple[int, list[str]]],
) -> None:
    """Raise if quotes in a file with tabs join lines that look like rows of their own.

    Somewhere a line has a tab too many or too few, so that the file could not be read line by line.
    """
    if mark != "\t" or not any(_holds_rows(field, mark) for _, row in fields for field in row):
        return
    lines = re.split("\r\n|\n|\r", content)
    for number, line in enumerate(lines, start=1):
        if line and line.count("\t") + 1 != len(header):
            problem = f"line {number} of {path!r} has {line.count(mark) + 1} fields, and the header"
            raise ValueError(
                f"{problem} names {len(header)}; mend it, or, if a quoted text holds tabs and line "
                f"breaks, {AS_CSV}"
            )
