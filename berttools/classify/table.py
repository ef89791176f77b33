"""A table of texts and labels: CSV, TSV or JSON lines, with a sentence for what is odd.

Chapter 19.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex

from .reading import read_decoded, split_delimited

JSON_LINES = (".jsonl", ".ndjson", ".json")
CONTROLS = re.compile("[\x80-\x9f]")
Record = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class LabeledTable:
    """Rows of a table, column by column; a column that was not asked for is None.

    Args:
        texts: One a row, not empty.
        labels, pairs, groups, times: Names of classes; second texts; what stays together; moments
            in one form.
        lines: Where each row begins in its file, counted from 1.
        skipped: Lines that were left out, since they had no text or no label.
        notes: What was odd, in sentences.

    >>> table = LabeledTable(["It hums.", "The bill is wrong."], ["Hardware", "Billing"])
    >>> len(table), table.classes, table.take([1]).texts
    (2, ('Billing', 'Hardware'), ['The bill is wrong.'])
    """

    texts: list[str]
    labels: list[str] | None = None
    pairs: list[str] | None = None
    groups: list[str] | None = None
    times: list[str] | None = None
    lines: list[int] | None = None
    skipped: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

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
        """Return some of the rows as a table.

        Args:
            rows: Numbers of rows, from 0 on.

        Returns:
            Without `skipped` and `notes`.
        """
        rows = [int(row) for row in rows]
        columns = {name: c for name, c in vars(self).items() if isinstance(c, list)}
        chosen = {name: [column[row] for row in rows] for name, column in columns.items()}
        return dataclasses.replace(self, **chosen, skipped=(), notes=())


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
    r"""Read the columns of a table: texts, and what else is named.

    Args:
        path: One JSON object a line if its name ends in ``.jsonl``, ``.ndjson`` or ``.json``; else
            a header and rows, divided by commas, semicolons, tabs or bars. A quoted text may have
            line breaks. With tabs quotes are letters, if each line is a row without their help.
        text: Name of the column of texts.
        label, pair, group, time: Names of the columns of labels, of second texts, of what belongs
            together, and of when.
        encoding: By default UTF-8, or UTF-16 if the file begins with its mark. Latin-1 is read as
            cp1252.

    Returns:
        The rows that have a text and all else that was named; ``skipped`` has the others' lines.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file cannot be decoded, a column is missing, a field is a list or an
            object, a row has more or fewer fields than the header, or no row is left; the message
            names the line.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text('text,label\n"It hums, loudly.",Hardware\n', encoding="utf-8")
    >>> read_table(path, "text", "label").texts
    ['It hums, loudly.']
    """
    wanted = {"texts": text, "labels": label, "pairs": pair, "groups": group, "times": time}
    columns = {field: name for field, name in wanted.items() if name is not None}
    if label in (text, pair) and label is not None:
        raise ValueError(f"the column {label!r} is named as text and as label; name two columns")
    content = read_decoded(Path(path), encoding)
    if Path(path).suffix.lower() in JSON_LINES:
        records, notes = _json_lines(content, str(path)), ()
    else:
        header, listed, notes = split_delimited(content, str(path), columns.values())
        records = ((line, dict(zip(header, row, strict=True))) for line, row in listed)
    rows, lines, skipped = [], [], []
    for line, record in records:
        if missing := [name for name in columns.values() if name not in record]:
            raise ValueError(_no_column(path, line, missing[0], list(record)))
        place = f"line {line} of {str(path)!r}"
        row = [_field(record[name], name, place) for name in columns.values()]
        (lines if all(row) else skipped).append(line)
        rows += [row] if all(row) else []
    if not rows:
        lack = f"; each of its {len(skipped)} rows lacks {' or '.join(map(repr, columns.values()))}"
        raise ValueError(f"{str(path)!r} has no row to read{lack if skipped else ''}")
    values = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    notes = (*notes, *_dropped(values["texts"]))
    return LabeledTable(**values, lines=lines, skipped=tuple(skipped), notes=notes)


def _dropped(texts: list[str]) -> Iterator[str]:
    """Tell of characters that no tokenizer keeps."""
    if count := sum(map(bool, map(CONTROLS.search, texts))):
        yield (
            f"{count:,} of {len(texts):,} texts hold characters from U+0080 to U+009F, which are "
            "dropped; in files of Windows they are quotes and the euro sign: is it cp1252?"
        )


def _field(value: Any, name: str, place: str) -> str:
    """Return a field as text; what is missing, such as null or NaN, is empty."""
    if isinstance(value, list | dict):
        problem = f"{place} has {str(value)[:40]!r} as its {name!r}; write one text or number there"
        raise ValueError(f"{problem}, and a row for each of several")
    return "" if value is None or value != value else str(value).strip()


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
