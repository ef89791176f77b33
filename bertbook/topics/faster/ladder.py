"""The record of Chapter 23's ladder as tables and bars: each step beside the one before."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

from bertbook.core.html import Html, bars, html
from bertbook.core.tables import result_table

SAID = {
    "plain parts": "Everything padded to 128, scores at all positions.",
    "padded to the longest of the batch": "A narrower rectangle.",
    "scores at labels only": "The head works for 15 % of the positions.",
    "fused AdamW": "The optimizer makes one trip through memory.",
    "fast attention": "Divide the query; add no mask that hides nothing; draw dropout in bulk.",
    "length buckets": "Rows of one length meet.",
    "no padding": "Only real tokens; each sentence attends by itself.",
    "bfloat16": "Products of 16 bits: the first step that is not exact.",
    "compiled": "Operations on one token share trips through memory.",
}


def quartiles(slow: Sequence[float], fast: Sequence[float]) -> tuple[float, float, float]:
    """Compare two runs of each round: lower quartile, median and upper quartile of the ratios.

    Args:
        slow, fast: Seconds, one for each round.

    Returns:
        How many times as fast the second one is.

    >>> quartiles([3, 4, 5], [1, 1, 1])
    (3.0, 4.0, 5.0)
    """
    low, middle, high = statistics.quantiles([a / b for a, b in zip(slow, fast)], n=4)
    return low, middle, high


def ladder_table(race: Mapping, names: Sequence[str], first: str = "transformers") -> Html:
    """Put each step of a race beside the one before, and all beside one of them.

    Args:
        race: A race of the record: seconds of each round by name, and the tokens of a round.
        names: The steps, in their order.
        first: What all are compared with in the end.

    Returns:
        A table.
    """
    seconds, rows, last = race["seconds"], [], None
    for name in names:
        step = "" if last is None else _with_quartiles(*quartiles(seconds[last], seconds[name]))
        total = quartiles(seconds[first], seconds[name])[1]
        speed = race["tokens"] / statistics.median(seconds[name])
        rows.append([name, step, f"{total:.2f}", f"{speed:.0f}"])
        last = name
    shown = result_table(["× the one above", f"× {first}", "tokens/s"], rows, "training")
    return html(shown, "How many times as fast; median and quartiles over rounds.")


def use_table(runs: Mapping[str, Mapping], corner: str) -> Html:
    """Say how fast each way to use a model is, and how far its vectors are off.

    Args:
        runs: Seconds of each round, and the cosines with the exact vectors in rising order, by
            name. The first one is what the others are compared with.
        corner: What was encoded.

    Returns:
        A table.
    """
    rival = next(iter(runs))
    rows = [
        [
            name,
            _with_quartiles(*quartiles(runs[rival]["seconds"], run["seconds"])),
            f"{statistics.median(run['cosines']):.4f}",
            f"{run['cosines'][0]:.4f}",
        ]
        for name, run in runs.items()
    ]
    shown = result_table([f"× {rival}", "cosine", "worst"], rows, corner)
    return html(shown, "How many times as fast, with quartiles; cosine to the exact vectors.")


def _with_quartiles(low: float, middle: float, high: float) -> str:
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def shares_of_peak(race: Mapping, names: Sequence[str]) -> dict[str, float]:
    """Divide useful products per second by those of one large product of float32 matrices.

    Args:
        race: A race of the record.
        names: Its steps.

    Returns:
        A share for each step, the median over rounds.
    """
    peak, work = race["seconds"]["product in float32"], race["useful_products"] / race["side"] ** 3
    return {
        name: statistics.median(work * a / b for a, b in zip(peak, race["seconds"][name]))
        for name in names
    }


def rung(race: Mapping, names: Sequence[str]) -> Callable[[str], str]:
    """Make the figure of the ladder: what a step changes, and the bars up to it.

    Args:
        race: A race of the record.
        names: The steps, in their order.

    Returns:
        From the name of a step to HTML.
    """
    shares = shares_of_peak(race, names)

    def draw(step: str) -> str:
        number, about = names.index(step), race["steps"][step]
        shown = [name if i <= number else "·" for i, name in enumerate(names)]
        values = [shares[name] if i <= number else 0.0 for i, name in enumerate(names)]
        speed = race["tokens"] / statistics.median(race["seconds"][step])
        off = about["gradient_difference"]
        exact = f"not exact: the gradient is off by {off:.1%}" if off > 1e-3 else "same gradient"
        return (
            f"<p>{SAID[step]} Padding {about['padding']:.0%}; {exact}. {speed:,.0f} tokens a "
            f"second.</p>{bars(shown, values, largest=max(shares.values()))}"
        )

    return draw
