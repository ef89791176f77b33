"""The toy BERT as a drawing: from the words of a sentence to its loss, and to the ladder.

Chapter 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

_WORDS = ("the", "cat", "[MASK]", "on", "the", "mat")
_STAGES = {"Z": 112, "128": 168, "89 logits": 224}
_STEPS = {"dropout, + X, LayerNorm": 156, "dense, GELU": 212, "compare with E, softmax": 268}
# Where the name of a step of the ladder stands at the scale: its height, and its side.
_NAMES = {
    "uniform": (350, "end"),
    "unigram": (394, "middle"),
    "neighbors": (394, "middle"),
    "bag": (394, "start"),
    "floor": (410, "start"),
}
_ALT = (
    "From top to bottom: six words, of which the third is hidden; a row of 128 numbers for each; "
    "attention gathers them in the row of the hidden word; it is refined, compared with every row "
    "of the table, and turned into the probability of the true word and its loss. Below, the loss "
    "stands on a scale with the steps of the ladder."
)


def toy_machine(probability: float, ladder: Mapping[str, float]) -> str:
    """Draw how the toy of Chapter 5 computes its loss for a hidden word.

    Args:
        probability: What the model gives to the true word.
        ladder: Uniform, unigram, neighbors, bag and floor; nats.

    Returns:
        A drawing in SVG, for :func:`bertbook.core.html`.
    """
    drawn, lines = _words()
    for text, y in _STAGES.items():
        drawn += _box(151, y, 76, text)
        lines += f"M151 {y + 24}V{y + 56}"
    drawn += _box(151, 280, 130, f"p(sits) = {probability:.4f}")
    drawn += _note(181, 45, "E: each id picks its row", "middle")
    drawn += _note(196, 128, "attention: looks at all six")
    drawn += "".join(_note(163, y, text) for text, y in _STEPS.items())
    drawn += _note(160, 322, f"−ln {probability:.4f} = {-math.log(probability):.2f} nats")
    drawn += _scale(ladder)
    end = _on_scale(-math.log(probability))
    lines += f"M151 304V318Q151 331 164 331H{end - 13:.0f}Q{end:.0f} 331 {end:.0f} 344V361"
    return (
        f'<svg role="img" aria-label="{_ALT}" viewBox="0 0 362 420" font-size="11" '
        f'style="width:min(100%,420px);height:auto" fill="currentColor"><path d="{lines}" '
        f'fill="none" stroke="#2f7ec4" stroke-width="1.4"/>{drawn}</svg>'
    )


def _words() -> tuple[str, str]:
    """Draw the words, their vectors, and the lines to the hidden one."""
    drawn = lines = ""
    for i, word in enumerate(_WORDS):
        x = 31 + 60 * i
        drawn += _box(x, 2, 54, word) + _box(x, 56, 54, "128")
        lines += f"M{x} 26V33M{x} 49V56M{x} 80C{x} 104 151 88 151 112"
    return drawn, lines


def _scale(ladder: Mapping[str, float]) -> str:
    """Draw the scale of losses with the steps of the ladder."""
    drawn = '<path d="M14 366H350" stroke="currentColor"/>'
    for name, loss in ladder.items():
        x, (y, side) = _on_scale(loss), _NAMES[name]
        drawn += f'<circle cx="{x:.0f}" cy="366" r="4.5"/>'
        if y > 366:  # above the scale, the line from the loss ends at the dot
            drawn += f'<path d="M{x:.0f} 366V{y - 10}" stroke="#75797f"/>'
        drawn += _note(x - 5 * (side == "end"), y, f"{name} {loss:.3f}", side)
    return drawn


def _on_scale(loss: float) -> float:
    """Return where a loss stands on a logarithmic scale across the drawing."""
    return 24 + 310 * math.log(loss / 0.07) / math.log(5 / 0.07)


def _box(x: float, y: float, width: float, text: str) -> str:
    return (
        f'<rect x="{x - width / 2:g}" y="{y}" width="{width}" height="24" rx="5" fill="none" '
        f'stroke="currentColor"/>{_note(x, y + 16, text, "middle")}'
    )


def _note(x: float, y: float, text: str, side: str = "start") -> str:
    return f'<text x="{x:g}" y="{y}" text-anchor="{side}">{text}</text>'
