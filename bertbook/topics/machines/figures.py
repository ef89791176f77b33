"""What processes send each other, drawn for Chapter 24: an all-reduce, a pipeline, two halves."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from bertbook.core.figures import picture
from bertbook.core.html import Html
from bertbook.core.palette import PALETTE

GRADIENTS = np.array([-4.0, 8.0, 0.0, -2.0])
DIVISIONS = ("the first label", "the first two", "the first three", "no label")
PARTS_OF_A_PIPELINE = 4


def all_reduce_drawn(first: str) -> Html:
    """Draw what two processes send of four labels, and what comes back."""
    cut = (DIVISIONS.index(first) + 1) % 4
    parts = GRADIENTS[:cut], GRADIENTS[cut:]
    sums, labels = [part.sum() for part in parts], [*map(len, parts)]
    means = [s / n if n else np.nan for s, n in zip(sums, labels)]
    averaged = f"({means[0]:.3g} + {means[1]:.3g}) / 2 = {np.mean(means):.3g}"
    figure, axes = _canvas((5.2, 3.4), (0, 10), (-0.4, 4.2))
    for rank, height in enumerate((3.3, 1.0)):
        color, middle = PALETTE[rank], 2.15 + (height - 2.15) / 4
        said = f"process {rank}", f"sum {sums[rank]:.0f}", f"labels {labels[rank]}"
        _write(axes, 1.35, height, said, color)
        _write(axes, 8.7, height, [f"{sum(sums):.0f} / 4 = {sum(sums) / 4:.1f}"], color)
        _arrow(axes, (2.65, height), (3.75, middle), color)
        _arrow(axes, (6.35, middle), (7.4, height), color)
    added = f"{sums[0]:.0f} + {sums[1]:.0f} = {sum(sums):.0f}"
    _write(axes, 5.05, 2.15, ["add up", added, f"{labels[0]} + {labels[1]} = 4"], PALETTE[2])
    _write(axes, 5.05, -0.15, [f"average of averages: {averaged}"])
    return picture(
        figure,
        alt=f"Process 0 sends the sum {sums[0]:.0f} and the count {labels[0]}, process 1 the sum "
        f"{sums[1]:.0f} and the count {labels[1]}, to a box that adds them up to 2 and 4. Arrows "
        f"lead back to both, which divide and have 0.5. Below: average of averages {averaged}.",
    )


def idle_share(parts: int, pieces: int) -> float:
    """Compute which share of its time each part of a pipeline waits, if all steps take as long.

    >>> idle_share(4, 1)
    0.75
    """
    return (parts - 1) / (pieces + parts - 1)


def pipeline_drawn(pieces: int) -> Html:
    """Draw who works on which piece of a batch when: four processes, three layers each."""
    steps = pieces + PARTS_OF_A_PIPELINE - 1
    figure, axes = _canvas((4.7, 2.6), (-0.8 * steps, 3 * steps), (-1.5, 4.9))
    for part in range(PARTS_OF_A_PIPELINE):
        row = PARTS_OF_A_PIPELINE - 1 - part
        layers = f"layers {3 * part + 1}–{3 * part + 3}"
        scale = steps / 7
        axes.text(-0.2 * scale, row + 0.5, layers, ha="right", va="center", fontsize=12)
        for piece in range(pieces):
            back = 3 * steps - 2 * (part + piece + 1)  # the way back takes twice as long
            for start, width, shade in ((part + piece, 1, 0.85), (back, 2, 0.45)):
                axes.add_patch(Rectangle((start, row), width, 0.9, facecolor=PALETTE[piece % 4],
                                         alpha=shade, edgecolor="0.5", linewidth=0.5))  # fmt: skip
    for at, text in ((steps / 2, "forward →"), (2 * steps, "← backward")):
        axes.text(at, -0.7, text, ha="center", va="center", fontsize=12)
    waits = idle_share(PARTS_OF_A_PIPELINE, pieces)
    axes.text(
        1.5 * steps, 4.5, f"each process waits {waits:.0%} of the time", ha="center", fontsize=12
    )
    return picture(
        figure,
        alt=f"A schedule of four processes with three layers each, and a batch cut into {pieces}. "
        "On the way forward process 0 begins, and each piece goes on to the next process one step "
        "later; on the way back, whose cells are twice as wide, process 3 begins. The rest is "
        f"empty: each process waits {waits:.0%} of the time.",
    )


def halves_drawn() -> Figure:
    """Draw a feed-forward part on two processes: columns of one matrix, rows of the next.

    Returns:
        The drawing, for :func:`picture`.
    """
    figure, axes = _canvas((5.6, 3.2), (-0.8, 11.9), (-0.3, 4.6))
    _write(axes, 0.4, 2.15, ["x"], PALETTE[2])
    for rank, height in enumerate((3.4, 0.9)):
        color = PALETTE[rank]
        axes.text(5.35, height + 0.85, f"process {rank}", ha="center", fontsize=11)
        _arrow(axes, (1.6, 2.15), (2.35, height), color)
        _write(axes, 3.6, height, ["half the", "columns"], color)
        _arrow(axes, (4.8, height), (5.95, height), color)
        axes.text(5.35, height + 0.1, "GELU", ha="center", fontsize=11)
        _write(axes, 7.2, height, ["the same", "rows"], color)
        _arrow(axes, (8.4, height), (9.15, 2.15 + (height - 2.15) / 4), color)
    _write(axes, 10.45, 2.15, ["add up", "the two"], PALETTE[2])
    return figure


def _canvas(
    size: tuple[float, float], across: tuple[float, float], upward: tuple[float, float]
) -> tuple[Figure, Axes]:
    figure, axes = plt.subplots(figsize=size)
    axes.set(xlim=across, ylim=upward)
    axes.axis("off")
    return figure, axes


def _write(axes: Axes, x: float, y: float, lines: Sequence[str], color: str = "") -> None:
    """Write lines around a point, into a box if there is a color."""
    if color:
        box = FancyBboxPatch(
            (x - 1.05, y - 0.2 * len(lines)), 2.1, 0.4 * len(lines), edgecolor=color,
            boxstyle="round,pad=0.1", facecolor="none", linewidth=1.6,
        )  # fmt: skip
        axes.add_patch(box)
    for i, line in enumerate(lines):
        height = y + 0.4 * ((len(lines) - 1) / 2 - i)
        shown = line.replace("+ -", "- ").replace("-", "−")
        axes.text(x, height, shown, ha="center", va="center", fontsize=11)


def _arrow(axes: Axes, tail: tuple[float, float], tip: tuple[float, float], color: str) -> None:
    axes.annotate("", tip, tail, arrowprops={"arrowstyle": "->", "color": color, "lw": 1.8})
