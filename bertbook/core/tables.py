"""Results as a table that a phone can read: a name, then the numbers. Chapter 7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from numbers import Integral
from typing import Any

import numpy as np

from .html import STYLE, Html, html, with_minus

TABLE_STYLE = """
.mb-figure table.mb-results :is(th,td){padding:.25em .5em}
.mb-figure table.mb-results :is(th,td):first-child{text-align:left}
.mb-figure table.mb-results td{white-space:nowrap}
.mb-figure table.mb-results thead th{vertical-align:bottom;border-bottom:1px solid #75797f}
"""

LEFT = 'style="text-align:left"'
SMALL = 'style="font-size:.82em"'  # five columns on a phone

Cell = str | float | np.integer | Mapping[str, float] | None


def show_table(columns: Mapping[str, Iterable[Cell]], caption: str, digits: int = 2) -> Html:
    """Show results as a table, column by column; the first one names the rows.

    Args:
        columns: What stands above a column, and its cells from top to bottom, equally many in each.
            A cell is a text, a number, a mapping with ``mean`` and ``sd``, or None where there is
            nothing.
        caption: What the numbers are.
        digits: Decimals of numbers that are not whole.

    Returns:
        A displayable table. As text it is the same rows.

    Raises:
        ValueError: If the columns are not equally long.

    >>> show_table({"heads": ["1", "2"], "loss": [0.25, {"mean": 0.2, "sd": 0.01}]}, "Five seeds.")
    Five seeds.
    heads | loss
    1 | 0.25
    2 | 0.20 ± 0.01
    """
    columns = {name: [*cells] for name, cells in columns.items()}
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len({*lengths.values()}) > 1:
        raise ValueError(f"the columns have different lengths: {lengths}; None leaves a cell empty")
    rows = [[_written(cell, digits) for cell in row] for row in zip(*columns.values())]
    names, *others = columns
    sides = [f" {LEFT}" if _are_phrases(columns[name]) else "" for name in others]
    head = f'<th scope="col">{escape(names)}</th>' + "".join(
        f'<th scope="col"{side}>{escape(name)}</th>' for name, side in zip(others, sides)
    )
    body = "".join(f"<tr>{_cells(row, sides)}</tr>" for row in rows)
    content = (
        f'<div class="mb-scroll" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f'<table class="mb-table mb-results"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
    text = "\n".join([caption, *(" | ".join(row) for row in [[*columns], *rows])])
    return Html(html(content, caption).content, summary=text, style=STYLE + TABLE_STYLE)


def parts_table(record: Mapping[str, Any], upto: str) -> Html:
    """Show what the toy has reached with each part so far, as far above the floor as it is.

    Args:
        record: ``records/toy_parts.json``, as :func:`bertbook.records.record_of` returns it.
        upto: The name of the last row, such as "4 heads".

    Returns:
        One row for each toy, then the best of a bag of words and the floor.

    Raises:
        ValueError: If the record has no such row.
    """
    names = [row["name"] for row in record["rows"]]
    if upto not in names:
        raise ValueError(f"there is no row {upto!r}; the rows are {', '.join(names)}")
    shown = record["rows"][: names.index(upto) + 1]
    losses = [row["mean_and_sd"]["loss"] for row in shown]
    bag, floor = record["ladder"]["bag"], record["ladder"]["full"]
    return show_table(
        {
            "toy": [*(row["name"] for row in shown), "a bag’s best", "floor"],
            "loss (nats)": [*losses, bag, floor],
            "above the floor": [*(loss["mean"] - floor for loss in losses), bag - floor, None],
        },
        caption="Loss at hidden words, mean ± sd of five seeds.",
        digits=3,
    )


def _written(cell: Cell, digits: int) -> str:
    """Write a cell as people do: thousands apart, a real minus sign."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Mapping):
        return f"{with_minus(cell['mean'], digits)} ± {cell['sd']:.{digits}f}"
    if isinstance(cell, Integral):
        return f"{cell:,}".replace("-", "−")
    return with_minus(float(cell), digits)


def _are_phrases(cells: Sequence[Cell]) -> bool:
    """Say whether a column is read from the left: texts, and one of several words among them."""
    texts = [cell for cell in cells if isinstance(cell, str) and cell[:1].isalpha()]
    return len(texts) == len(cells) and any(" " in text for text in texts)


def _cells(row: Sequence[str], sides: Sequence[str]) -> str:
    name, *others = map(escape, row)
    return f'<th scope="row">{name}</th>' + "".join(
        f"<td{side}>{other}</td>" for side, other in zip(sides, others)
    )


def result_table(columns: Sequence[str], rows: Sequence[Sequence[object]], corner: str = "") -> str:
    """Write results as a table whose first column names the rows.

    Args:
        columns: The heads of all columns but the first.
        rows: For each row its name, and a cell for each column; hyphens before digits become minus
            signs.
        corner: The head of the first column.

    Returns:
        HTML, for :func:`html`.

    Raises:
        ValueError: If a row has more cells than there are columns, or fewer.

    >>> result_table(["right"], [["naive Bayes", "0.68"]]).count("<tr>")
    2
    """
    for name, *cells in rows:
        if len(cells) != len(columns):
            raise ValueError(
                f"the row {name!r} has {len(cells)} cells, and there are {len(columns)} columns; "
                "give a cell for each, if need be an empty one"
            )
    head = f'<th scope="col" {LEFT}>{escape(corner)}</th>' if corner else "<td></td>"
    head += "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row" {LEFT}>{escape(str(name))}</th>'
        + "".join(f"<td>{escape(_with_minus(str(cell)))}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    name = escape(corner or "table")
    return (
        f'<div class="mb-scroll" tabindex="0" role="group" aria-label="{name}">'
        f'<table class="mb-table" {SMALL}><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _with_minus(cell: str) -> str:
    """Write a real minus sign before the numbers of a cell."""
    words = (f"−{word[1:]}" if word[:1] == "-" and word[1:2].isdigit() else word
             for word in cell.split(" "))  # fmt: skip
    return " ".join(words)


def with_sign(value: float, digits: int = 2) -> str:
    """Write a difference with its sign, and a real minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def ranged(ends: Iterable[float], digits: int = 2) -> str:
    """Write an interval by its two ends."""
    low, high = (with_minus(end, digits) for end in ends)
    return f"{low} to {high}"
