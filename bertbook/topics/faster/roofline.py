"""What a part computes and moves, beside the two speeds of a machine. Chapter 23."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table

A100 = 312e12 / 1.555e12  # operations a byte, by its data sheet: bfloat16, 40 GB
HALF = 2  # numbers of 16 bits are half as many bytes


def machine_speeds(record: Mapping) -> tuple[float, float]:
    """Read the two speeds of the machine of a record.

    Parameters
    ----------
    record : mapping
        ``records/roofline.json``.

    Returns
    -------
    tuple of float
        Operations a second of one large product, and bytes a second of one long copy; medians.
    """
    seconds = record["seconds"]
    return (
        record["product_operations"] / statistics.median(seconds["product"]),
        record["copy_bytes"] / statistics.median(seconds["copy"]),
    )


def waits_for(operations_a_byte: float, border: float) -> str:
    """Say what a part waits for.

    >>> waits_for(4.0, 4.5)
    'memory'
    """
    return "memory" if operations_a_byte < border else "products"


def roofline_table(record: Mapping) -> Html:
    """Put what each part takes at least beside what it took, and say what it waits for.

    Parameters
    ----------
    record : mapping
        ``records/roofline.json``.

    Returns
    -------
    Html
        A table.
    """
    speed, width = machine_speeds(record)
    rows = []
    for name, part in record["parts"].items():
        operations, moved = part["operations"], part["bytes"]
        least = max(operations / speed, moved / width)
        took = statistics.median(record["seconds"][name])
        rows.append([
            name.replace("table", "with its table"),
            f"{operations / moved:.1f}: {waits_for(operations / moved, speed / width)}",
            f"{1000 * least:.2f}", f"{1000 * took:.2f} ({took / least:.1f} ×)",
            waits_for(HALF * operations / moved, A100),
        ])  # fmt: skip
    heads = ["operations a byte: waits for", "at least, ms", "took, ms", "on an A100"]
    shown = result_table(heads, rows, "part, rows × tokens")
    return html(
        shown,
        "Four layers of BERT base in 32 bits: what the formula says, what they took (medians), and "
        "for what an A100 would wait in 16 bits, by its data sheet.",
    )
