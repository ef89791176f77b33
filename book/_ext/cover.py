"""Draw the picture of the landing page: `python book/_ext/cover.py` writes `book/assets/cover.svg`.

Two words exchange what they mean. Every number in it is computed here, from the smallest example of
chapter 2, by the package's own attention. The same file serves the README: there its own colors
hold, while on the landing page the page's style sheet sets the custom properties `--cover-…`.
"""

from pathlib import Path

import numpy as np

from bertbook.core.palette import token_colors
from minibert.reference import attention

TARGET = Path(__file__).resolve().parents[1] / "assets" / "cover.svg"
WORDS = ("one", "cat")
COLORS = token_colors(WORDS)
COLUMNS = (125, 355)  # the middle of each word's column
BAND = 48  # the width of all that a word receives
TOP, BOTTOM = 118, 292  # where the bands start and end
CELL = 58

QUERY = np.array([[1.0, 0.0, 2.0], [-1.0, 2.0, 0.0]])
KEY = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 2.0]])
VALUE = 2.0 * QUERY


def text(x: float, y: float, content: str, size: int, extra: str = "") -> str:
    """Write one line of text, centered at x unless `extra` says otherwise."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{extra}>{content}</text>'


def number(value: float) -> str:
    """Write a number as the chapter prints it, with a real minus sign."""
    written = f"{value:g}" if value == round(value) else f"{value:.2f}"
    return written.replace("-", "\N{MINUS SIGN}")


def vector(x: float, y: float, values: np.ndarray) -> str:
    """Draw three boxes with a number each, centered at x."""
    boxes = ""
    for i, value in enumerate(values):
        left = x + (i - 1.5) * CELL
        boxes += (
            f'<rect x="{left:g}" y="{y:g}" width="{CELL}" height="38" fill="none" '
            'stroke="var(--cover-line, #b9b6ae)"/>'
        )
        boxes += text(left + CELL / 2, y + 26, number(value), 19)
    return boxes


def band(start: float, end: float, width: float, color: str) -> str:
    """Draw what flows from one word to another: the wider, the more."""
    bend = (TOP + BOTTOM) / 2
    return (
        f'<path d="M{start:.2f} {TOP}C{start:.2f} {bend:g} {end:.2f} {bend:g} {end:.2f} {BOTTOM}" '
        f'fill="none" stroke="{color}" stroke-width="{width:.2f}" stroke-opacity="0.62"/>'
    )


def bands(probs: np.ndarray) -> str:
    """Draw every flow, side by side where it leaves and where it arrives."""
    drawn = ""
    for receiver, giver in ((0, 0), (1, 1), (0, 1), (1, 0)):
        share = probs[receiver, giver]
        before = probs[receiver, :giver].sum(), probs[:receiver, giver].sum()
        end = COLUMNS[receiver] + BAND * (before[0] + share / 2 - 0.5)
        start = COLUMNS[giver] + BAND * (before[1] + share / 2 - 0.5)
        drawn += band(start, end, BAND * share, COLORS[WORDS[giver]])
        side, anchor = (-1, "end") if giver == 0 else (1, "start")
        x = COLUMNS[receiver] + side * (BAND / 2 + 8)
        label = f"{share:.0%}".replace("%", " %")
        drawn += text(x, BOTTOM - 8, label, 18, f' text-anchor="{anchor}"')
    return drawn


def mixture(x: float, y: float, shares: np.ndarray) -> str:
    """Underline a word with what it is now made of."""
    width, left, drawn = 3 * CELL, x - 1.5 * CELL, ""
    for word, share in zip(WORDS, shares, strict=True):
        drawn += (
            f'<rect x="{left:.2f}" y="{y:g}" width="{width * share:.2f}" height="6" '
            f'fill="{COLORS[word]}"/>'
        )
        left += width * share
    return drawn


def cover() -> str:
    """Draw the whole picture as SVG."""
    context, probs = attention(QUERY, KEY, VALUE)
    about = "; ".join(
        f"the new vector of {word} takes {row[0]:.0%} from one and {row[1]:.0%} from cat "
        f"and is {', '.join(number(value) for value in new)}"
        for word, row, new in zip(WORDS, probs, context, strict=True)
    )
    body = text(240, 24, "what each word gives", 16)
    for i, (word, x) in enumerate(zip(WORDS, COLUMNS, strict=True)):
        body += text(x, 58, word, 25, ' font-style="italic"')
        body += mixture(x, 68, np.eye(2)[i]) + vector(x, 74, VALUE[i])
    body += bands(probs)
    for word, x, row, values in zip(WORDS, COLUMNS, probs, context, strict=True):
        body += vector(x, BOTTOM + 6, values) + mixture(x, BOTTOM + 44, row)
        body += text(x, BOTTOM + 80, word, 25, ' font-style="italic"')
    body += text(240, BOTTOM + 108, "what each word has become", 16)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 416" role="img" '
        f'aria-label="Self-attention between two words: {about}.">'
        '<rect width="480" height="416" rx="10" fill="var(--cover-paper, #fdfcf9)"/>'
        '<g fill="var(--cover-ink, #24292f)" text-anchor="middle" '
        'font-family="var(--cover-font, Georgia, serif)">'
        f"{body}</g></svg>\n"
    )


if __name__ == "__main__":
    TARGET.write_text(cover(), encoding="utf-8")
