"""Pieces of HTML that follow the page's colors: token rows, bars, matrices. Chapters 1 and 2."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape

import numpy as np
from jaxtyping import Float

from bertbook.core.static_svg.drawing import still

from .palette import PALETTE, token_colors
from .setting import is_stored

# Text stays readable on a tinted cell in light and in dark only while the tint is half transparent.
STRONGEST_TINT = 0.5
# Beyond this a number is a mask, not a size.
ENORMOUS = 1e30

# Unless told not to, JupyterLab takes arrow keys and Enter for itself and moves the focus away.
KEEP_KEYS = 'data-lm-suppress-shortcuts="true" onkeydown="event.stopPropagation()"'

STYLE = """
.mb-figure{margin:1.2em 0;max-width:100%}
.mb-figure figcaption{font-size:.9em;line-height:1.45;margin-top:.6em;max-width:42em;\
color:var(--pst-color-text-muted,inherit)}
.mb-scroll{overflow-x:auto}
.mb-tokens{display:flex;flex-wrap:wrap;gap:.35em;margin:.5em 0}
.mb-token{border-bottom:3px solid;border-radius:3px;padding:.15em .5em;text-align:center}
.mb-token small{display:block;font-size:.75em}
.mb-figure table.mb-table{border-collapse:collapse;width:auto;margin:.5em 0;font-size:.95em;\
border:0;background:none}
.mb-figure table.mb-table :is(th,td){padding:.25em .6em;text-align:right;border:0;\
font-variant-numeric:tabular-nums;color:inherit;background-color:transparent}
.mb-figure table.mb-table th{font-weight:600}
.mb-figure table.mb-table td.mb-bar{text-align:left;width:min(14em,40vw);padding:.25em 0}
.mb-bar span{display:block;height:1em;border-radius:2px;min-width:1px}
"""

# A notebook may be twice as wide as a page; figures are as wide as in the book.
AS_IN_THE_BOOK = ".mb-figure{max-width:min(46rem,100%)}"


class Html:
    """A piece of HTML that Jupyter and the book display.

    Args:
        content: The HTML.
        summary: What viewers without HTML show.
        style: CSS that comes with it.
    """

    def __init__(self, content: str, summary: str = "", style: str = STYLE):
        self.content, self.summary, self.style = content, summary, style

    def __repr__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        style = "".join(self.style.strip().splitlines())
        style += "" if is_stored() else AS_IN_THE_BOOK
        return f"<style>{style}</style>\n{self.content}"

    def _repr_svg_(self) -> str:
        """Draw the same for viewers without HTML, and for print."""
        return still(self.content, self.summary)


def key_of(*content: str) -> str:
    """Return a name for a piece of HTML, always the same one for the same content."""
    return "mb" + hashlib.sha256("".join(content).encode()).hexdigest()[:10]


def html(content: str, caption: str) -> Html:
    """Show a piece of HTML as a figure with a caption.

    Args:
        content: HTML, for example from :func:`matrix`, :func:`bars` or :func:`token_row`.
        caption: What the reader should see in it.

    Returns:
        A displayable figure.

    >>> html(token_row(["the", "cat"]), caption="Two tokens.")
    Two tokens.
    """
    below = f"<figcaption>{escape(caption)}</figcaption>"
    return Html(f'<figure class="mb-figure">{content}{below}</figure>', summary=caption)


def tint(color: str, strength: float) -> str:
    """Write a half-transparent color as CSS.

    Args:
        color: Hexadecimal, ``#rrggbb``.
        strength: How strong; values outside are clipped; between 0 and 1.

    Returns:
        ``rgba(…)``.

    >>> tint("#2f7ec4", 1)
    'rgba(47,126,196,0.50)'
    """
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    alpha = STRONGEST_TINT * min(max(float(strength), 0.0), 1.0)
    return f"rgba({red},{green},{blue},{alpha:.2f})"


def token_row(
    tokens: Sequence[str],
    weights: Sequence[float] | None = None,
    notes: Sequence[str] | None = None,
    colors: dict[str, str] | None = None,
) -> str:
    """Draw tokens in a row, each in its color, the background as strong as its weight.

    Args:
        tokens: The tokens; length seq.
        weights: Strength of each background; none otherwise; length seq, between 0 and 1.
        notes: A small line below each token; length seq.
        colors: Token to color, when a chapter's colors differ from those of this row alone.

    Returns:
        HTML.

    >>> token_row(["cat"], colors={"cat": "#336699"}).count("<span")
    1
    """
    colors = {**token_colors(tokens), **(colors or {})}
    weights = [0.0] * len(tokens) if weights is None else weights
    notes = [""] * len(tokens) if notes is None else notes
    chips = (
        f'<span class="mb-token" style="border-color:{colors[token]};'
        f'background:{tint(colors[token], weight)}">{escape(token)}'
        + (f"<small>{escape(note)}</small>" if note else "")
        + "</span>"
        for token, weight, note in zip(tokens, weights, notes)
    )
    return f'<div class="mb-tokens">{"".join(chips)}</div>'


def bars(
    labels: Sequence[str],
    values: Sequence[float],
    colors: dict[str, str] | None = None,
    digits: int = 2,
    largest: float = 1.0,
) -> str:
    """Draw horizontal bars as a table: label, bar, number.

    Args:
        labels: One a bar.
        values: One a bar; not negative.
        colors: Label to color; the first of the palette otherwise.
        digits: Decimals of the numbers.
        largest: The value of a bar of full length.

    Returns:
        HTML.

    >>> bars(["cat", "dog"], [0.9, 0.1]).count("<tr>")
    2
    """
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th><td class="mb-bar"><span style="'
        f"width:{100 * min(value / largest, 1):.1f}%;"
        f'background:{(colors or {}).get(label, PALETTE[0])}"></span></td>'
        f"<td>{value:.{digits}f}</td></tr>"
        for label, value in zip(labels, values)
    )
    return f'<table class="mb-table"><tbody>{rows}</tbody></table>'


def matrix(
    values: Float[np.ndarray, "rows columns"],
    rows: Sequence[str],
    columns: Sequence[str],
    digits: int = 2,
    name: str = "",
) -> str:
    """Write a matrix as a table whose cells are tinted by their size.

    Positive numbers are blue, negative ones orange; the largest magnitude has the strongest tint.

    Args:
        values: The numbers. Enormous ones, and what is no number, are gray.
        rows, columns: Labels.
        digits: Decimals.
        name: Written into the corner.

    Returns:
        HTML.

    >>> matrix(np.eye(2), ["a", "b"], ["c", "d"]).count("<tr")  # the columns, and a row each
    3
    """
    values = np.asarray(values, dtype=float)
    usual = np.abs(values[np.abs(values) < ENORMOUS])
    largest = usual.max(initial=0) or 1.0
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>'
        + "".join(_cell(value, largest, digits) for value in line)
        + "</tr>"
        for row, line in zip(rows, values)
    )
    corner = f"<td><em>{escape(name)}</em></td>"
    return (
        f'<div class="mb-scroll" tabindex="0" role="group" aria-label="{escape(name or "matrix")}">'
        f'<table class="mb-table"><thead><tr>{corner}{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(value: float, largest: float, digits: int) -> str:
    """Write one tinted number; NaN and infinity are gray."""
    color = PALETTE[0] if value > 0 else PALETTE[1]
    strength = abs(value) / largest
    if not abs(value) < ENORMOUS:
        color, strength = "#75797f", 0.5
    background = tint(color, strength)
    return f'<td style="background-color:{background}!important">{with_minus(value, digits)}</td>'


def with_minus(value: float, digits: int) -> str:
    """Write a number as people do: a real minus sign, no minus before zero."""
    if np.isinf(value):
        text = "∞"
    elif abs(value) >= ENORMOUS:
        text = f"{abs(value):.1e}".replace("e+", "e")
    else:
        text = f"{abs(value):.{digits}f}"
    is_zero = not text.strip("0.")
    return "−" + text if value < 0 and not is_zero else text
