"""Exercises of Chapter 21: one gradient of many, the time of an update, the best number, a ring."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(21)


def _combine(gradients, labels):
    total = sum(n * g for g, n in zip(gradients, labels) if n)
    return total / sum(labels)


check_combine = Exercise(
    "Make one gradient of the mean gradients of all processes.",
    _combine,
    cases=[
        ([np.array([-4.0]), np.array([2.0])], [1, 3]),
        (list(_RNG.normal(size=(3, 4))), [5, 1, 2]),
    ],
    edges=[([np.array([1.0, 2.0]), np.array([np.nan, np.nan]), np.array([4.0, 0.0])], [2, 0, 1])],
    mistakes={
        "n * g → g||sum(labels) → len(labels)": "That is the average of the averages. A label "
            "counts more the fewer there are beside it. Who has more labels, has more to say.",
        "n * g → g||/ sum(labels) →": "You add up means. The gradient grows with the number of "
            "processes, and so does the step.",
        "n * g → g": "You add up means and divide by the labels. A mean times its labels is a sum; "
            "sums can be added.",
        "/ sum(labels) →": "That is the sum over all labels. Divide it by their number.",
        "sum(labels) → len(labels)": "You divide the sum over all labels by the number of "
            "processes. The mean over labels is asked for.",
        "n * g → g / n||/ sum(labels) →": "You divide each mean by its labels; that has been done "
            "already. Times its labels it is a sum again.",
        "sum(labels) → max(labels)": "You divide by the labels of one process. Divide by those of "
            "all.",
        "n * g → g / n||sum(labels) → sum(1 / n for n in labels if n)":
            "Your weights are the wrong way round: now the process with the fewest labels says the "
            "most.",
        "if n →": "Right, until a process has no label. Its mean is 0/0, not a number, and 0 times "
            "nan is nan. Leave it out.",
    },
)  # fmt: skip


def _seconds(processes, parameters, tokens, flops, bandwidth):
    computing = 6 * parameters * tokens / (processes * flops)
    sent = 2 * (processes - 1) / processes * 4 * parameters
    return computing + sent / bandwidth


check_seconds = Exercise(
    "Compute how many seconds an update takes on some processes.",
    _seconds,
    cases=[
        (1, 1e6, 1e3, 1e10, 1e9),
        (2, 1e6, 1e3, 1e10, 1e9),
        (8, 3e7, 5e4, 2e12, 1e10),
        (4, 1e6, 10, 1e10, 1e8),
    ],
    mistakes={
        "6 → 2": "You count the way forward alone. The way back takes twice as much again: 6 for "
            "each parameter and token.",
        "6 → 4": "You count the way back alone.",
        "(processes * flops) → processes * flops": "Python works from left to right: … / processes "
            "* flops multiplies. Put the two into parentheses.",
        "4 * parameters → 4 * tokens": "Gradients are sent, one for each parameter, and not "
            "tokens.",
        "* tokens →": "Where are the tokens? Each goes through the model once.",
        "(processes * flops) → flops": "Every process computes all tokens. Each takes its share of "
            "them.",
        "(processes * flops) → flops * processes": "More processes make your computing slower.",
        "/ processes →": "That is what all processes send together. They send at the same time; "
            "count what one of them sends.",
        "2 * →": "You send the pieces around once. After that each process has one finished piece, "
            "and needs the others: a second round. Or do you count two bytes for a gradient, and "
            "not four?",
        "(processes - 1) / processes → (processes - 1 / processes)": "Python divides first: "
            "processes - 1 / processes. Put processes - 1 into parentheses.",
        "* (processes - 1) / processes →": "Each of the two rounds sends all pieces but one: "
            "(processes − 1) / processes of the gradient. A process that is alone sends nothing.",
        "4 * →": "You send one byte for each gradient. It has four.",
        "4 → 32": "The bandwidth is in bytes a second, not in bits.",
        "computing + → computing -": "You subtract the talking. It takes time, too: add it.",
        "computing + sent / bandwidth → max(computing, sent / bandwidth)":
            "That is the time if all talk is hidden behind the computing. Here the two follow one "
            "another.",
        "+ sent / bandwidth →": "Where is the talking?",
    },
)  # fmt: skip


def _best_count(most, parameters, tokens, flops, bandwidth, latency):
    counts, sizes = range(1, most + 1), (parameters, tokens, flops, bandwidth)
    seconds = [_seconds(n, *sizes) + 2 * (n - 1) * latency for n in counts]
    return counts[np.argmin(seconds)]


check_best_count = Exercise(
    "Find the number of processes with which an update is fastest.",
    _best_count,
    edges=[(2, 1.0, 4.0, 3.0, 1.0, 0.0)],  # one and two take 8 seconds each
    cases=[
        (8, 1e6, 1e6, 1e12, 1e9, 0.0),
        (24, 1e6, 4e5, 1e12, 1e10, 1e-2),
        (64, 1e8, 1e6, 1e14, 1e11, 1e-3),
        (4, 1e6, 1.0, 1e12, 1e6, 1.0),
        (2, 1e6, 1e5, 6e11, 1e12, 0.6),
        (8, 1e6, 1e3, 1e10, 1e7, 0.0),
    ],
    mistakes={
        "counts[np.argmin(seconds)] → np.argmin(seconds)": "argmin counts from 0, and processes "
            "are counted from 1.",
        "counts[np.argmin(seconds)] → min(seconds)": "These are the seconds. Which number of "
            "processes has them?",
        "argmin → argmax": "That is the slowest number.",
        "counts[np.argmin(seconds)] → max(n for n, s in zip(counts, seconds) if s == min(seconds))":
            "Of equal numbers the smallest is asked for: < instead of <=.",
        "most + 1 → most": "The largest number is allowed, too.",
        "range(1, → range(2,": "One process may be the fastest.",
        "range(1, most + 1) → [2**i for i in range(most.bit_length())]":
            "You try powers of two only.",
        "+ 2 * (n - 1) * latency →": "The latency is missing: every message of the ring waits "
            "once, however short it is.",
        "2 * (n - 1) → (n > 1)": "You wait once. The ring has 2 · (processes − 1) messages, one "
            "after the other.",
        "2 * (n - 1) → (n - 1)": "The ring goes around twice.",
        "bandwidth) → np.inf)": "You wait for each message, and forget that a long one takes "
            "longer: gradients pass through the bandwidth.",
        "→ most": "You always take all. More can be slower.",
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
    cases=[
        (np.array([[1.0, 2.0], [3.0, 4.0]]),),
        (np.arange(9.0).reshape(3, 3) ** 2,),
        (_RNG.normal(size=(5, 5)),),
    ],
    edges=[(np.array([[7.0]]),)],
    mistakes={
        "range(count - 1) → range(count)": "One step too many: a finished sum moves on and is "
            "added once more.",
        "range(count - 1) → range(1)": "Every process has sent once. There are count - 1 such "
            "steps.",
        "rank - step → rank - step - 1": "Your steps begin with 1. In step 0 process r sends piece "
            "r.",
        "count - 1 → count - 2": "One step too few: no sum is finished.",
        "(rank - step) % count → rank": "Every process sends the same piece again and again. In "
            "the next step it sends the one that it has just received.",
        "rank - step → rank + step": "You send a piece that nobody has added to. Send on what has "
            "just come in: piece rank − step.",
        "rank + 1 → rank - 1": "You send to the process before. The ring goes to the next one.",
        "+= → =": "What comes in replaces what is there. It is added.",
        "+= sent[rank, piece] → = (sent[(rank + 1) % count, piece] + sent[rank, piece]) / 2":
            "You average on the way. Averages of averages are no average of all; add up.",
        "→ np.tile(np.sum(pieces, axis=0, dtype=float), (len(pieces), 1))":
            "That is the end of an all-reduce: all sums everywhere. After the first round each "
            "process has one whole sum, and parts of the others.",
        "held.copy() → pieces": "Each process sends its own piece again, as it was at the start. "
            "Send what has been added up so far.",
        "→ right(np.transpose(pieces)).T": "Rows and columns are exchanged: row r holds the pieces "
            "of process r.",
        IndexError: "After the last process comes the first one: take the rest of a division, % "
            "count.",
    },
)  # fmt: skip
