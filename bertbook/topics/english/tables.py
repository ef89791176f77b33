"""The record of the page on a real book as lines of text, with intervals over chapters. Chapter 14.

The chapters of a test are drawn again, with all that was asked in each of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from bertbook.core.attention_maps import grouped_interval

DRAWS = 2000


def ladder_lines(record: dict[str, Any], test: str, kind: str = "all") -> str:
    """List what each guesser pays for a piece, with its interval."""
    results = record["tests"][test]
    counts = np.array(results["places"][kind])
    lines = []
    for name, kinds in results["losses"].items():
        lines.append(f"{_mean(np.array(kinds[kind]), counts, '.2f')}  {name}")
    return "\n".join(lines)


def next_sentences(record: dict[str, Any], test: str) -> str:
    """List what each guesser pays for a pair, and which share it has right, with intervals."""
    results = record["tests"][test]
    counts = np.array(results["pairs"]["count"])
    lines = [f"{np.log(2):.3f}                  0.500                  coin"]
    for name, found in results["next sentence"].items():
        columns = [_mean(np.array(found[what]), counts, ".3f") for what in ("loss", "right")]
        lines.append("  ".join([*columns, name]))
    return "\n".join(lines)


def lead_over(
    record: dict[str, Any], test: str, guesser: str, baseline: str, kind: str = "all"
) -> str:
    """Tell by how much a guesser pays less than a rival, on the same pieces, with its interval."""
    results = record["tests"][test]
    own, other = (np.array(results["losses"][name][kind]) for name in (guesser, baseline))
    return _mean(other - own, np.array(results["places"][kind]), "+.2f")


def by_kind(record: dict[str, Any], test: str, guesser: str, baseline: str) -> str:
    """List how many pieces of each kind there are, and by how much a guesser leads there."""
    counts = record["tests"][test]["places"]
    return "\n".join(
        f"{sum(of_chapters):6.0f}  {lead_over(record, test, guesser, baseline, kind)}  {kind}"
        for kind, of_chapters in counts.items()
    )


def pronouns(record: dict[str, Any], distance: str) -> str:
    """List which share of the pronouns each guesser has right: to one, to several, and the mean."""
    sums: dict[str, np.ndarray] = {}
    for test in record["tests"].values():
        for name, found in test["forms"].items():
            counts = np.array([found[f"{distance}, {number}"] for number in ("one", "several")])
            sums[name] = sums.get(name, 0) + counts
    asked = sums.pop("questions")
    lines = [f"{asked[0]:4}  {asked[1]:4}        questions"]
    for name, right in sums.items():
        shares = right / asked
        lines.append(f"{shares[0]:.2f}  {shares[1]:.2f}  {shares.mean():.2f}  {name}")
    return "\n".join(lines)


def loss_by_minutes(
    record: dict[str, Any], guessers: Sequence[str], minutes: Sequence[float]
) -> str:
    """List the loss of trainings, on what they read, after so many minutes of a processor.

    A column has the name of the settings only, so that a line fits a phone.
    """
    settings = [name.removeprefix("BERT ").partition(",")[0] for name in guessers]
    lines = ["minutes  " + "  ".join(settings)]
    for minute in minutes:
        cells = [_loss_after(record["runs"][name], minute) for name in guessers]
        lines.append(f"{minute:7}  " + "  ".join(map(str.rjust, cells, map(len, settings))))
    return "\n".join(lines)


def _loss_after(run: dict[str, Any], minute: float) -> str:
    """Give the loss after so many minutes, or nothing where the training is over."""
    steps, losses = np.array(run["curve"]).T
    step = 60 * minute / run["seconds"] * run["updates"]
    return f"{np.interp(step, steps, losses):.2f}" if step <= run["updates"] else ""


def _mean(
    sums: Float[np.ndarray, " chapters"], counts: Float[np.ndarray, " chapters"], form: str
) -> str:
    low, high = grouped_interval(sums, counts, rng=np.random.default_rng(0), repeats=DRAWS)
    mean = sums.sum() / counts.sum()
    return f"{mean:{form}} ({low:{form}} to {high:{form}})"
