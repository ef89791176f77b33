"""Exercises of Chapter 8: attend with many heads, design one that looks back, measure."""

from __future__ import annotations

import math

import numpy as np
import torch

from minibert.reference import additive_mask

from .exercise import Exercise, as_it_is

_RNG = np.random.default_rng(81)


def _many_heads(query, key, value, heads, mask, dropout):
    query, key, value = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, key, value))
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask
    probs = dropout(scores.softmax(dim=-1))
    return (probs @ value).transpose(1, 2).flatten(2), probs


def _dropout(probs):
    """Drop every third number, and enlarge the others: what dropout does, but never by chance."""
    kept = torch.arange(probs.numel()).reshape(probs.shape) % 3 > 0
    return probs * kept / (2 / 3)


def _heads_case(batch, seq, hidden, heads, dropout=as_it_is, masked=True):
    seen = np.arange(seq) < np.arange(seq, seq - batch, -1)[:, None]
    mask = additive_mask(seen.astype(int))[:, None]
    sides = torch.from_numpy(_RNG.standard_normal((3, batch, seq, hidden)))
    return *sides, heads, torch.from_numpy(mask) if masked else None, dropout


_CUT = "x.unflatten(-1, (heads, -1)).transpose(1, 2) → x.reshape(len(x), heads, x.shape[1], -1)"
_JOINED = ".transpose(1, 2).flatten(2) → .reshape(len(probs), probs.shape[2], -1)"

check_many_heads = Exercise(
    "Write attention with many heads, a mask and dropout; return context and probabilities.",
    _many_heads,
    cases=[
        _heads_case(*sizes)
        for sizes in [
            (1, 3, 4, 2),
            (2, 5, 12, 3),
            (3, 4, 10, 5, _dropout),
            (2, 3, 4, 1),
            (2, 4, 6, 3, _dropout, False),
        ]
    ],
    forbidden=["scaled_dot_product_attention", "MultiheadAttention"],
    mistakes={
        "return (probs @ value).transpose(1, 2).flatten(2), probs → "
        "return (probs @ value).transpose(1, 2).flatten(2)": "Only the context comes back. Which "
            "table has mixed the values? Return it as well: context, probs.",
        "return (probs @ value).transpose(1, 2).flatten(2), probs → "
        "return probs, (probs @ value).transpose(1, 2).flatten(2)": "The two results have changed "
            "places: the context comes first.",
        "(heads, -1) → (1, -1)": "You attend with one big head. Each head needs probabilities of "
            "its own.",
        "(heads, -1) → (-1, heads)": "You cut into pieces of the length `heads`. Which of the two "
            "new axes counts the heads, the first or the last?",
        "scores + mask → scores": "The mask has no effect. Add it to the scores, before the "
            "softmax.",
        "scores + mask → scores || .softmax(dim=-1) → .softmax(dim=-1) + (0 if mask is None else "
        "mask)": "You add the mask to the probabilities. It belongs to the scores, before the "
            "softmax.",
        "scores + mask → scores || .softmax(dim=-1) → .softmax(dim=-1) * (1 if mask is None else "
        "mask == 0)": "You hide after the softmax: the probabilities of a query no longer sum to "
            "1. Add the mask to the scores.",
        "scores + mask → scores * mask": "You multiply by the mask. It is added to the scores.",
        "scores + mask → scores - mask": "You subtract the mask. It is very negative already where "
            "nobody may look.",
        "scores + mask → scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)": "You hide "
            "where the mask is 0, and that is where a query may look. The mask is added.",
        "query.shape[-1] → query.shape[-1] * heads": "You divide by the square root of hidden. How "
            "long is a key of one head?",
        "math.sqrt( → (": "You divide by the size of a head. The typical size of a dot product is "
            "its square root.",
        "query.shape[-1] → heads": "You divide by the square root of the number of heads. How long "
            "is a key of one head?",
        "query.shape[-1] → query.shape[-2]": "You divide by the square root of the number of "
            "tokens. How long is a key of one head?",
        "/ math.sqrt(query.shape[-1]) →": "The scores are not divided. By what, and why?",
        "dim=-1 → dim=-2": "Your softmax runs over the queries. The probabilities of each query "
            "must sum to 1 over the keys.",
        "dim=-1 → dim=1": "Your softmax runs over the heads. The probabilities of each query must "
            "sum to 1 over the keys.",
        ".softmax(dim=-1) →": "Where is softmax? Scores are no probabilities.",
        "dropout(scores.softmax(dim=-1)) → scores.softmax(dim=-1)": "dropout is never called. It "
            "takes the probabilities, before they mix the values.",
        "dropout(scores.softmax(dim=-1)) → dropout(scores).softmax(dim=-1)": "You drop scores. A "
            "score of 0 is a score like others; it is the probabilities that are to be dropped.",
        "dropout(scores.softmax(dim=-1)) → scores.softmax(dim=-1) || (probs @ value) → "
        "(dropout(probs) @ value)": "The map that you return is not the one that has mixed the "
            "values: it comes from before dropout.",
        "dropout(scores.softmax(dim=-1)) → scores.softmax(dim=-1) || (probs @ value) → "
        "dropout(probs @ value)": "You drop numbers of the context. It is the probabilities that "
            "are to be dropped.",
        ".flatten(2), probs → .flatten(2), scores": "You return the scores. Which table has mixed "
            "the values?",
        "probs @ value → probs @ key": "You mix the keys. What does a token take from those it "
            "looks at?",
        (".transpose(1, 2) → || scores + mask → scores", ".transpose(1, 2) →"): "The heads of "
            "one token look at each other, and no token sees another one. The axis of the tokens "
            "must stand next to the last.",
        "key.transpose(-1, -2) → key": "Every query meets every key: the last two axes of key must "
            "change places.",
        (_CUT, f"{_CUT} || {_JOINED}"): "You reshape straight to (batch, heads, seq, head_size). A "
            "head then holds several pieces of one token. Cut the last axis, and let two axes "
            "change places.",
        _JOINED: "The heads are right, but their contexts are joined wrongly. Which two axes must "
            "change places back?",
        ".transpose(1, 2).flatten(2) → .flatten(2)": "The heads are flattened before the tokens. "
            "Which two axes must change places back first?",
        ".transpose(1, 2).flatten(2) →": "The contexts of the heads stand apart. Join them to one "
            "vector per token.",
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
        ".T →": "Your head looks the other way. A linear layer computes x times the transposed "
            "weight; and in which direction is back?",
        "-steps → -1": "Your head looks one step away, whatever is asked for. By how much do the "
            "hands turn in several steps?",
        "-steps → -steps, speeds=(1, 1)": "Both hands turn at one speed. The second one is three "
            "times as fast.",
        "-steps → -steps, speeds=(3, 1)": "The speeds have changed places. Which pair is the slow "
            "one?",
        "→ np.eye(4)": "With this query a word looks at itself. Turn it.",
        "→ 5.5 * right(steps)": "The right direction. But this query should be as long as the "
            "place: only turn it.",
        "-steps → -steps, speeds=(1, 0)": "The second hand stands still. It turns, too.",
        "-steps → -10 / np.pi * steps": "Your hands turn by 1 radian a word. With which speeds "
            "were the places made?",
    },
)  # fmt: skip


