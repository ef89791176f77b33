"""Steps of training on a GPU beside those on one processor core, as tables. Chapter 23."""

from __future__ import annotations

from collections.abc import Mapping

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table

from .ladder import quartiles

RIVAL = "transformers, SDPA"


def gpu_table(steps: Mapping[str, Mapping]) -> Html:
    """Show how long each way to train takes on a GPU, and its share of the peak.

    Args:
        steps: A size of a record of ``benchmarks.gpu`` whose rows are full.

    Returns:
        A table.
    """
    rival = steps[RIVAL]["milliseconds"]
    rows = [
        [
            name,
            f"{way['milliseconds']:.1f}",
            f"{rival / way['milliseconds']:.2f}",
            f"{way['mfu']:.3f}",
        ]
        for name, way in steps.items()
    ]
    shown = result_table(["ms", "× transformers", "MFU"], rows, "training")
    return html(shown, "Milliseconds of a step, and MFU.")


def both_ladders(record: Mapping, once: Mapping) -> dict[str, tuple[float, float]]:
    """Give the worth of two steps on a processor core and on a GPU: times as fast as before."""
    short, long = (record[part]["seconds"] for part in ("short", "long"))
    full, ragged = (
        {name: way["milliseconds"] for name, way in once["steps"][size].items()}
        for size in ("256 × 128", "64 × 512, ragged")
    )
    return {
        "no padding, rows by chance": (
            quartiles(long["fast attention"], long["no padding, no buckets"])[1],
            ragged["fast parts"] / ragged["no padding, nested tensors"],
        ),
        "compiled": (
            quartiles(short["bfloat16"], short["compiled"])[1],
            full["fast parts"] / full["fast, compiled"],
        ),
    }


def both_ladders_table(record: Mapping, once: Mapping) -> Html:
    """Put the worth of some steps on a processor core and on a GPU side by side.

    Args:
        record: ``records/ladder.json``.
        once: A record of ``benchmarks.gpu``.

    Returns:
        A table.
    """
    rows = [
        [name, *(f"{ratio:.2f}" for ratio in ratios)]
        for name, ratios in both_ladders(record, once).items()
    ]
    shown = result_table(["one core", once["origin"]["card"]], rows, "step")
    return html(shown, "How many times as fast as the step before.")
