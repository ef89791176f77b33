"""Exercises of Chapter 16: when to stop, McNemar, thresholds."""

import math

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.reference import softmax


def _stop(losses, patience):
    lowest, best, waited = math.inf, 0, 0
    for number, loss in enumerate(losses, start=1):
        if loss < lowest:
            lowest, best, waited = loss, number, 0
        else:
            waited += 1
        if waited == patience:
            break
    return best, number  # pyright: ignore[reportPossiblyUnboundVariable]: there is a loss


check_stopping = Exercise(
    "Say which evaluation was the best, and which is the last one that is made.",
    _stop,
    cases=[([0.5, 0.6, 0.4, 0.3], 1), ([0.9, 0.8, 0.7], 2), ([0.7, 0.7, 0.7, 0.6], 2),
           ([0.9, 0.5, 0.6, 0.55, 0.7, 0.4], 3), ([0.6, 0.7, 0.8, 0.9, 0.95, 0.3], 2),
           ([0.9, 0.95, 0.5, 0.6, 0.45, 0.5, 0.6, 0.2], 2)],
    mistakes={
        ("return best → return best - 1", "best, number → best, number - 1"): "Both are counted "
            "from 1.",
        "return best, number → return number, best": "Turned around: the best one comes first.",
        "return best → return number": "The last weights are not the best ones.",
        ("return best → return int(np.argmin(losses)) + 1", "→ best = int(np.argmin(losses)) + "
            "1\nreturn best, min(best + patience, len(losses))"): "You look too far ahead.",
        "best, number → best, lowest": "That is a loss. Which evaluation is it?",
        "math.inf → 0": "No loss is below 0. With what must the lowest begin?",
        "waited == patience → number == patience": "Patience counts from the best one.",
        "waited == patience → waited > patience": "You wait one evaluation too long.",
        "waited == patience → waited == max(1, patience - 1)": "You wait one evaluation too few.",
        "waited == patience → waited": "What is patience for?",
        "loss < lowest → number == 1 or loss < losses[number - 2]": "Compare with the lowest so "
            "far, not with the one before.",
        "number, 0 → number, waited": "A new best one starts the count again.",
        "loss < lowest → loss <= lowest": "An equal loss is not a lower one.",
    },
)  # fmt: skip


_CHANCE = np.random.default_rng(161)


def _mcnemar(truth, first, second):
    only_first = int(((first == truth) & (second != truth)).sum())
    only_second = int(((second == truth) & (first != truth)).sum())
    coins, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(coins, heads) for heads in range(fewer + 1))
    return min(1.0, 2 * tail / 2**coins)


def _mcnemar_case(rows, good, better):
    truth = _CHANCE.integers(3, size=rows)
    others = ((truth + _CHANCE.integers(1, 3, size=rows)) % 3 for _ in range(2))
    hits = (_CHANCE.random(rows) < part for part in (good, better))
    return truth, *(np.where(hit, truth, other) for hit, other in zip(hits, others))


check_mcnemar = Exercise(
    "Return the p-value of McNemar's exact test for two classifiers.",
    _mcnemar,
    cases=[_mcnemar_case(*sizes) for sizes in [
        (8, 0.6, 0.9), (30, 0.5, 0.8), (60, 0.6, 0.7), (8, 0.9, 0.6), (30, 0.8, 0.5)]],
    edges=[(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([0, 1, 2])),
           (np.array([0, 1, 2, 0]), np.array([0, 2, 2, 1]), np.array([1, 1, 2, 1]))],
    rtol=1e-7,
    mistakes={
        "2 * tail → tail": "That is one side. Results as uneven to the other side count, too.",
        "fewer + 1 → fewer": "What is exactly as uneven counts, too.",
        "range(fewer + 1) → range(1, fewer + 1)": "All coins may fall alike. Does that way count?",
        "fewer + 1 → only_first + 1": "Are the wins of the first classifier the fewer?",
        "fewer + 1 → only_second + 1": "Are the wins of the second classifier the fewer?",
        "2 * tail / 2**coins → math.erfc(abs(coins - 2 * fewer) / (2 * coins) ** 0.5) ¦ "
            "math.erfc(abs(coins - 2 * fewer - 1) / (2 * coins) ** 0.5)":
            "An approximation by chi-square: count.",
        "2 * tail → (2 * tail - math.comb(coins, fewer))": "That is the mid-p. Count all ways.",
        "min(1.0, → bool(coins) * min(1.0,": "If the two never differ, p is 1.",
    },
)  # fmt: skip


_RNG_OF_SCORES = np.random.default_rng(160)


def _threshold(chances, truth, wanted):
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == truth
    enough = [t for t in sure if right[sure >= t].mean() >= wanted]
    return min(enough, default=math.inf)


def _threshold_case(rows, good, wanted):
    truth = _RNG_OF_SCORES.integers(3, size=rows)
    scores = np.round(_RNG_OF_SCORES.normal(size=(rows, 3)), 1)
    scores[np.arange(rows), truth] += good
    return softmax(scores), truth, wanted


check_threshold = Exercise(
    "Return the lowest threshold at which enough of what is kept is right.",
    _threshold,
    cases=[_threshold_case(*sizes) for sizes in (
        (6, 1.5, 0.8), (12, 1, 0.75), (20, 1, 0.9), (30, 0.5, 0.8))]
    + [(np.array([[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]),
        np.array([1, 0, 1, 0]), 2 / 3),
       (np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.6]]), np.array([1, 2]), 0.9),
       (np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.3, 0.0], [0.6, 0.4, 0.0]]),
        np.array([0, 1, 0, 0]), 0.7)],
    mistakes={
        "min → max": "That is the highest threshold that will do.",
        "right[sure >= t].mean() >= wanted → all(right[sure >= u].mean() >= wanted for u in "
            "sure[sure >= t])": "You stop at the first failure. What comes further down?",
        ">= wanted → > wanted": "At least the wanted share: exactly is enough.",
        "→ wanted": "Is a probability the share that is right?",
        ("max(axis=1) → max(axis=0)", "axis=1 → axis=0"): "Each request has a maximum: axis=1.",
    },
)  # fmt: skip
