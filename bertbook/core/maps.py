"""Attention maps small enough that a page can hold hundreds of them. Chapter 20."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

import numpy as np
from jaxtyping import Float

from .palette import PALETTE

LEVELS = 10  # of color; a share below half a level is not drawn
STRONGEST = 0.8  # opacity; the map has no text on its cells


def small_map(
    probs: Float[np.ndarray, "rows columns"],
    alt: str,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> str:
    """Draw attention as an SVG of a few hundred letters, in ten strengths of one color.

    Args:
        probs: Who looks (rows) at whom (columns); between 0 and 1.
        alt: What is to be seen, in words.
        rows, columns: Labels; none are written otherwise.

    Returns:
        HTML.

    Raises:
        ValueError: If `alt` is empty, or there are labels and their number does not fit.

    >>> small_map(np.array([[1.0, 0.0]]), "The first token gets everything.").count("M0 0h1")
    1
    """
    if not alt.strip():
        raise ValueError("a map needs an alt text: say in one sentence what it shows")
    if (rows or columns) and probs.shape != (len(rows), len(columns)):
        raise ValueError(
            f"probs has shape {probs.shape} but there are {len(rows)} row labels and "
            f"{len(columns)} column labels"
        )
    left, top = (0.45 * max(map(len, labels), default=0) + 0.4 for labels in (rows, columns))
    height, width = probs.shape
    box = f"{-left:g} {-top:g} {width + left + 0.1:g} {height + top + 0.1:g}"
    return (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="{box}" '
        f'fill="none" style="width:100%">{_cells(probs)}'
        f'<path stroke="currentColor" stroke-width=".04" opacity=".5" '
        f'd="M0 0h{width}v{height}h-{width}z"/>{_labels(rows, columns)}</svg>'
    )


def _cells(probs: np.ndarray) -> str:
    """Write one path of thick lines for each strength; neighbors of one strength share a line."""
    strengths = np.round(probs * LEVELS).astype(int)
    paths: dict[int, str] = {}
    for row, line in enumerate(strengths.tolist()):
        column = 0
        for strength, run in groupby(line):
            length = len(list(run))
            if strength:
                paths[strength] = paths.get(strength, "") + f"M{column} {row}h{length}"
            column += length
    lines = "".join(
        f'<path opacity="{STRONGEST * strength / LEVELS:.2f}" d="{d}"/>'
        for strength, d in sorted(paths.items())
    )
    return f'<g stroke="{PALETTE[0]}" transform="translate(0 .5)">{lines}</g>'


def _labels(rows: Sequence[str], columns: Sequence[str]) -> str:
    """Write labels on the left, and upright ones on top."""
    if not (rows or columns):
        return ""
    beside, above = (
        "".join(f'<text y="{i}.7">{escape(label)}</text>' for i, label in enumerate(labels))
        for labels in (rows, columns)
    )
    return (
        '<g fill="currentColor" font-size=".7"><g text-anchor="end" transform="translate(-.3)">'
        f'{beside}</g><g transform="rotate(-90)translate(.3)">{above}</g></g>'
    )
