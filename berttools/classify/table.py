"""A table of texts and labels, with a sentence for what is odd. Chapter 19."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import SupportsIndex

from .reading import read_decoded, split_delimited

CONTROLS = re.compile("[\x80-\x9f]")


@dataclass(frozen=True)
class LabeledTable:
    """Rows of a table, column by column; a column that was not asked for is None.

    Args:
        texts: One a row, not empty.
        labels, groups, times: Names of classes; what stays together; moments in one form.
        lines: Where each row begins in its file, counted from 1.
        skipped: Lines that were left out, since they had no text or no label.
        notes: What was odd, in sentences.

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
    group: str | None = None,
    time: str | None = None,
    encoding: str | None = None,
) -> LabeledTable:
    r"""Read the columns of a table: texts, and what else is named.

    Args:
        path: A header and rows, divided by commas, semicolons, tabs or bars. A quoted text may
            have line breaks. With tabs quotes are letters, if each line is a row without their
            help.
        text: Name of the column of texts.
        label, group, time: Names of the columns of labels, of what belongs together, and of when.
        encoding: By default UTF-8, or UTF-16 if the file begins with its mark. Latin-1 is read as
            cp1252.

    Returns:
        The rows that have a text and all else that was named; ``skipped`` has the others' lines.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file cannot be decoded, a column is missing, a row has more or fewer
            fields than the header, or no row is left; the message names the line.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = path.write_text('text,label\n"It hums, loudly.",Hardware\n', encoding="utf-8")
    >>> read_table(path, "text", "label").texts
    ['It hums, loudly.']
    """
    wanted = {"texts": text, "labels": label, "groups": group, "times": time}
    columns = {field: name for field, name in wanted.items() if name is not None}
    if label == text:
        raise ValueError(f"the column {label!r} is named as text and as label; name two columns")
    header, listed, notes = split_delimited(
        read_decoded(Path(path), encoding), str(path), columns.values()
    )
    if missing := [name for name in columns.values() if name not in header]:
        raise ValueError(_no_column(path, missing[0], header))
    places = [header.index(name) for name in columns.values()]
    rows, lines, skipped = [], [], []
    for line, fields in listed:
        row = [fields[place].strip() for place in places]
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


def _no_column(path: str | Path, name: str, columns: list[str]) -> str:
    near = difflib.get_close_matches(name.lower(), [c.lower() for c in columns], cutoff=0.5)
    near = [repr(column) for column in columns if column.lower() in near]
    there = ", ".join(map(repr, columns[:12])) or "none"
    perhaps = f". Perhaps {' or '.join(near)}?" if near else ""
    return f"{str(path)!r} has no column {name!r}; it has {there}{perhaps}"
