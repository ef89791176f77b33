"""Exercises of Chapter 24: a gradient of many, shares, an update's time, a best number, a ring."""

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
        ("n * g → g||/ sum(labels) →", "n * g → g"): "A mean times its labels is a sum.",
        ("/ sum(labels) →", "sum(labels) → len(labels) ¦ max(labels)"): "Divide by all labels.",
        ("n * g → g / n||/ sum(labels) →", "n * g → g / n||sum(labels) → sum(1 / n for n in labels "
            "if n)"): "Each is divided already. What makes a sum of a mean?",
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
        "2 * (…) → parameters + (…)": "Both memories of Adam are divided.",
        "weights + gradients + memories → weights + memories ¦ gradients + memories ¦ weights + "
            "gradients": "Four numbers for each parameter: itself, its gradient, and Adam's two.",
        "return kept → return 4 * share": "Before stage 3 not all is divided.",
        "return kept → return 4 * parameters": "From stage 1 on, Adam's memories are divided.",
        "return kept → return processes * kept": "All keep that together. How much does one?",
        ("return kept → return 4 * kept", "return kept, → return 4 * kept, 4 *"): "Count numbers. "
            "Bytes are four times as many.",
        "stage >= 2 → stage >= 1 ¦ stage >= 3": "Gradients are divided from stage 2 on.",
        ("stage >= 3 → stage >= 2 ¦ stage > 3", "stage >= 3 → stage >= 1||stage >= 1 → stage >= 3"):
            "Parameters are divided at stage 3 only.",
        "stage >= 1 → stage > 1 ¦ stage >= 0": "Adam's memories are divided from stage 1 on.",
        "2, 2, 2, 3 → 2, 2, 2, 2": "How many times are parameters collected at stage 3?",
        "2, 2, 2, 3 → 2, 3, 3, 3 ¦ 2, 3, 2, 3": "From stage 1 on a sum goes to its owner alone. "
            "That and collecting are the two halves of an all-reduce.",
        "2, 2, 2, 3 → 1, 1, 1, 2 ¦ 2, 1, 1, 2 ¦ 2, 1, 1, 3 ¦ 1, 2, 2, 3 ¦ 1, 1, 1, 1": "To the "
            "owners, and to all: two trips. What does the second one carry from stage 1 on?",
        "2, 2, 2, 3 → 0, 1, 2, 3": "At stage 0 sums of gradients travel. Do Adam's memories?",
        "2, 2, 2, 3 → 2, 2, 2, 4": "At stage 3, does anybody but the owner need a sum?",
        "(processes - 1) * share → parameters ¦ share": "A trip sends all pieces but one.",
        "(processes - 1) * share → (processes - 1) * parameters": "How large is one of the pieces?",
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
        "(processes * flops) → processes * flops": "Put processes * flops in parentheses.",
        "4 * parameters → 4 * tokens ¦ 4 * parameters * tokens": "Gradients are sent, one for each "
            "parameter.",
        "* tokens →": "Where are the tokens?",
        "(processes * flops) → flops ¦ flops * processes": "Each process has some tokens.",
        "/ processes →": "All send at the same time. What does one of them send?",
        "2 * →": "Each piece goes around twice. Or do you count 2 bytes, not 4?",
        ("(processes - 1) / processes → (processes - 1 / processes)", "2 * (processes - 1) / "
            "processes → (2 * processes - 1 / processes)"): "Put processes - 1 into parentheses.",
        "* (processes - 1) / processes →": "Each round sends all pieces but one.",
        "4 * →": "A gradient has four bytes.",
        "4 → 32": "The bandwidth is in bytes a second, not in bits.",
        "computing + → computing -": "Sending takes time, too: add it.",
        "computing + sent / bandwidth → max(computing, sent / bandwidth)": "Here sending begins "
            "when computing has ended.",
        "+ sent / bandwidth →": "Where is the sending?",
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
    cases=[(8, 1e6, 1e6, 1e12, 1e9, 0.0), (24, 1e6, 4e5, 1e12, 1e10, 1e-2), (24, 1e6, 1e6, 1e14,
           1e9, 1e-4), (4, 1e6, 1.0, 1e12, 1e6, 1.0), (2, 1e6, 1e5, 6e11, 1e12, 0.6), (8, 1e6, 1e3,
           1e10, 1e7, 0.0)],
    mistakes={
        "counts[…] → np.argmin(seconds)": "argmin counts from 0.",
        "counts[…] → min(seconds)": "Which number of processes has them?",
        "argmin → argmax": "That is the slowest number.",
        "counts[…] → max(n for n, s in zip(counts, seconds) if s == min(seconds))": "Of equal "
            "numbers take the smallest: < instead of <=.",
        "most + 1 → most": "The largest number is allowed, too.",
        "range(1, → range(2,": "One process may be the fastest.",
        "range(1, most + 1) → [2**i for i in range(most.bit_length())]": "Try all numbers.",
        "+ 2 * (n - 1) * latency →": "Every message of the ring waits once, however short it is.",
        "2 * (n - 1) → (n > 1) ¦ (n - 1)": "The ring has 2 · (processes − 1) messages.",
        "_seconds(n, *sizes) + … for → max(_seconds(n, *sizes), 6 * parameters * tokens / n / "
            "flops + …) for": "A message waits, and then it is sent: add both.",
        "bandwidth) → np.inf)": "A long message takes longer.",
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
    cases=[(np.array([[1.0, 2.0], [3.0, 4.0]]),), (np.arange(9.0).reshape(3, 3) ** 2,),
           (_RNG.normal(size=(5, 5)),)],
    edges=[(np.array([[7.0]]),)],
    mistakes={
        ("range(count - 1) → range(count) ¦ range(1)", "count - 1 → count - 2"): "How many steps?",
        "rank - step → rank - step - 1": "In step 0 process r sends piece r.",
        ("(rank - step) % count → rank", "rank - step → rank + step"): "In the next step send what "
            "has just come in: piece rank − step.",
        "rank + 1 → rank - 1": "Send to the next process.",
        ("+= → =", "+= sent[rank, piece] → = (sent[(rank + 1) % count, piece] + sent[rank, piece]) "
            "/ 2"): "What comes in is added.",
        "sent[rank, piece] → sent[rank, piece]\n            held[rank, piece] -= sent[rank, piece]":
            "Who sends a number keeps it.",
        "→ np.tile(np.sum(pieces, axis=0, dtype=float), (len(pieces), 1))": "That is the end of an "
            "all-reduce. Here each process has one whole sum.",
        "held.copy() → pieces": "Send what has been added up so far.",
        "→ right(np.transpose(pieces)).T": "Row r holds the pieces of process r.",
        IndexError: "After the last process comes the first: % count.",
    },
)  # fmt: skip
