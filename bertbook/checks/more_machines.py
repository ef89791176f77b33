"""Exercises of Chapter 21: one gradient of many, the time of an update, the best number, a ring."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(21)


def _those_with_labels(gradients, labels):
    return [(g, n) for g, n in zip(gradients, labels) if n]


def _combine(gradients, labels, *, weigh=as_it_is, divide=sum, keep=_those_with_labels):
    """Weight the mean gradient of each process by its labels."""
    pairs = keep(gradients, weigh(labels))
    return sum(gradient * weight for gradient, weight in pairs) / divide(labels)


def _alike(labels):
    return [1] * len(labels)


check_combine = Exercise(
    "Make one gradient of the mean gradients of all processes.",
    _combine,
    cases=[
        ([np.array([-4.0]), np.array([2.0])], [1, 3]),
        (list(_RNG.normal(size=(3, 4))), [5, 1, 2]),
    ],
    edges=[([np.array([1.0, 2.0]), np.array([np.nan, np.nan]), np.array([4.0, 0.0])], [2, 0, 1])],
    mistakes=[
        Mistake({"weigh": _alike, "divide": len}, "That is the average of the averages. A label "
                "counts more the fewer there are beside it. Who has more labels, has more to say."),
        Mistake({"weigh": _alike, "divide": lambda labels: 1}, "You add up means. The gradient "
                "grows with the number of processes, and so does the step."),
        Mistake({"weigh": _alike}, "You add up means and divide by the labels. A mean times its "
                "labels is a sum; sums can be added."),
        Mistake({"divide": lambda labels: 1}, "That is the sum over all labels. Divide it by their "
                "number."),
        Mistake({"divide": len}, "You divide the sum over all labels by the number of processes. "
                "The mean over labels is asked for."),
        Mistake({"divide": lambda labels: 1,
                 "weigh": lambda labels: [1 / n if n else 0 for n in labels]},
                "You divide each mean by its labels; that has been done already. Times its labels "
                "it is a sum again."),
        Mistake({"divide": max}, "You divide by the labels of one process. Divide by those of "
                "all."),
        Mistake({"weigh": lambda labels: [1 / n if n else 0 for n in labels],
                 "divide": lambda labels: sum(1 / n for n in labels if n)}, "Your weights are the "
                "wrong way round: now the process with the fewest labels says the most."),
        Mistake({"keep": lambda gradients, weights: list(zip(gradients, weights))}, "Right, until "
                "a process has no label. Its mean is 0/0, not a number, and 0 times nan is nan. "
                "Leave it out."),
    ],
)  # fmt: skip


def _seconds(processes, parameters, tokens, flops, bandwidth, *,
             work=lambda parameters: 6 * parameters, share=as_it_is,
             rounds=lambda processes: 2 * (processes - 1) / processes, size=4,
             join=np.add):  # fmt: skip
    """Add the time of computing to that of talking."""
    computing = work(parameters) * tokens / (flops * share(processes))
    return float(join(computing, rounds(processes) * size * parameters / bandwidth))


check_seconds = Exercise(
    "Compute how many seconds an update takes on some processes.",
    _seconds,
    cases=[
        (1, 1e6, 1e3, 1e10, 1e9),
        (2, 1e6, 1e3, 1e10, 1e9),
        (8, 3e7, 5e4, 2e12, 1e10),
        (4, 1e6, 10, 1e10, 1e8),
    ],
    mistakes=[
        Mistake({"work": lambda n: 2 * n}, "You count the way forward alone. The way back takes "
                "twice as much again: 6 for each parameter and token."),
        Mistake({"work": lambda n: 4 * n}, "You count the way back alone."),
        Mistake(lambda k, n, tokens, flops, bandwidth: (
            6 * n * tokens / k * flops + 2 * (k - 1) / k * 4 * n / bandwidth), "Python works from "
                "left to right: … / processes * flops multiplies. Put the two into parentheses."),
        Mistake(lambda k, n, tokens, flops, bandwidth: _seconds(
            k, n, tokens, flops, bandwidth, size=4 * tokens / n), "Gradients are sent, one for "
                "each parameter, and not tokens."),
        Mistake(lambda k, n, tokens, flops, bandwidth: _seconds(k, n, 1, flops, bandwidth),
                "Where are the tokens? Each goes through the model once."),
        Mistake({"share": lambda processes: 1}, "Every process computes all tokens. Each takes "
                "its share of them."),
        Mistake({"share": lambda processes: 1 / processes}, "More processes make your computing "
                "slower."),
        Mistake({"rounds": lambda processes: 2 * (processes - 1)}, "That is what all processes "
                "send together. They send at the same time; count what one of them sends."),
        Mistake({"rounds": lambda processes: (processes - 1) / processes}, "You send the pieces "
                "around once. After that each process has one finished piece, and needs the "
                "others: a second round. Or do you count two bytes for a gradient, and not four?"),
        Mistake({"rounds": lambda processes: 2 * (processes - 1 / processes)}, "Python divides "
                "first: processes - 1 / processes. Put processes - 1 into parentheses."),
        Mistake({"rounds": lambda processes: 2}, "Each of the two rounds sends all pieces but one: "
                "(processes − 1) / processes of the gradient. A process that is alone sends "
                "nothing."),
        Mistake({"size": 1}, "You send one byte for each gradient. It has four."),
        Mistake({"size": 32}, "The bandwidth is in bytes a second, not in bits."),
        Mistake({"join": np.subtract}, "You subtract the talking. It takes time, too: add it."),
        Mistake({"join": np.maximum}, "That is the time if all talk is hidden behind the "
                "computing. Here the two follow one another."),
        Mistake({"join": lambda computing, talking: computing}, "Where is the talking?"),
    ],
)  # fmt: skip


def _best_count(most, parameters, tokens, flops, bandwidth, latency, *,
                counts=lambda most: range(1, most + 1), waits=lambda processes: 2 * (processes - 1),
                pick=lambda counts, seconds: counts[int(np.argmin(seconds))]):  # fmt: skip
    """Try every number of processes."""
    numbers = list(counts(most))
    seconds = [
        _seconds(n, parameters, tokens, flops, bandwidth) + waits(n) * latency for n in numbers
    ]
    return pick(numbers, seconds)


def _best_without_sending(most, parameters, tokens, flops, bandwidth, latency):
    return _best_count(most, parameters, tokens, flops, np.inf, latency)


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
    mistakes=[
        Mistake({"pick": lambda counts, seconds: int(np.argmin(seconds))}, "argmin counts from 0, "
                "and processes are counted from 1."),
        Mistake({"pick": lambda counts, seconds: min(seconds)}, "These are the seconds. Which "
                "number of processes has them?"),
        Mistake({"pick": lambda counts, seconds: counts[int(np.argmax(seconds))]}, "That is the "
                "slowest number."),
        Mistake({"pick": lambda counts, seconds: max(
            n for n, time in zip(counts, seconds) if time == min(seconds))}, "Of equal numbers the "
                "smallest is asked for: < instead of <=."),
        Mistake({"counts": lambda most: range(1, most)}, "The largest number is allowed, too."),
        Mistake({"counts": lambda most: range(2, most + 1)}, "One process may be the fastest."),
        Mistake({"counts": lambda most: [2**i for i in range(most.bit_length()) if 2**i <= most]},
                "You try powers of two only."),
        Mistake({"waits": lambda processes: 0}, "The latency is missing: every message of the "
                "ring waits once, however short it is."),
        Mistake({"waits": lambda processes: processes > 1}, "You wait once. The ring has "
                "2 · (processes − 1) messages, one after the other."),
        Mistake({"waits": lambda processes: processes - 1}, "The ring goes around twice."),
        Mistake(_best_without_sending, "You wait for each message, and forget that a long one "
                "takes longer: gradients pass through the bandwidth."),
        Mistake(lambda most, *numbers: most, "You always take all. More can be slower."),
    ],
)  # fmt: skip


def _ring(pieces, *, piece=lambda rank, step, count: (rank - step) % count,
          steps=lambda count: count - 1, to=lambda rank, count: (rank + 1) % count,
          meet=np.add):  # fmt: skip
    """Let every process send one piece to the next one, which adds it to its own."""
    held = np.array(pieces, dtype=float)
    count = len(held)
    for step in range(steps(count)):
        sent = held.copy()
        for rank in range(count):
            place = to(rank, count), piece(rank, step, count)
            held[place] = meet(sent[place], sent[rank, place[1]])
    return held


def _from_the_start(pieces):
    held, count = np.array(pieces, dtype=float), len(pieces)
    for rank in range(count):
        for step in range(count - 1):
            held[(rank + 1) % count, (rank - step) % count] += pieces[rank, (rank - step) % count]
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
    mistakes=[
        Mistake({"steps": as_it_is}, "One step too many: a finished sum moves on and is added "
                "once more."),
        Mistake({"steps": lambda count: 1}, "Every process has sent once. There are count - 1 such "
                "steps."),
        Mistake({"piece": lambda rank, step, count: (rank - step - 1) % count}, "Your steps begin "
                "with 1. In step 0 process r sends piece r."),
        Mistake({"steps": lambda count: count - 2}, "One step too few: no sum is finished."),
        Mistake({"piece": lambda rank, step, count: rank}, "Every process sends the same piece "
                "again and again. In the next step it sends the one that it has just received."),
        Mistake({"piece": lambda rank, step, count: (rank + step) % count}, "You send a piece that "
                "nobody has added to. Send on what has just come in: piece rank − step."),
        Mistake({"to": lambda rank, count: (rank - 1) % count}, "You send to the process before. "
                "The ring goes to the next one."),
        Mistake({"meet": lambda own, sent: sent}, "What comes in replaces what is there. It is "
                "added."),
        Mistake({"meet": lambda own, sent: (own + sent) / 2}, "You average on the way. Averages "
                "of averages are no average of all; add up."),
        Mistake(lambda pieces: np.tile(np.sum(pieces, axis=0, dtype=float), (len(pieces), 1)),
                "That is the end of an all-reduce: all sums everywhere. After the first round "
                "each process has one whole sum, and parts of the others."),
        Mistake(_from_the_start, "Each process sends its own piece again, as it was at the start. "
                "Send what has been added up so far."),
        Mistake(lambda pieces: _ring(np.transpose(pieces)).T, "Rows and columns are exchanged: row "
                "r holds the pieces of process r."),
        Mistake(IndexError, "After the last process comes the first one: take the rest of a "
                "division, % count."),
    ],
)  # fmt: skip
