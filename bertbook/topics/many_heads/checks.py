"""Exercises of Chapter 8: attend with many heads, design one that looks back, measure."""

import math

import numpy as np
import torch

from bertbook.core.exercises.exercise import Exercise, as_it_is
from minibert.reference import additive_mask

_RNG = np.random.default_rng(81)


def _many_heads(q, k, v, heads, mask, dropout):
    q, k, v = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    probs = dropout(scores.softmax(dim=-1))
    return (probs @ v).transpose(1, 2).flatten(2), probs


def _dropout(probs):
    """Drop every third number, and enlarge the others: what dropout does, but never by chance."""
    kept = torch.arange(probs.numel()).reshape(probs.shape) % 3 > 0
    return probs * kept / (2 / 3)


def _heads_case(batch, seq, hidden, heads, dropout=as_it_is, masked=True, first=1, bias=0.0):
    seen = np.arange(seq) < np.arange(seq, seq - batch, -1)[:, None]
    seen[0] = first  # 0 hides all of a sentence
    mask = np.minimum(additive_mask(seen.astype(int))[:, None], bias * np.arange(seq))
    sides = torch.from_numpy(_RNG.standard_normal((3, batch, seq, hidden)))
    return *sides, heads, torch.from_numpy(mask) if masked else None, dropout


_CUT = "x.unflatten(-1, (heads, -1)).transpose(1, 2) → x.reshape(len(x), heads, x.shape[1], -1)"

check_many_heads = Exercise(
    "Write attention with many heads, a mask and dropout; return context and probabilities.",
    _many_heads,
    cases=[_heads_case(*sizes) for sizes in [(1, 3, 4, 2), (2, 5, 12, 3, as_it_is, True, 0),
           (3, 4, 10, 5, _dropout, True, 1, -0.7),
           (2, 3, 4, 1), (2, 4, 6, 3, _dropout, False)]],
    forbidden=["scaled_dot_product_attention", "MultiheadAttention"],
    mistakes={
        "scores + mask → scores.masked_fill(mask != 0, -torch.inf)": "A sentence of nothing but "
            "padding gives NaN: a row of −∞ alone has no softmax. The mask has numbers that hide "
            "as well: what is to be done with them?",
        "scores + mask → scores.masked_fill(mask < 0, torch.finfo(scores.dtype).min)":
            "You only look where the mask is below 0. Its other numbers count as well: add it.",
        "scores + mask → scores + mask / math.sqrt(q.shape[-1])":
            "The mask is divided along with the scores. Which of the two steps is first?",
        "math.sqrt( → (": "Scores are divided by the root of what a head's keys are long.",
        "dim=-1 → dim=-2 ¦ dim=1": "The probabilities of each query must sum to 1 over the keys.",
        "dropout(…) → torch.stack([dropout(p) for p in ….unbind(1)], 1)": "You go head by head.",
    },
)  # fmt: skip


def _rotation(steps, speeds=(1, 3)):
    """Turn each pair of (cos, sin) of a row vector by some steps at its speed."""
    turned = np.zeros((4, 4))
    for i, angle in enumerate(np.pi / 10 * steps * np.array(speeds)):
        cos, sin = np.cos(angle), np.sin(angle)
        turned[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return turned


def _query_weight(steps):
    return _rotation(-steps).T


check_query_weight = Exercise(
    "Write the weight of the linear layer whose queries look some steps back.",
    _query_weight,
    cases=[(1,), (2,), (3,)],
    mistakes={
        ".T →": "Your head looks ahead. A linear layer computes x times the transposed weight.",
        "-steps → -1": "Only turn, by some steps, and not one.",
        "-steps → -10 / np.pi * steps ¦ -180 / np.pi * steps": "With which two speeds, in radians, "
            "were the places made?",
        "→ np.eye(4)": "With this query a word looks at itself. Turn it.",
    },
)  # fmt: skip


class _Run:
    """Work that takes as long as is listed, call by call; two of them are always equal."""

    __name__ = "run"

    def __init__(self, *taken: float) -> None:
        self.now, self.taken = 100.0, [*taken, *[9.0] * 20]  # who calls too often waits

    def __call__(self) -> None:
        self.now += self.taken.pop(0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Run)


def _timed(times, *taken):
    run = _Run(*taken)
    return run, _Clock(run), times


class _Clock:
    """Tell what time it is after the calls of a run; two of them are always equal."""

    __name__ = "clock"

    def __init__(self, run: _Run) -> None:
        self.run = run

    def __call__(self) -> float:
        return self.run.now

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Clock)


def _seconds(run, clock, times):
    run()
    taken = []
    for _ in range(times):
        start = clock()
        run()
        taken.append(clock() - start)
    return min(taken)


check_seconds = Exercise(
    "Return the shortest time of several calls; the first call does not count.",
    _seconds,
    cases=[_timed(3, 5.0, 2.0, 1.5, 3.0, 0.25), _timed(1, 4.0, 2.5, 0.5),
           _timed(4, 0.125, 3.0, 2.0, 6.0, 4.0)],
    mistakes={
        "run()\n    taken → taken": "Your first call counts. Call run once before you measure.",
        "min(taken) → max(taken) ¦ sorted(taken)[len(taken) // 2] ¦ taken":
            "Which call has the rest of the machine disturbed least?",
        "min(taken) → sum(taken) ¦ sum(taken) / len(taken)": "An interrupted call counts there.",
        "(times) → (times - 1) ¦ (times + 1)": "One does not count; measure `times` more.",
        "clock() - start → start - clock() ¦ clock()": "What lies between the clock just before a "
            "call and just after it?",
    },
)  # fmt: skip
