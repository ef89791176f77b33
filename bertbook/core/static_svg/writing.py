"""Text without a font: how wide it is at most, and the lines into which it falls.

No machine's fonts are asked, so that the drawings are the same everywhere. Chapter 1.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby, pairwise
from typing import NamedTuple

NARROW, WIDE = "iljtfrI.,:;'’!|()[] ·", "mwMW@%—…"
LINE = 1.45


class Style(NamedTuple):
    """How a text is written."""

    size: float = 15
    bold: bool = False
    italic: bool = False
    mono: bool = False
    struck: bool = False
    color: str = ""
    behind: str = ""
    below: str = ""


class Box(NamedTuple):
    """A piece of a drawing whose upper left corner is the origin."""

    width: float
    height: float
    drawing: str = ""
    text: str = ""
    style: Style | None = None


def in_short(number: float) -> str:
    """Write a length with one decimal at most."""
    return f"{round(number, 1):g}"


def shifted(box: Box, x: float, y: float) -> str:
    """Draw a box somewhere else."""
    if not (x or y) or not box.drawing:
        return box.drawing
    return f'<g transform="translate({in_short(x)} {in_short(y)})">{box.drawing}</g>'


def rectangle(width: float, height: float, color: str, border: str = "", round: int = 0) -> str:
    """Draw a rectangle: its area, its border, or both."""
    corner = f' rx="{round}"' if round else ""
    line = f' stroke="{border}"' if border else ""
    return (
        f'<rect width="{in_short(width)}" height="{in_short(height)}" fill="{color or "none"}"'
        f"{line}{corner}/>"
    )


def width_of(text: str, style: Style) -> float:
    """Say how wide a text is at most, in any usual font."""
    if style.mono:
        return 0.62 * style.size * len(text)
    narrow = sum(letter in NARROW for letter in text)
    wide = sum(letter in WIDE or letter >= "⺀" for letter in text)
    capital = sum(letter.isupper() and letter not in WIDE + NARROW for letter in text)
    usual = len(text) - narrow - wide - capital
    ems = 0.36 * narrow + 1.0 * wide + 0.75 * capital + 0.63 * usual
    return style.size * ems * (1.12 if style.bold else 1)


def word_box(text: str, style: Style) -> Box:
    """Draw one word."""
    width, height = width_of(text, style), style.size * LINE
    drawing = rectangle(width, height, style.behind) if style.behind else ""
    if style.below:
        line = f'<rect y="{in_short(height - 2)}" width="{in_short(width)}" height="2"'
        drawing += f'{line} fill="{style.below}"/>'
    said = _attributes(style)
    drawing += f'<text y="{in_short(1.05 * style.size)}"{said}>{escape(text, quote=False)}</text>'
    return Box(width, height, drawing, text, style)


def _attributes(style: Style) -> str:
    """Write what differs from the usual text."""
    said = f' font-size="{in_short(style.size)}"' if style.size != Style().size else ""
    said += ' font-weight="600"' if style.bold else ""
    said += ' font-style="italic"' if style.italic else ""
    said += ' font-family="monospace" xml:space="preserve"' if style.mono else ""
    said += ' text-decoration="line-through"' if style.struck else ""
    return said + (f' fill="{style.color}"' if style.color else "")


def lines_of(pieces: list[Box | float], width: float, gap: float = 0, align: str = "left") -> Box:
    """Put boxes into lines; a number between them is a space, infinity the end of a line."""
    lines: list[list[tuple[float, Box]]] = [[]]
    x, space = 0.0, 0.0
    for piece in pieces:
        if not isinstance(piece, Box):
            if piece == float("inf"):
                lines.append([])
                x, space = 0.0, 0.0
            else:
                space = max(space, piece) if x else 0.0
        else:
            if x and x + space + piece.width > width + 0.5:
                lines.append([])
                x, space = 0.0, 0.0
            lines[-1].append((x + space, piece))
            x, space = x + space + piece.width, 0.0
    return stacked([_line(line, width, align) for line in lines], gap)


def _line(line: list[tuple[float, Box]], width: float, align: str) -> Box:
    """Draw one line; what is lower than the others stands in the middle."""
    height = max((box.height for _, box in line), default=0)
    long = max((x + box.width for x, box in line), default=0)
    free = {"center": (width - long) / 2, "right": width - long}.get(align, 0.0)
    free = free if free > 0 and width < float("inf") else 0.0
    drawn = (shifted(box, x + free, (height - box.height) / 2) for x, box in _joined(line))
    return Box(long + free, height, "".join(drawn))


def _joined(line: list[tuple[float, Box]]) -> Iterator[tuple[float, Box]]:
    """Write words that follow one another in one style as one text, with the font's own spaces."""
    for style, group in groupby(line, key=lambda placed: placed[1].style):
        placed = list(group)
        if style is None or style.behind or style.below:
            yield from placed
        else:
            runs = [[placed[0]]]
            for (x, before), now in pairwise(placed):
                if now[0] - x - before.width > 0.1:
                    runs[-1].append(now)
                else:
                    runs.append([now])
            yield from (
                (run[0][0], word_box(" ".join(box.text for _, box in run), style)) for run in runs
            )


def stacked(boxes: list[Box], gap: float = 0) -> Box:
    """Put boxes below each other."""
    drawing, y = "", 0.0
    boxes = [box for box in boxes if box.height]
    for box in boxes:
        drawing += shifted(box, 0, y)
        y += box.height + gap
    return Box(max((box.width for box in boxes), default=0), max(y - gap, 0), drawing)
