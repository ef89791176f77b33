"""One row on its way through a layer: two skip connections, and every number. Chapter 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from jaxtyping import Float
from numpy import ndarray

from bertbook.core.html import Html, matrix
from bertbook.core.interactive import explore
from bertbook.core.palette import PALETTE

if TYPE_CHECKING:
    from bertbook.core.widgets import LiveFigure

# name: label, width of its box, shape in BERT base, what happens there; from bottom to top
_BOXES = {
    "hidden_states": ("X", 60, [1, 10, 768], "X: a vector for each token."),
    "probs": ("attention weights", 150, [1, 12, 10, 10],
        "Which token looks at which. One table for each head."),
    "context": ("mix the values", 150, [1, 10, 768], "What the heads found, side by side."),
    "mixed": ("dense", 150, [1, 10, 768],
        "A linear layer mixes what the heads found. Here it changes nothing."),
    "between": ("+ and LayerNorm: A", 150, [1, 10, 768],
        "A: X is added, past attention, and LayerNorm rescales each row."),
    "wide": ("widen", 200, [1, 10, 3072], "Each token on its own: widened."),
    "active": ("GELU", 200, [1, 10, 3072], "GELU: what is far below 0 is stopped."),
    "narrow": ("narrow", 150, [1, 10, 768], "As narrow as before."),
    "summed": ("+", 60, [1, 10, 768], "A is added, past the network."),
    "output": ("LayerNorm: Y", 150, [1, 10, 768],
        "Y: LayerNorm. The same shape as X, so another layer can follow."),
}  # fmt: skip
_NAMES = [*_BOXES]
_ROADS = (("hidden_states", "between"), ("between", "summed"))
_BOTTOM, _STEP = 448, 46  # in the units of the drawing


def walk_layer(
    steps: Mapping[str, Float[ndarray, "..."]], words: Sequence[str], *, caption: str
) -> Html | LiveFigure:
    """Show a row on its way through a layer, step by step.

    Args:
        steps: What each step gives, for one row of a batch and one head, under the names of the
            figure.
        words: The tokens.
        caption: What to try and what to watch.

    Returns:
        A displayable figure with a slider.
    """
    return explore(partial(_draw, steps, words), caption=caption, step=_NAMES)


def _draw(steps: Mapping[str, ndarray], words: Sequence[str], step: str) -> str:
    """Draw the machine with one box marked, and the numbers that come out of it."""
    _, _, in_base, text = _BOXES[step]
    numbers = steps[step].reshape(len(words), -1)
    columns = words if step == "probs" else [str(i + 1) for i in range(numbers.shape[1])]
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em">'
        f'{_machine(step)}<div style="flex:1 1 17em;min-width:0">'
        f"<p><strong>{step}.</strong> {text}</p>{matrix(numbers, words, columns)}"
        f"<p>shape here {list(steps[step].shape)}, in BERT base {in_base}</p></div></div>"
    )


def _machine(marked: str) -> str:
    """Draw the layer from X, at the bottom, to Y, at the top."""
    drawn = "".join(_road(*ends) for ends in _ROADS) + "".join(_box(n, marked) for n in _NAMES)
    return (
        '<svg viewBox="0 0 310 475" width="310" role="img" aria-label="The layer as boxes from X '
        f"to Y, with two skip connections past the halves; {_BOXES[marked][0]} is marked"
        f'">{drawn}</svg>'
    )


def _height(name: str) -> int:
    return _BOTTOM - _STEP * _NAMES.index(name)


def _box(name: str, marked: str) -> str:
    """Draw a box, and the arrow to the next one."""
    label, width, *_ = _BOXES[name]
    y, color = _height(name), PALETTE[1] if name == marked else PALETTE[7]
    arrow = (
        f'<path d="M150 {y - 15} v-14" stroke="currentColor" stroke-width="1.5"/>'
        f'<path d="M150 {y - 30} l-4 8 h8 z" fill="currentColor"/>'
    )
    return ("" if name == _NAMES[-1] else arrow) + (
        f'<rect x="{150 - width / 2}" y="{y - 15}" width="{width}" height="30" rx="6" '
        f'fill="{color}" fill-opacity="{0.5 if name == marked else 0.15}" stroke="{color}"/>'
        f'<text x="150" y="{y + 5}" text-anchor="middle" font-size="14" '
        f'fill="currentColor">{label}</text>'
    )


def _road(low: str, high: str) -> str:
    """Draw an arrow from one box past others to a higher one."""
    start, end = _height(low), _height(high)
    left, right = 150 + _BOXES[low][1] / 2, 152 + _BOXES[high][1] / 2
    return (
        f'<path d="M{left} {start} C 330 {start}, 330 {end}, {right + 3} {end}" fill="none" '
        f'stroke="{PALETTE[2]}" stroke-width="3"/>'
        f'<path d="M{right} {end} l12 -6 v12 z" fill="{PALETTE[2]}"/>'
    )
