"""Rotary pairs as the hands of a clock, each with a speed of its own. Chapter 25."""

from __future__ import annotations

import math

from bertbook.core.palette import PALETTE

SPEEDS = (1.0, 0.1, 0.01, 0.001)  # radians per position of a head of 8 numbers, theta 10,000
WIDTH, HEIGHT, RADIUS = 88, 132, 36  # of one dial, and of its circle


def rotary_dials(position: int, distance: int) -> str:
    """Draw four pairs of one query and one key, each turned by its own angle per position.

    Args:
        position: Where the query stands; the key stands `distance` further on.
        distance: From the query to the key, positions.

    Returns:
        HTML. Below each dial stands the product of its two hands, each of length 1.
    """
    products = [math.cos(distance * speed) for speed in SPEEDS]
    dials = "".join(
        f'<g transform="translate({WIDTH * (i + 0.5):g} 66)">'
        f"{_dial(position, distance, speed, product)}</g>"
        for i, (speed, product) in enumerate(zip(SPEEDS, products))
    )
    return (
        f'<svg viewBox="0 0 {4 * WIDTH} {HEIGHT}" role="img" aria-label="four dials, each with '
        'the hands of a query and a key" style="width:100%;max-width:34em;height:auto">'
        f'<g font-size="12.5" text-anchor="middle" fill="currentColor">{dials}</g></svg>'
        f'<p><b style="border-bottom:3px solid {PALETTE[0]}">query {position}</b> (short hand) · '
        f'<b style="border-bottom:3px solid {PALETTE[1]}">key {position + distance}</b> '
        f"(long hand) = {_number(sum(products))}</p>"
    )


def _dial(position: int, distance: int, speed: float, product: float) -> str:
    """Draw one pair around its center: its speed, both hands, and their product."""
    return (
        f'<text y="-{RADIUS + 12}">{speed:g} rad</text>'
        f'<circle r="{RADIUS}" fill="none" stroke="{PALETTE[-1]}"/>'
        + _hand((position + distance) * speed, RADIUS, PALETTE[1], 3)
        + _hand(position * speed, 0.7 * RADIUS, PALETTE[0], 5)
        + f'<text y="{RADIUS + 22}" font-weight="600">{_number(product)}</text>'
    )


def _hand(angle: float, length: float, color: str, width: int) -> str:
    """Draw a hand that stands upright at angle 0 and turns against the clock."""
    x, y = -length * math.sin(angle), -length * math.cos(angle)
    return (
        f'<line x1="0" y1="0" x2="{x:.1f}" y2="{y:.1f}" stroke="{color}" stroke-width="{width}" '
        'stroke-linecap="round"/>'
    )


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