class _Watch:
    """A clock that shows what time it is after so many calls; two of them are always equal."""

    def __init__(self, *taken: float) -> None:
        self.now, self.taken = 100.0, [*taken]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Watch)


class _Run(_Watch):
    """Work that takes so long by the watch: the first call longest, each later one as listed."""

    __name__ = "run"

    def __init__(self, watch: _Watch) -> None:
        self.watch = watch

    def __call__(self) -> None:
        self.watch.now += self.watch.taken.pop(0)


class _Clock(_Run):
    """Tell the time of a watch."""

    __name__ = "clock"

    def __call__(self) -> float:
        return self.watch.now


def _timed(times, *taken):
    watch = _Watch(*taken, *[9.0] * 20)  # who calls too often waits
    return _Run(watch), _Clock(watch), times


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
    cases=[
        _timed(3, 5.0, 2.0, 1.5, 3.0, 0.25),
        _timed(1, 4.0, 2.5, 0.5),
        _timed(4, 0.125, 3.0, 2.0, 6.0, 4.0),
    ],
    mistakes={
        "run()\n    taken → taken": "Your first call counts. Call run once before you measure.",
        "min(taken) → max(taken)": "You return the longest time. Which call has the rest of the "
            "machine disturbed least?",
        "min(taken) → sum(taken)": "You return the time of all calls together. How long does one "
            "take, undisturbed?",
        "min(taken) → sum(taken) / len(taken)": "You return the mean. A call that something else "
            "has interrupted counts in it; which number does not feel it?",
        "min(taken) → sorted(taken)[len(taken) // 2]": "You return the median. Which call has the "
            "rest of the machine disturbed least?",
        "min(taken) → taken[-1]": "You return the time of the last call. Does your list grow, and "
            "what do you take from it?",
        "min(taken) → taken": "You return all times. Which of them is asked for?",
        "range(times) → range(times - 1)": "You measure one call too few: the one that does not "
            "count comes on top of `times`.",
        "range(times) → range(times + 1)": "You measure one call too many.",
        "clock() - start → start - clock()": "Your times are negative: end minus start.",
        "clock() - start → clock()": "clock() says what time it is. How long is it since the "
            "start?",
    },
)  # fmt: skip
