"""Exercises of Chapter 24: a gradient of many, shares, an update's time, a ring."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise

_RNG = np.random.default_rng(21)


def _combine(gradients, labels):
    total = sum(n * g for g, n in zip(gradients, labels) if n)
    return total / sum(labels)


check_combine = Exercise(
    "Make one gradient of the mean gradients of all processes.",
    _combine,
    cases=[([np.array([-4.0]), np.array([2.0])], [1, 3]),
           (list(_RNG.normal(size=(3, 4))), [5, 1, 2])],
    edges=[([np.array([1.0, 2.0]), np.array([np.nan, np.nan]), np.array([4.0, 0.0])], [2, 0, 1])],
    mistakes={
        "n * g → g||sum(labels) → len(labels)": "A mean of means: do all have equally many labels?",
        "n * g → g": "A mean times its labels is a sum.",
        "/ sum(labels) →": "Divide by all labels.",
        "n * g → g / n||/ sum(labels) →": "Each is divided already. What makes a sum of a mean?",
        "if n →": "0 times nan is nan: leave out a process without labels.",
    },
)  # fmt: skip


def _zero(stage, parameters, processes):
    share = parameters / processes
    weights = share if stage >= 3 else parameters
    gradients = share if stage >= 2 else parameters
    memories = 2 * (share if stage >= 1 else parameters)
    kept, trips = weights + gradients + memories, (2, 2, 2, 3)[stage]
    return kept, trips * (processes - 1) * share


check_zero = Exercise(
    "Count what a process keeps between updates, and what it sends in one.",
    _zero,
    cases=[(0, 12, 2), (1, 12, 2), (2, 12, 3), (3, 12, 3), (1, 60, 5), (2, 60, 5), (3, 60, 5)],
    edges=[(3, 12, 1)],
    mistakes={
        "2 * (…) → (…)": "Adam remembers two numbers for each parameter.",
        "stage >= 2 → stage >= 1 ¦ stage >= 3": "Gradients are divided from stage 2 on.",
        "stage >= 3 → stage >= 2 ¦ stage > 3": "Parameters are divided at stage 3 only.",
        "stage >= 1 → stage > 1 ¦ stage >= 0": "Adam's memories are divided from stage 1 on.",
        "return kept, → return": "Return two numbers: what it keeps, and what it sends.",
    },
)  # fmt: skip


def _seconds(processes, parameters, tokens, flops, bandwidth):
    computing = 6 * parameters * tokens / (processes * flops)
    sent = 2 * (processes - 1) / processes * 4 * parameters
    return computing + sent / bandwidth


check_seconds = Exercise(
    "Compute how many seconds an update takes on some processes.",
    _seconds,
    cases=[(1, 1e6, 1e3, 1e10, 1e9), (2, 1e6, 1e3, 1e10, 1e9), (8, 3e7, 5e4, 2e12, 1e10),
           (4, 1e6, 10, 1e10, 1e8)],
    mistakes={
        "6 → 2 ¦ 4 ¦ 1": "Count 2 for the forward pass and 4 for the backward pass.",
        "* tokens →": "Where are the tokens?",
        "2 * →": "Each piece goes around twice. Or do you count 2 bytes, not 4?",
        "4 * →": "A gradient has four bytes.",
        "4 → 32": "The bandwidth is in bytes a second, not in bits.",
    },
)  # fmt: skip


def _ring(pieces):
    held, count = np.array(pieces, dtype=float), len(pieces)
    for step in range(count - 1):
        sent = held.copy()
        for rank in range(count):
            piece = (rank - step) % count
            held[(rank + 1) % count, piece] += sent[rank, piece]
    return held


check_ring = Exercise(
    "Send pieces around a ring until each process has one whole sum.",
    _ring,
    cases=[(np.array([[1.0, 2.0], [3.0, 4.0]]),), (np.arange(9.0).reshape(3, 3) ** 2,),
           (_RNG.normal(size=(5, 5)),)],
    edges=[(np.array([[7.0]]),)],
    mistakes={
        "count - 1 → count - 2": "How many steps?",
        "rank - step → rank + step": "In the next step send what has just come in: piece rank − "
            "step.",
        "rank + 1 → rank - 1": "Send to the next process.",
        "+= → =": "What comes in is added.",
        "held.copy() → pieces": "Send what has been added up so far.",
    },
)  # fmt: skip
