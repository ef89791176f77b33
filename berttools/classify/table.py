"""A table of texts and labels, read from a file, with a sentence for what is odd. Chapter 19."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import SupportsIndex

from minibert.text_files import read_text, require_file

OTHER_ENCODING = (
    "open the file in an editor and save it with the encoding UTF-8, or name its own "
    "(encoding='cp1252', after the command --encoding cp1252, fits most old files of Windows)"
)
# How files begin that hold a table, but no text: packed ones, workbooks, PDF.
NO_TEXT = (b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")
MARKS_OF_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARKS = (",", ";", "\t", "|")  # what divides fields
QUOTED = re.compile(r'"(?:[^"]|"")*"')  # a field with quotes around it, and those inside twice
BREAK = re.compile("\r\n|\n|\r")
Row = tuple[int, list[str]]  # the line where it begins, and its fields


@dataclass(frozen=True)
class LabeledTable:
    """Rows of a table, column by column; a column that was not asked for is None.

    Args:
        texts: One a row, not empty.
        labels, groups, times: Names of classes; what stays together; moments in one form.
        lines: Where each row begins in its file, counted from 1.
        skipped: Lines that were left out, since they had no text or no label.

    >>> table = LabeledTable(["It hums.", "The bill is wrong."], ["Hardware", "Billing"])
    >>> len(table), table.classes, table.take([1]).texts
    (2, ('Billing', 'Hardware'), ['The bill is wrong.'])
    """

    texts: list[str]
    labels: list[str] | None = None
    groups: list[str] | None = None
    times: list[str] | None = None
    lines: list[int] | None = None
    skipped: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.texts)

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the different labels in order, numbers by their value."""
        names = {*(self.labels or ())}
        by_value = all(name.isdecimal() for name in names)
        return tuple(sorted(sorted(names), key=int if by_value else None))

    def take(self, rows: Iterable[SupportsIndex]) -> LabeledTable:
        """Return some `rows`, by their numbers, as a table without `skipped`."""
        rows = [int(row) for row in rows]
        columns = {name: c for name, c in vars(self).items() if isinstance(c, list)}
        chosen = {name: [column[row] for row in rows] for name, column in columns.items()}
        return dataclasses.replace(self, **chosen, skipped=())


def read_table(
    path: str | Path,
    text: str,
    label: str | None = None,
    *,
    group: str | None = None,
    time: str | None = None,
    encoding: str | None = None,
) -> LabeledTable:
    r"""Return the columns of a table: texts, and what else is named, of rows that have it all.

    Args:
        path: A header and rows, divided by commas, semicolons, tabs or bars. A quoted text may
            have line breaks. With tabs quotes are letters, if each line is a row without their
            help.
        text, label, group, time: Names of columns: texts, labels, what belongs together, and when.
        encoding: By default UTF-8, or UTF-16 if the file begins with its mark. Latin-1 is read as
            cp1252.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text('text,label\n"It hums, loudly.",Hardware\n', encoding="utf-8")
    >>> read_table(path, "text", "label").texts
    ['It hums, loudly.']
    """
    wanted = {"texts": text, "labels": label, "groups": group, "times": time}
    columns = {field: name for field, name in wanted.items() if name is not None}
    content, name = _decoded(Path(path), encoding), repr(str(path))
    header, listed = _split(content, name, columns.values())
    if missing := [column for column in columns.values() if column not in header]:
        there = ", ".join(map(repr, header[:12])) or "none"
        raise ValueError(f"{name} has no column {missing[0]!r}; it has {there}")
    places = [header.index(column) for column in columns.values()]
    rows, lines, skipped = [], [], []
    for line, fields in listed:
        row = [fields[place].strip() for place in places]
        (lines if all(row) else skipped).append(line)
        rows += [row] if all(row) else []
    if not rows:
        lack = f"; each of its {len(skipped)} rows lacks {' or '.join(map(repr, columns.values()))}"
        raise ValueError(f"{name} has no row to read{lack if skipped else ''}")
    values = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    return LabeledTable(**values, lines=lines, skipped=tuple(skipped))


def _decoded(path: Path, encoding: str | None) -> str:
    """Read a text file: as UTF-8, as UTF-16 if its first bytes say so, or as it is said."""
    content = require_file(path).read_bytes()
    if content.startswith(NO_TEXT):
        raise ValueError(
            f"{str(path)!r} is not a text file; unpack it, or open it in its own program and save "
            "the table as CSV, UTF-8"
        )
    if encoding is None and not content.startswith(MARKS_OF_UTF16):
        text = read_text(path, if_garbled=OTHER_ENCODING)
    else:
        try:
            name = codecs.lookup(encoding or "utf-16").name
            # As browsers do: what latin-1 leaves to control characters are quotes and euro signs.
            text = content.decode("cp1252" if name == "iso8859-1" else name).removeprefix("\ufeff")
        except (UnicodeError, LookupError) as error:
            raise ValueError(f"{str(path)!r}: {error}; {OTHER_ENCODING}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"line {line} of {str(path)!r} holds a zero byte; {OTHER_ENCODING}")
    return text


def _split(content: str, path: str, wanted: Collection[str]) -> tuple[list[str], list[Row]]:
    """Split a text into the names of its header and its rows.

    It is divided by what gives the header all that is wanted. Quotes are those of CSV. A file with
    tabs usually has none, and they are letters of its texts: it is read line by line, unless some
    line has more or fewer fields, or each field that holds a quote is written as in CSV.
    """
    csv.field_size_limit(2**31 - 1)  # a text may be long
    headers = {mark: [""] for mark in MARKS}
    for mark in MARKS:
        with suppress(ValueError):  # quotes that are none if this character divides
            _, headers[mark] = next(_quoted(content, path, mark), (1, [""]))
    names = {mark: {*map(str.strip, fields)} for mark, fields in headers.items()}
    mark = max(MARKS, key=lambda mark: ({*wanted} <= names[mark], len(names[mark])))
    lines = BREAK.split(content)
    by_line = _unquoted(lines) if mark == "\t" else []
    rows = by_line or [*_quoted(content, path, mark)]
    header = [name.strip() for _, names in rows[:1] for name in names]
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise ValueError(f"{path} has two columns {twice[0]!r}; give each its own name")
    if mark == "\t" and not by_line:
        _require_unjoined(rows, lines, path)
    return header, rows[1:]


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
                    f"line {line} of {path} has {len(fields)} fields, and the header names "
                    f"{width}; put quotes around a text that holds {mark!r} or line breaks"
                )
            if fields:
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        problem = f'line {line} of {path}: {error}; inside a quoted text each " is written twice'
        raise ValueError(problem) from error


def _require_unjoined(rows: Sequence[Row], lines: Sequence[str], path: str) -> None:
    """Raise if quotes, perhaps none, join lines with tabs for the sake of one that is wrong."""
    if not any("\t" in field and BREAK.search(field) for _, fields in rows for field in fields):
        return
    width = len(rows[0][1])
    for number, line in enumerate(lines, start=1):
        if line and (fields := line.count("\t") + 1) != width:
            raise ValueError(
                f"line {number} of {path} has {fields} fields, and the header names {width}; mend "
                "it, or, if a quoted text holds tabs and line breaks, save it as CSV"
            )
