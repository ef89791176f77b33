"""Results as a table that a phone can show: what is compared, and its numbers. Chapter 17."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .html import Html

TABLE_STYLE = """
.mb-results{overflow-x:auto;margin:1em 0}
.mb-results table{border-collapse:collapse;width:auto;margin:0;font-size:.92em;border:0;\
background:none}
.mb-results :is(th,td){padding:.3em .6em;border:0;text-align:right;vertical-align:baseline;\
color:inherit;background-color:transparent;font-variant-numeric:tabular-nums}
.mb-results :is(th,td):first-child{text-align:left;padding-left:0;font-weight:400}
.mb-results thead th{font-weight:600;border-bottom:1px solid currentColor}
"""


def shown_results(columns: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> Html:
    """Write rows of results as a table; the first column says whose they are.

    Parameters
    ----------
    columns : sequence of str
        The heads; the first is often empty.
    rows : iterable of sequence
        Each as long as the heads. Text stands as it is; write numbers with their digits.
    name : str
        What the table shows, for those who cannot see it.

    Returns
    -------
    Html
        A displayable table. What is too wide for the page scrolls.

    Raises
    ------
    ValueError
        If a row has another length than the heads.
    """
    rows = [[str(entry) for entry in row] for row in rows]
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(
                f"a row of {name!r} has {len(row)} entries, {row}; the table has {len(columns)} "
                "columns"
            )
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(entry)}</td>" for entry in row[1:])
        + "</tr>"
        for row in rows
    )
    return Html(
        f'<div class="mb-results" tabindex="0" role="group" aria-label="{escape(name)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>",
        summary="\n".join([name, *(" | ".join(row) for row in rows)]),
        style=TABLE_STYLE,
    )


def with_sign(value: float, digits: int = 2) -> str:
    """Write a difference with its sign, and a real minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def ranged(ends: Iterable[float], digits: int = 2) -> str:
    """Write an interval by its two ends."""
    low, high = (f"{end:.{digits}f}".replace("-", "−") for end in ends)
    return f"{low} to {high}"
