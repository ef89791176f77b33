"""Pictures of arrays: numbers in, matplotlib ``Axes`` out.

The colors are chosen to keep a contrast of at least 3:1 on a white and on a dark page. Whatever
matplotlib draws in plain black takes the page's own text color when the figure is shown with
:func:`bertbook.core.picture`. Chapters 1, 2, 5 and 20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.ticker import NullLocator

from .palette import PALETTE

# From a hint of blue to a half-transparent blue: the page shines through, and its text color can be
# read on every shade, in light and in dark.
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "tint", [to_rgba(PALETTE[0], 0.05), to_rgba(PALETTE[0], 0.65)]
)


def new_axes(width: float = 4.5, height: float = 3.0) -> Axes:
    """Open a figure with one pair of axes without the box on top and right.

    Args:
        width, height: Size of the figure; 4.5 by 3 fits a phone; inches.

    Returns:
        Empty axes.
    """
    _, ax = plt.subplots(figsize=(width, height))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def attention_map(
    probs: Float[np.ndarray, "query key"],
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    ax: Axes | None = None,
    digits: int = 2,
) -> Axes:
    """Draw attention probabilities as a grid: who looks (rows) at whom (columns).

    Args:
        probs: Each row sums to 1; between 0 and 1.
        rows, columns: Tokens; columns default to the rows; lengths query and key.
        ax: Where to draw; a new figure otherwise.
        digits: Decimals written into the cells; 0 leaves them empty.

    Returns:
        The axes, with the grid drawn.

    Raises:
        ValueError: If the numbers of rows and columns do not fit the labels.
    """
    columns = rows if columns is None else columns
    if probs.shape != (len(rows), len(columns)):
        raise ValueError(
            f"probs has shape {probs.shape} but there are {len(rows)} row labels and "
            f"{len(columns)} column labels"
        )
    if ax is None:
        ax = new_axes(1.6 + 0.6 * len(columns), 1.0 + 0.5 * len(rows))
    ax.imshow(probs, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("looks")
    ax.set_title("at", fontsize=10)
    if digits:
        for (i, j), p in np.ndenumerate(probs):
            ax.text(j, i, f"{p:.{digits}f}", ha="center", va="center")
    return ax


def head_grid(values: Float[np.ndarray, "layers heads"], ax: Axes | None = None) -> Axes:
    """Draw one number for every head of a model: layers are rows, heads are columns.

    Args:
        values: A measure of each head, such as its share on one token; 1 has the strongest color,
            and what is at least one half is written into its cell; not negative.
        ax: Where to draw; a new figure otherwise.

    Returns:
        The axes, with the grid drawn; layers and heads are counted from 1.
    """
    layers, heads = values.shape
    ax = new_axes(0.8 + 0.42 * heads, 0.6 + 0.34 * layers) if ax is None else ax
    ax.imshow(values, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(heads), map(str, range(1, heads + 1)), fontsize=10)
    ax.set_yticks(range(layers), map(str, range(1, layers + 1)), fontsize=10)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel="head", ylabel="layer")
    for i, j in np.argwhere(values >= 0.5):
        text = f"{values[i, j]:.2f}".removeprefix("0")
        ax.text(j, i, text, ha="center", va="center", fontsize=10)
    return ax


def loss_curve(
    steps: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    levels: Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw losses over training steps, between horizontal levels that were computed.

    Args:
        steps: Training steps or epochs; length points.
        curves: One line each, of the same length as `steps`; nats.
        levels: Dashed lines with their names, for example the exact floor; nats.
        ax: Where to draw; a new figure otherwise.

    Returns:
        The axes, with curves and levels drawn.
    """
    ax = new_axes(4.8, 3.2) if ax is None else ax
    for color, (name, values) in zip(PALETTE, curves.items()):
        ax.plot(steps, values, color=color, label=name, linewidth=1.6)
    for name, value in (levels or {}).items():
        ax.plot([steps[0], steps[-1]], [value, value], color="#75797f", linestyle="--", linewidth=1)
        beside = {"xytext": (4, 0), "textcoords": "offset points"}
        ax.annotate(name, (steps[-1], value), va="center", fontsize=8, **beside)
    ax.set_ylabel("loss (nats)")
    if len(curves) > 1:
        ax.legend(frameon=False, fontsize=8)
    return ax


def centered_lines(axes: Axes, x: float, y: float, text: str, fontsize: float = 10) -> None:
    """Write lines of text around a point, each centered by itself.

    Matplotlib would place the lines of one text by the widths of its own font; a page has another,
    and each line would stand aside by another distance.

    Args:
        axes: Where to write.
        x, y: The middle of all lines, in the numbers of the axes.
        text: Lines, with a line break between them.
        fontsize: In points.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        above = ((len(lines) - 1) / 2 - number) * 1.25 * fontsize
        axes.annotate(
            line, (x, y), (0, above), textcoords="offset points", ha="center", va="center",
            fontsize=fontsize,
        )  # fmt: skip


def what_parts_buy(record: Mapping[str, Any], upto: str) -> Axes:
    """Draw what each part has bought the toy so far: one row more with every part.

    Each dot is one seed, and an upright line is their mean. On a logarithmic axis a length from
    some foot would say nothing, so there are no bars. The newest part has a color of its own.

    Args:
        record: ``records/toy_parts.json``, as ``json.load`` returns it.
        upto: The newest part to be drawn, such as "heads".

    Returns:
        The axes, with the rows from top to bottom. Their loss axis is the same for every part.

    Raises:
        ValueError: If the record has no such part.
    """
    parts = [row["part"] for row in record["rows"]]
    if upto not in parts:
        known = ", ".join(dict.fromkeys(parts))
        raise ValueError(f"there is no part {upto!r}; the parts are {known}")
    count = len(parts) - parts[::-1].index(upto)
    ax = new_axes(5.2, 1.1 + 0.3 * count)
    floor, bag = record["ladder"]["full"], record["ladder"]["bag"]
    for place, row in enumerate(record["rows"][:count]):
        losses, color = row["runs"]["loss"], PALETTE[row["part"] == upto]
        ax.vlines(np.mean(losses), place - 0.3, place + 0.3, color=color, linewidth=2.5)
        ax.scatter(losses, [place] * len(losses), s=16, color=color, alpha=0.7, zorder=2)
    for name, level in {"floor": floor, "a bag's best": bag}.items():
        ax.axvline(level, color="#75797f", linestyle="--", linewidth=1)
        ax.text(level, -0.6, f" {name}", fontsize=9, rotation=20)
    ax.set_yticks(range(count), [row["name"] for row in record["rows"][:count]])
    ax.set_ylim(count - 0.5, -0.5)
    highest = max(max(row["runs"]["loss"]) for row in record["rows"])
    ax.set(xscale="log", xlim=(0.93 * floor, 1.1 * highest))
    ax.set_xlabel("loss (nats): a dot per seed, a bar at the mean")
    ax.xaxis.set_minor_locator(NullLocator())
    ticks = [tick for tick in (0.1, 0.2, 0.3, 0.5, 1) if tick < 1.1 * highest]
    ax.set_xticks(ticks, map(str, ticks))
    return ax
