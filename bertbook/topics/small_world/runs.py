"""The records of Chapter 14 as tables: the full runs, and those that could learn to copy."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from bertbook.core.attention_maps import grouped_interval
from bertbook.core.html import Html, html
from bertbook.core.tables import result_table
from bertbook.topics.training_loop.runs import with_sd

DRAWS = 1000


def levels_table(levels: Mapping[str, float], caption: str) -> Html:
    """Show the steps of a ladder, or other losses, one a row.

    Args:
        levels: Names and losses in nats.
        caption: What they are.

    Returns:
        A table.
    """
    rows = [[name, f"{loss:.3f}"] for name, loss in levels.items()]
    return html(result_table(["nats"], rows), caption=caption)


def runs_table(record: dict) -> Html:
    """Show what the full runs reach: mean and sd over seeds.

    Args:
        record: ``records/small_world.json``.

    Returns:
        A table with two rows.
    """
    unigram = record["ladder"]["unigram"]
    floor = record["floors"]["corrupted"]["masked_word"]["value"]
    columns = {  # how each is computed from a run, and how it is written
        "masked words, nats": (lambda run: run["masked_lm_loss"], ".3f"),
        "gap closed": (lambda run: (unigram - run["masked_lm_loss"]) / (unigram - floor), ".2%"),
        "pairs right": (lambda run: run["accuracy"], ".4f"),
    }
    values = {name: [take(run) for run in record["runs"]] for name, (take, _) in columns.items()}
    rows = [
        [name, *(format(over_seeds(values[column]), form) for column, (_, form) in columns.items())]
        for name, over_seeds in (("mean", statistics.mean), ("sd", statistics.stdev))
    ]
    return html(result_table([*columns], rows), caption="Five models on new stories, over seeds.")


def passed_table(levels: Mapping[str, float], steps: Sequence[int], curves: Sequence) -> Html:
    """Show how many curves pass each level, and when the last of them does.

    Args:
        levels: Names and losses.
        steps: Where the curves have points.
        curves: The losses at these steps, one curve for each seed.

    Returns:
        A table with a row for each level.
    """
    rows = []
    for name, level in levels.items():
        found = [[step for step, loss in zip(steps, curve) if loss < level] for curve in curves]
        first = [passed[0] for passed in found if passed]
        when = f"{max(first)}" if first else "never"
        rows.append([name, f"{level:.3f}", f"{len(first)} of {len(curves)}", when])
    columns = ["nats", "passed by", "at the latest"]
    caption = "Which steps the five models pass, and after how many updates."
    return html(result_table(columns, rows, "step"), caption=caption)


def kinds_table(
    losses: Mapping[str, Float[np.ndarray, " words"]],
    kinds: Mapping[str, Bool[np.ndarray, " words"]],
    pairs: Int[np.ndarray, " words"],
) -> Html:
    """Show what several guessers pay for several kinds of words; of the last, an interval.

    Args:
        losses: For each guesser what it pays for each word.
        kinds: For each kind which words it has.
        pairs: From which pair each word is.

    Returns:
        A table with a row for each kind.
    """
    (*_, last) = losses.values()
    rows = []
    for name, chosen in kinds.items():
        _, groups = np.unique(pairs[chosen], return_inverse=True)
        sums, counts = np.bincount(groups, last[chosen]), np.bincount(groups)
        rng = np.random.default_rng(0)
        low, high = grouped_interval(sums, counts, rng=rng, repeats=DRAWS)
        means = [f"{values[chosen].mean():.2f}" for values in losses.values()]
        rows.append([name, *means, f"{low:.2f} to {high:.2f}", f"{chosen.sum()}"])
    return html(
        result_table([*losses, "95 %", "words"], rows),
        caption="Nats for each word. The interval is that of the last guesser; pairs are drawn "
        "again.",
    )


def copying_table(record: dict) -> Html:
    """Show what each run pays for words that the other sentence tells, mean ± sd over seeds.

    Args:
        record: ``records/copying.json``.

    Returns:
        A table with a row for each run, between the two readers that bound it.
    """
    limits, kinds = record["bounds"], ("other words", "names", "pronouns")
    rows = [["reads one sentence", *(f"{limits['one_sentence'][k]:.2f}" for k in kinds), ""]]
    for name, run in record["runs"].items():
        ends = [[seed["mean"][kind] for seed in run["seeds"]] for kind in kinds]
        cells = [with_sd(e) if len(e) > 1 else f"{e[0]:.2f}" for e in ends]
        rows.append([name, *cells, str(len(run["seeds"]))])
    rows.append(["reads both", *(f"{limits['both_sentences'][k]:.2f}" for k in kinds), ""])
    return html(
        result_table([*kinds, "seeds"], rows),
        caption="Nats for words that the other sentence tells; mean ± sd over seeds where there "
        "are several.",
    )
