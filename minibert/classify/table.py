"""A table of texts and labels: CSV, TSV or JSON lines, with a sentence for what is odd.

Chapter 19.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex

from minibert.text_files import read_text, require_file

JSON_LINES = (".jsonl", ".ndjson", ".json")
OTHER_ENCODING = (
    "open the file in an editor and save it with the encoding UTF-8, or name its own "
    "(encoding='latin-1', after the command --encoding latin-1, fits many old files)"
)
Record = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class LabeledTable:
    """Rows of a table, column by column; a column that was not asked for is None.

    Parameters
    ----------
    texts : list of str
        One a row, not empty.
    labels, pairs, groups, times : list of str or None
        Names of classes; second texts; what stays together; moments in one form.
    lines : list of int or None
        Where each row begins in its file, counted from 1.
    skipped : tuple of int
        Lines that were left out, since they had no text or no label.
    """

    texts: list[str]
    labels: list[str] | None = None
    pairs: list[str] | None = None
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

    @property
    def whole_texts(self) -> list[str]:
        """Return each text, or pair of texts, as one."""
        both = zip(self.texts, self.pairs or (), strict=bool(self.pairs))
        return list(map(" ".join, both)) if self.pairs else self.texts

    def take(self, rows: Iterable[SupportsIndex]) -> LabeledTable:
        """Return some of the rows as a table."""
        rows = [int(row) for row in rows]
        columns = {name: c for name, c in vars(self).items() if isinstance(c, list)}
        chosen = {name: [column[row] for row in rows] for name, column in columns.items()}
        return dataclasses.replace(self, **chosen, skipped=())


def read_table(
    path: str | Path,
    text: str,
    label: str | None = None,
    *,
    pair: str | None = None,
    group: str | None = None,
    time: str | None = None,
    encoding: str | None = None,
) -> LabeledTable:
    """Read the columns of a table: texts, and what else is named.

    Parameters
    ----------
    path : str or Path
        One JSON object a line if its name ends in ``.jsonl``, ``.ndjson`` or ``.json``; else a
        header and rows, divided by commas, semicolons or tabs. A quoted text may have line breaks.
    text : str
        Name of the column of texts.
    label, pair, group, time : str, optional
        Names of the columns of labels, of second texts, of what belongs together, and of when.
    encoding : str, optional
        By default UTF-8, or UTF-16 if the file begins with its mark.

    Returns
    -------
    LabeledTable
        The rows that have a text and all else that was named; ``skipped`` has the others' lines.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file cannot be decoded, a column is missing, a field is a list or an object, a row
        has more or fewer fields than the header, or no row is left; the message names the line.
    """
    wanted = {"texts": text, "labels": label, "pairs": pair, "groups": group, "times": time}
    columns = {field: name for field, name in wanted.items() if name is not None}
    content = _decoded(Path(path), encoding)
    read = _json_lines if Path(path).suffix.lower() in JSON_LINES else _delimited
    rows, lines, skipped = [], [], []
    for line, record in read(content, str(path)):
        if missing := [name for name in columns.values() if name not in record]:
            raise ValueError(_no_column(path, line, missing[0], list(record)))
        place = f"line {line} of {str(path)!r}"
        row = [_field(record[name], name, place) for name in columns.values()]
        (lines if all(row) else skipped).append(line)
        rows += [row] if all(row) else []
    if not rows:
        lack = f"; each of its {len(skipped)} rows lacks {' or '.join(map(repr, columns.values()))}"
        raise ValueError(f"{str(path)!r} has no row to read{lack if skipped else ''}")
    found = zip(columns, map(list, zip(*rows, strict=True)), strict=True)
    return LabeledTable(**dict(found), lines=lines, skipped=tuple(skipped))


def _field(value: Any, name: str, place: str) -> str:
    """Return a field as text; what is missing, such as null or NaN, is empty."""
    if isinstance(value, list | dict):
        told = f"{place} has {str(value)[:40]!r} as its {name!r}; write one text or number there"
        raise ValueError(f"{told}, and a row for each of several")
    return "" if value is None or value != value else str(value).strip()


def _decoded(path: Path, encoding: str | None) -> str:
    """Decode the file, as UTF-16 if its first bytes say so."""
    content = require_file(path).read_bytes()
    if encoding is None and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = read_text(path, if_garbled=OTHER_ENCODING)
    else:
        try:
            text = content.decode(encoding or "utf-16").removeprefix("\ufeff")
        except (UnicodeError, LookupError) as error:
            raise ValueError(f"{str(path)!r}: {error}; {OTHER_ENCODING}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"line {line} of {str(path)!r} holds a zero byte; {OTHER_ENCODING}")
    return text


def _delimited(content: str, path: str) -> Iterator[Record]:
    """Yield the rows below a header, each with the line where it begins."""
    csv.field_size_limit(2**31 - 1)  # a text may be long
    mark = max(",;\t", key=content.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=mark, strict=True)
    line = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        if twice := sorted({name for name in header if header.count(name) > 1}):
            raise ValueError(f"{path!r} has two columns {twice[0]!r}; give each its own name")
        line = reader.line_num + 1
        for fields in reader:
            if len(fields) not in (0, len(header)):
                raise ValueError(
                    f"line {line} of {path!r} has {len(fields)} fields, and the header names "
                    f"{len(header)}; put quotes around a text that holds {mark!r} or line breaks"
                )
            if fields:
                yield line, dict(zip(header, fields, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        told = f'line {line} of {path!r}: {error}; inside a quoted text each " is written twice'
        raise ValueError(told) from error


def _json_lines(content: str, path: str) -> Iterator[Record]:
    for number, line in enumerate(content.split("\n"), start=1):
        try:
            record = json.loads(line or "null")
        except ValueError:
            record = line
        if isinstance(record, dict):
            yield number, record
        elif line.strip():
            raise ValueError(
                f"line {number} of {path!r} is no JSON object ({line[:30]!r}); write one object a "
                'line, such as {"text": "…", "label": "…"}'
            )


def _no_column(path: str | Path, line: int, name: str, columns: list[str]) -> str:
    near = difflib.get_close_matches(name.lower(), [c.lower() for c in columns], cutoff=0.5)
    near = [repr(column) for column in columns if column.lower() in near]
    there = ", ".join(map(repr, columns[:12])) or "none"
    perhaps = f". Perhaps {' or '.join(near)}?" if near else ""
    return f"{str(path)!r} has no column {name!r} (line {line}); it has {there}{perhaps}"
