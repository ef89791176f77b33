"""The roofline: what a part computes per byte, and the bound of a machine. Chapter 23."""

import statistics
from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from bertbook.core.palette import PALETTE

# where the name of a part stands beside its point, so that none crosses the bound
LABELS = {
    "feed-forward": ((-9, -13), "center"),
    "LayerNorm": ((-7, -4), "right"),
    "attention, table": ((5, -10), "left"),
    "attention, fused": ((-4, -9), "right"),
}


def machine_speeds(record: Mapping) -> tuple[float, float]:
    """Read the two speeds of the machine of a record."""
    seconds = record["seconds"]
    return (
        record["product_operations"] / statistics.median(seconds["product"]),
        record["copy_bytes"] / statistics.median(seconds["copy"]),
    )


def draw_roofline(record: Mapping) -> Figure:
    """Draw the bound over the operations per byte, and where each part of BERT base came out."""
    speed, width = machine_speeds(record)
    figure, axes = plt.subplots(figsize=(5.2, 3.7))
    ends = [0.6, speed / width, 400]
    axes.loglog(ends, [min(speed, width * x) / 1e9 for x in ends], color="0.5")
    axes.axvline(speed / width, ymin=0.72, color="0.5", linewidth=0.8, linestyle=":")
    for name, part in record["parts"].items():
        kind, rows = name.rsplit(", ", 1)
        color = PALETTE[rows == "32 × 128"]
        x = part["operations"] / part["bytes"]
        y = part["operations"] / statistics.median(record["seconds"][name]) / 1e9
        axes.plot(x, y, "o", color=color)
        shift, side = LABELS[kind]
        label = kind.replace(", table", " with table").replace(",", "")
        axes.annotate(
            label, (x, y), shift, textcoords="offset points", ha=side, va="center", fontsize=11
        )
    for rows, color, y in (("1 × 8 tokens", PALETTE[0], 5.5), ("32 × 128 tokens", PALETTE[1], 3.6)):
        axes.text(400, y, rows, color=color, ha="right", fontsize=11)
    axes.set_xlabel("operations per byte", fontsize=11)
    axes.set_ylabel("billion operations per second", fontsize=11)
    axes.tick_params(labelsize=11)
    axes.set(xlim=(0.13, 800), ylim=(1, 130), yticks=[1, 10, 100], yticklabels=["1", "10", "100"])
    axes.set(xticks=[1, 10, 100], xticklabels=["1", "10", "100"])
    return figure
