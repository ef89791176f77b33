"""Exercise of Chapter 16: McNemar's exact test."""

from __future__ import annotations

import math

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(161)


def _mcnemar(truth, first, second):
    only_first = int(((first == truth) & (second != truth)).sum())
    only_second = int(((second == truth) & (first != truth)).sum())
    coins, fewer = only_first + only_second, min(only_first, only_second)
    ways = sum(math.comb(coins, heads) for heads in range(fewer + 1))
    return min(1.0, 2 * ways / 2**coins)


def _mcnemar_case(rows, good, better):
    truth = _RNG.integers(3, size=rows)
    answers = [
        np.where(_RNG.random(rows) < part, truth, (truth + _RNG.integers(1, 3, size=rows)) % 3)
        for part in (good, better)
    ]
    return truth, *answers


check_mcnemar = Exercise(
    "Return the p-value of McNemar's exact test for two classifiers.",
    _mcnemar,
    cases=[_mcnemar_case(*sizes) for sizes in [
        (8, 0.6, 0.9), (30, 0.5, 0.8), (60, 0.6, 0.7), (8, 0.9, 0.6), (30, 0.8, 0.5)]],
    edges=[(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([0, 1, 2])),
           (np.array([0, 1, 2, 0]), np.array([0, 2, 2, 1]), np.array([1, 1, 2, 1]))],
    rtol=1e-7,
    forbidden=["binomtest"],
    mistakes={
        "2 * ways → ways": "That is one side. Results as uneven to the other side count, too.",
        "fewer + 1 → fewer": "You count only what is more uneven. What is exactly as uneven "
            "counts, too.",
        "2 * ways → 2 * math.comb(coins, fewer)": "That is the chance of exactly this result and "
            "its mirror image. What is more uneven counts, too.",
        "2 * ways → math.comb(coins, fewer)": "That is the chance of exactly this result. What is "
            "more uneven counts, too.",
        "fewer + 1 → only_first + 1": "You count up to the wins of the first classifier. It may be "
            "the better one: up to which of the two numbers must you count?",
        "fewer + 1 → only_second + 1": "You count up to the wins of the second classifier. It may "
            "be the better one: up to which of the two numbers must you count?",
        "→ 1.0": "Your p is 1 whatever they answer. Do you count up to the larger number, or never "
            "divide by the number of all ways?",
        "→ 0.0": "Your p is 0 whatever they answer. In math.comb(n, k) the number of coins comes "
            "first.",
        ("2 * ways / 2**coins → math.erfc(abs(coins - 2 * fewer) / (2 * coins) ** 0.5)",
            "2 * ways / 2**coins → math.erfc(abs(coins - 2 * fewer - 1) / (2 * coins) ** 0.5)",
            "2 * ways / 2**coins → math.erfc(abs(coins - 2 * fewer - 0.5) / (2 * coins) ** 0.5)"):
            "That is the approximation by chi-square. The exact test counts the ways.",
        "2 * ways → (2 * ways - math.comb(coins, fewer))": "That counts half of the ways that are "
            "exactly as uneven: the mid-p. The exact test counts them all.",
        ("2 * ways / 2**coins → fewer / coins", "2 * ways / 2**coins → 1 - fewer / coins",
            "2 * ways / 2**coins → only_first / coins",
            "2 * ways / 2**coins → only_second / coins"): "That is the share of coins that one of "
            "them has won. How probable is one so uneven, by chance?",
        "2**coins → 2 ** len(truth)": "You divide by the ways of all requests. How many coins are "
            "thrown?",
        ("second != truth → second == truth",
            "second != truth → second == truth||second == truth → second != truth"):
            "You count where both are right. There, neither has won.",
        ("(first == truth) & (second != truth) → (first != second)", "& (second != truth) →",
            "(second == truth) & (first != truth) → (first != second)", "& (first != truth) →"):
            "One of your two numbers is too large. Each counts where this one is right and the "
            "other one is wrong.",
        "→ abs((first == truth).mean() - (second == truth).mean())": "That is the difference of "
            "the accuracies. How probable is one so large, by chance?",
        "→ one, other = (first == truth).mean(), (second == truth).mean()\nerror = ((one + other) "
            "* (2 - one - other) / 2 / len(truth)) ** 0.5\nreturn math.erfc(abs(one - other) / "
            "error / 2**0.5)": "That test is for two classifiers with requests of their own. These "
            "two have answered the same ones: count where exactly one is right.",
        ("only_first + only_second → int((first != second).sum())",
            "int(((second == truth) & (first != truth)).sum()) → int((first != second).sum()) - "
            "only_first"): "You throw a coin wherever the two differ. Where both are wrong in "
            "different ways, neither has won.",
        "only_first + only_second → len(truth)": "You throw a coin for every request. Only where "
            "exactly one of the two is right is there one.",
        "& (second != truth) →||& (first != truth) →": "You count all that each one gets right. "
            "Only where exactly one of them is right can a difference be seen.",
        "min(1.0, 2 * ways / 2**coins) → 2 * ways / 2**coins": "A probability is never above 1. If "
            "both are equally often right alone, the middle way is counted on both sides.",
        "return → return 1 -": "That is one minus p. A small p speaks against chance.",
    },
)  # fmt: skip
