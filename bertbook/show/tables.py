"""Results as a table that fits a phone: few columns, short cells. Chapter 15."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

LEFT = 'style="text-align:left"'


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], corner: str = "") -> str:
    """Write results as a table whose first column names the rows.

    Parameters
    ----------
    columns : sequence of str
        The heads of all columns but the first.
    rows : sequence of sequences
        For each row its name, and a cell for each column; hyphens before digits become minus signs.
    corner : str
        The head of the first column.

    Returns
    -------
    str
        HTML, for :func:`html`.

    Raises
    ------
    ValueError
        If a row has more cells than there are columns, or fewer.

    Examples
    --------
    >>> table(["right"], [["naive Bayes", "0.68"]]).count("<tr>")
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
        f'<table class="mb-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _with_minus(cell: str) -> str:
    """Write a real minus sign before the numbers of a cell."""
    words = (f"−{word[1:]}" if word[:1] == "-" and word[1:2].isdigit() else word
             for word in cell.split(" "))  # fmt: skip
    return " ".join(words)
