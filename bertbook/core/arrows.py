"""Arrows in the plane: words whose vectors have two numbers, turning. Chapters 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from .palette import PALETTE

WIDTH, HEIGHT, UNIT = 520, 346, 50  # of the drawing, and of one count
LEFT, FLOOR = 62, 300  # where both counts are 0
GRAY = PALETTE[-1]
# As wide as its column; beside a control on a phone its letters have 10 pixels.
OPENING = '<svg role="img" aria-label="{}" viewBox="0 0 {} {}" style="width:100%;height:auto">'


def arrow_map(
    static: Mapping[str, Sequence[float]],
    turned: Mapping[str, Sequence[float]],
    *,
    alt: str,
    axes: tuple[str, str],
    notes: Sequence[str] = (),
) -> str:
    """Draw words as arrows from 0: some thin and gray, some in color.

    Args:
        static, turned: Label to the two numbers of a vector; gray arrows, and arrows in color;
            between 0 and 5.5.
        alt: What is to be seen, in words.
        axes: What the first and the second number are.
        notes: Lines of text beside the drawing.

    Returns:
        HTML.

    >>> arrow_map({}, {"light": [2, 2]}, alt="An arrow.", axes=("x", "y")).count(">light<")
    1
    """
    drawn = "".join(_arrow(name, vector, GRAY, 1.6) for name, vector in static.items())
    for color, (name, vector) in zip(PALETTE, turned.items()):
        drawn += _arrow(name, vector, color, 4)
    drawn += "".join(
        _text(WIDTH - 4, 40 + 24 * i, note, 'text-anchor="end"') for i, note in enumerate(notes)
    )
    return (
        OPENING.format(escape(alt), WIDTH, HEIGHT)
        + f'<g fill="currentColor" font-size="17">{_axes(*axes)}{drawn}</g></svg>'
    )


def _axes(across: str, up: str) -> str:
    """Draw both axes with a mark at each count."""
    end, top = LEFT + 5.5 * UNIT, FLOOR - 5.5 * UNIT
    marks = "".join(
        _text(LEFT + i * UNIT, FLOOR + 20, f"{i}", 'text-anchor="middle"')
        + _text(LEFT - 8, FLOOR - i * UNIT + 5, f"{i}", 'text-anchor="end"')
        for i in range(1, 6)
    )
    line = f'<path d="M{LEFT} {top:g}V{FLOOR}H{end:g}" fill="none" stroke="{GRAY}"/>'
    turn = f'text-anchor="middle" transform="rotate(-90 18 {FLOOR - 2.7 * UNIT:g})"'
    names = _text(LEFT + 2.75 * UNIT, HEIGHT - 3, across, 'text-anchor="middle"')
    return line + marks + names + _text(18, FLOOR - 2.7 * UNIT, up, turn)


def _arrow(name: str, vector: Sequence[float], color: str, width: float) -> str:
    """Draw an arrow with a head, and its name beside the tip."""
    x, y = LEFT + vector[0] * UNIT, FLOOR - vector[1] * UNIT
    angle = math.atan2(FLOOR - y, x - LEFT)
    size = 8 + 2 * width
    head = "".join(
        f"{'ML'[i > 0]}{x - size * math.cos(a):.1f} {y + size * math.sin(a):.1f}L{x:.1f} {y:.1f}"
        for i, a in enumerate((angle - 0.4, angle + 0.4))
    )
    below, bold = vector[1] < vector[0], width > 2
    # What has turned toward an arrow is named on the side away from it.
    dx, dy = (4, -12) if bold and below else (10, 16 if below else -3)
    label = _text(x + dx, y + dy, name, 'font-weight="600"' * bold)
    return (
        f'<path d="M{LEFT} {FLOOR}L{x:.1f} {y:.1f}{head}" fill="none" stroke="{color}" '
        f'stroke-width="{width:g}" stroke-linejoin="round"/>{label}'
    )


def _text(x: float, y: float, text: str, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(text)}</text>'
