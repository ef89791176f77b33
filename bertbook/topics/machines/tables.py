"""What Chapter 24 counts and measures, as tables: stages, one against two, bills."""

import statistics
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table
from bertbook.topics.faster.ladder import quartiles

BYTES = 4  # of a number in 32 bits


def memory_table(
    pencil: Callable[[int, int, int], tuple[float, float]], sizes: Mapping[str, int], processes: int
) -> Html:
    """Say what one of some processes keeps and sends at each stage, in gigabytes."""
    rows = []
    for name, size in sizes.items():
        for stage in range(4):
            kept, sent = (BYTES * n / 1e9 for n in pencil(stage, size, processes))
            rows.append([f"{name}, stage {stage}", f"{kept:.2f}", f"{sent:.2f}"])
    shown = result_table(["GB kept", "GB sent an update"], rows, f"one of {processes} processes")
    return html(shown, "Numbers of 32 bits; activations come on top.")


def talk_seconds(record: Mapping, parameters: int) -> float:
    """Read from the record how long an all-reduce of so many numbers takes."""
    sizes = [int(size) for size in record["all_reduce"]]
    medians = [statistics.median(seconds) for seconds in record["all_reduce"].values()]
    return float(np.exp(np.interp(np.log(parameters), np.log(sizes), np.log(medians))))


def fixed_seconds(updates: Mapping[str, Mapping[str, Sequence[float]]]) -> float:
    """Compute what an update takes without any row: the line through its fewest and most rows."""
    times = {int(rows): statistics.median(both["one"]) for rows, both in updates.items()}
    few, many = min(times), max(times)
    return times[few] - few * (times[many] - times[few]) / (many - few)


def both_bounds(alone: float, talk: float, fixed: float) -> tuple[float, float]:
    """Predict how many times as fast two processes are: one after the other, and overlapped.

    >>> both_bounds(8.0, 4.0, 0.0)
    (1.0, 2.0)
    """
    computing = (alone - fixed) / 2
    return alone / (fixed + computing + talk), alone / (fixed + max(computing, talk))


def updates_table(record: Mapping) -> Html:
    """Put how many times as fast two processes were beside both bounds of the formula."""
    rows = []
    for name, updates in record["updates"].items():
        size = record["parameters"][name]
        talk, fixed = talk_seconds(record, size), fixed_seconds(updates)
        for count, both in updates.items():
            alone = statistics.median(both["one"])
            low, middle, high = quartiles(both["one"], both["two"])
            bounds = (both_bounds(alone, talk, each) for each in (0.0, fixed))
            rows.append([
                f"{size / 1e6:.1f} million, {int(count) * record['tokens_per_row']:,}",
                f"{1000 * alone:.0f}", f"{middle:.2f} [{low:.2f}, {high:.2f}]",
                *(f"{first:.2f} to {last:.2f}" for first, last in bounds),
            ])  # fmt: skip
    heads = ["alone, ms", "× in two", "formula", "… and fixed work"]
    shown = result_table(heads, rows, "parameters, tokens")
    return html(
        shown,
        "How many times as fast two are, with quartiles of 15 rounds; then what the formula says, "
        "from no overlap to full overlap, without and with the work that no row makes longer.",
    )


def bills_table(bills: Mapping[str, tuple[float, float]]) -> Html:
    """List what training runs cost: 6 operations for each parameter and token."""
    rows = [
        [name, f"{size / 1e6:.0f}", f"{tokens / 1e9:,.0f}", f"{6 * size * tokens:.1e}"]
        for name, (size, tokens) in bills.items()
    ]
    shown = result_table(["million parameters", "billion tokens", "operations"], rows, "run")
    return html(shown, "6ND for each run.")


def talk_table(sent: Mapping[str, tuple[str, float]]) -> Html:
    """Say what each way to divide the work sends."""
    rows = [[name, what, f"{numbers / 1e6:,.0f}"] for name, (what, numbers) in sent.items()]
    shown = result_table(["sends", "million numbers"], rows, "divided")
    return html(shown, "BERT base, 256 rows of 512 tokens, eight processes: sent by one of them.")
