"""From the bytes of a table to its rows: encodings, and what divides the fields. Chapter 19."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from minibert.text_files import read_text, require_file

OTHER_ENCODING = (
    "open the file in an editor and save it with the encoding UTF-8, or name its own "
    "(encoding='cp1252', after the command --encoding cp1252, fits most old files of Windows)"
)
# How files begin that hold a table, but no text: packed ones, workbooks, data bases, PDF.
NO_TEXT = (
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"),
    *(b"\xd0\xcf\x11\xe0", b"PAR1", b"SQLite format 3\0", b"%PDF"),
)
MARKS_OF_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MOST_CONTROLS = 0.1  # of the first bytes of a text; more are no text
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}  # of what divides fields
# A field with quotes around it, and each one inside written twice.
QUOTED = re.compile(r'"(?:[^"]|"")*"')
BREAK = re.compile("\r\n|\n|\r")
Row = tuple[int, list[str]]  # the line where it begins, and its fields


class Rows(NamedTuple):
    """The names of a header, the rows below it, and what was noticed."""

    header: list[str]
    rows: list[Row]
    notes: tuple[str, ...]


def read_decoded(path: Path, encoding: str | None) -> str:
    """Read a text file: as UTF-8, as UTF-16 if its first bytes say so, or as it is said.

    Latin-1 is read as cp1252, as browsers do: the two differ in codes that latin-1 leaves to
    control characters, where files of Windows have quotes and the euro sign.
    """
    content = require_file(path).read_bytes()
    _require_text(path, content, encoding)
    if encoding is None and not content.startswith(MARKS_OF_UTF16):
        text = read_text(path, if_garbled=OTHER_ENCODING)
    else:
        try:
            name = codecs.lookup(encoding or "utf-16").name
            text = content.decode("cp1252" if name == "iso8859-1" else name).removeprefix("\ufeff")
        except (UnicodeError, LookupError) as error:
            raise ValueError(f"{str(path)!r}: {error}; {OTHER_ENCODING}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"line {line} of {str(path)!r} holds a zero byte; {OTHER_ENCODING}")
    return text


def _require_text(path: Path, content: bytes, encoding: str | None) -> None:
    """Raise for a file of another kind, which no encoding turns into a table."""
    head, odd = content[:4096], 0
    if encoding is None and not head.startswith(MARKS_OF_UTF16):
        # In text of any encoding but UTF-16 and UTF-32, and these have every second byte zero.
        odd = sum(byte < 32 and byte not in b"\t\n\r\f\x1b\0" for byte in head)
    if head.startswith(NO_TEXT) or odd > MOST_CONTROLS * len(head):
        raise ValueError(
            f"{str(path)!r} is not a text file; unpack it, or open it in its own program and save "
            "the table as CSV, UTF-8"
        )


def split_delimited(content: str, path: str, wanted: Collection[str]) -> Rows:
    """Split a text into the rows of a table.

    It is divided by the one of comma, semicolon, tab and bar with which the header has all that is
    wanted. Quotes are those of CSV. A file with tabs usually has none, and they are letters of its
    texts: so it is read line by line, unless some line has more or fewer fields than the header, or
    each field that holds a quote is written as in CSV.
    """
    if content.lstrip().startswith(("{", "[{")):
        raise ValueError(
            f"{path!r} is JSON, and a table is read as CSV; in pandas: "
            "read_json(…, lines=True).to_csv(…, index=False)"
        )
    csv.field_size_limit(2**31 - 1)  # a text may be long
    mark, lines = _mark_of(content, path, wanted), BREAK.split(content)
    by_line = _unquoted(lines) if mark == "\t" else []
    rows = by_line or [*_quoted(content, path, mark)]
    header = [name.strip() for _, names in rows[:1] for name in names]
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise ValueError(f"{path!r} has two columns {twice[0]!r}; give each its own name")
    notes = () if by_line else tuple(_joined(rows[1:], lines, path, mark, len(header)))
    return Rows(header, rows[1:], notes)


def _mark_of(content: str, path: str, wanted: Collection[str]) -> str:
    """Return the character that divides the fields."""
    headers = {mark: _header(content, mark) for mark in NAMES}
    for mark in NAMES:
        if {*wanted} <= {*headers[mark]}:
            return mark
    first = content.partition("\n")[0].strip()
    if re.fullmatch(r'"?sep=.?"?', first):
        raise ValueError(
            f"line 1 of {path!r} is {first!r}, which only Excel understands; remove this line"
        )
    return max(NAMES, key=lambda mark: len(headers[mark]))


def _header(content: str, mark: str) -> list[str]:
    """Return the fields of the first row, divided outside of quotes."""
    try:
        reader = csv.reader(io.StringIO(content, newline=""), delimiter=mark, strict=True)
        return [name.strip() for name in next(filter(None, reader), [])]
    except csv.Error:
        return []


def _unquoted(lines: Sequence[str]) -> list[Row]:
    """Return each line as a row, or nothing if quotes mean something."""
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, start=1) if line]
    quoting = [field for _, fields in rows for field in fields if '"' in field]
    is_even = len({len(fields) for _, fields in rows}) == 1
    return [] if not is_even or (quoting and all(map(QUOTED.fullmatch, quoting))) else rows


def _quoted(content: str, path: str, mark: str) -> Iterator[Row]:
    """Yield the rows of CSV; each has as many fields as the first one."""
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=mark, strict=True)
    line, width = 1, 0
    try:
        for fields in reader:
            width = width or len(fields)
            if len(fields) not in (0, width):
                raise ValueError(
                    f"line {line} of {path!r} has {len(fields)} fields, and the header names "
                    f"{width}; put quotes around a text that holds {mark!r} or line breaks"
                )
            if fields:
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        problem = f'line {line} of {path!r}: {error}; inside a quoted text each " is written twice'
        raise ValueError(problem) from error


def _joined(
    rows: Sequence[Row], lines: Sequence[str], path: str, mark: str, width: int
) -> Iterator[str]:
    """Tell of quoted texts that are perhaps several rows; with tabs, raise if a line is wrong."""
    odd = [line for line, row in rows if any(mark in f and BREAK.search(f) for f in row)]
    if not odd:
        return
    for number, line in enumerate(lines if mark == "\t" else (), start=1):
        # For its sake the file could not be read line by line.
        if line and line.count(mark) + 1 != width:
            raise ValueError(
                f"line {number} of {path!r} has {line.count(mark) + 1} fields, and the header "
                f"names {width}; mend it, or, if a quoted text holds tabs and line breaks, save it "
                "as CSV"
            )
    yield (
        f"{len(odd):,} of {len(rows):,} {'row holds' if len(odd) == 1 else 'rows hold'} line breaks"
        f" and {NAMES[mark]} inside quotes, the first in line {odd[0]}. Is it one row? A quote that"
        " was none joins several."
    )
