"""Exercises of Chapter 13: pieces of a batch, going on."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(31)


def _at_most_one(ratio):
    return min(1.0, ratio)


def _inverse(labels):
    return np.where(labels > 0, 1 / np.maximum(labels, 1), 0.0)


def _of_pieces(gradients, labels, longest, *, shares=None, clip=_at_most_one, each=False,
               length=np.linalg.norm, known=lambda labels: np.array(labels) > 0):  # fmt: skip
    """Weight gradients with their labels, add them up, and shorten the sum."""
    gradients, labels = np.array(gradients), np.array(labels)
    weights = shares(labels) if shares else labels / labels.sum()

    def shortened(gradient):
        return gradient * clip(longest / length(gradient))

    parts = [
        weight * (shortened(gradient) if each else gradient)
        for gradient, weight, keep in zip(gradients, weights, known(labels))
        if keep
    ]
    total = np.sum(parts, axis=0)
    return total if each else shortened(total)


check_accumulation = Exercise(
    "Join the gradients of a batch that came in pieces, and clip.",
    _of_pieces,
    cases=[
        ([np.array([3.0, 1.0]), np.array([-1.0, 1.0])], [1, 3], 9.0),
        ([np.array([8.0, 0.0]), np.array([0.0, 2.0])], [1, 3], 1.0),
        ([*_RNG.normal(size=(3, 4))], [5, 1, 2], 0.5),
        ([np.array([1.0, 2.0]), np.full(2, np.nan), np.array([3.0, -1.0])], [2, 0, 5], 10.0),
    ],
    mistakes=[
        Mistake({"shares": lambda n: np.full(len(n), 1 / (n > 0).sum())}, "Each piece counts the "
                "same here. A label in a small piece counts more then than one in a large piece."),
        Mistake({"shares": lambda n: np.full(len(n), 1 / len(n))}, "Each piece counts the same "
                "here, even one without a label. By what should a piece be weighted?"),
        Mistake({"shares": lambda n: np.ones(len(n))}, "You add the gradients up as they are. "
                "Each is that of a mean: how many labels stand behind it?"),
        Mistake({"shares": lambda n: n}, "You weight with the number of labels. What is missing "
                "to make a mean of the sum?"),
        Mistake({"shares": lambda n: n / len(n)}, "You divide by the number of pieces. It is a "
                "mean over labels."),
        Mistake({"each": True}, "You shorten each piece. The pieces have no length of their own: "
                "shorten what they make together, once."),
        Mistake({"clip": lambda ratio: 1.0}, "Added up as it should be. And if it is too long?"),
        Mistake({"clip": as_it_is}, "You bring every gradient to the allowed length. What should "
                "happen to one that is short enough?"),
        *(Mistake({"shares": lambda n, all=all: _inverse(n) / all(n)}, "You divide by the number "
                  "of labels. A piece counts more, the more labels stand behind it.")
          for all in (lambda n: _inverse(n).sum(), np.sum)),
        Mistake({"shares": lambda n: _inverse(n)}, "You divide by the number of labels. It is a "
                "mean already; undo that before you add."),
        Mistake({"shares": lambda n: n / (n > 0).sum()}, "You divide by the number of pieces. It "
                "is a mean over labels."),
        Mistake(lambda gs, n, longest: _of_pieces(gs, n, longest / np.sum(n)), "You clip before "
                "you divide by the number of labels. Shorten the mean."),
        *(Mistake(lambda gs, n, longest, clip=clip: _of_pieces(gs, n, 1.0, clip=clip), "You make "
                  "the length 1. Which length is allowed?") for clip in (_at_most_one, as_it_is)),
        Mistake(lambda gs, n, longest: _of_pieces(gs, n, np.inf).clip(-longest, longest), "You cut "
                "each number off. That turns the direction; scale all numbers by one factor."),
        *(Mistake({"length": length}, "That is another length. It is the root of the sum of all "
                  "squares.") for length in (lambda g: np.abs(g).sum(), lambda g: np.abs(g).max(),
                                             lambda g: (g**2).sum(), np.sum,
                                             lambda g: math.sqrt((g**2).mean()))),
        Mistake({"known": lambda n: np.arange(len(n)) == 0}, "Your loop ends in its first round. "
                "Does the return stand inside it?"),
        Mistake({"known": lambda n: np.cumprod(np.array(n) > 0) > 0}, "You stop at a piece without "
                "labels. Those after it count, too."),
        Mistake(lambda gs, n, longest: _of_pieces(gs, np.where(np.array(n) > 1, n, 0), longest),
                "A piece with a single label counts, too."),
        *(Mistake({"shares": lambda n, one=one: n / one(n[n > 0])}, "You divide by the labels of "
                  "one piece. The mean is over those of all.")
          for one in (lambda n: n[0], lambda n: n[-1], np.max)),
        Mistake({"shares": lambda n: np.ones(len(n)) / n.sum()}, "Each gradient is that of a mean. "
                "Multiply it by its labels before you add, and then divide by all labels."),
        Mistake(lambda gs, n, longest: _of_pieces(gs, n, np.inf) * min(1.0, longest / math.sqrt(
                np.nansum(np.square(gs)))), "You measure the pieces. Measure what they make "
                "together."),
        Mistake({"clip": lambda ratio: min(1.0, 1 / ratio)}, "Your factor is upside down: it is "
                "the allowed length divided by the length."),
        Mistake({"clip": lambda ratio: max(1.0, ratio)}, "You lengthen what is short. It is the "
                "long ones that are shortened."),
        Mistake(lambda gs, n, longest: min(1.0, longest / np.linalg.norm(_of_pieces(
                gs, n, np.inf))), "That is the factor. Multiply the gradient by it."),
        Mistake({"known": lambda n: n >= 0}, "Right, as long as every piece has a label. What is "
                "0 times NaN?"),
    ],
)  # fmt: skip


_OLD_AND_NEW = ((0.9, 0.1), (0.999, 0.001))


def _go_on(saved, gradients, lr, *, memory=True, first=None, weight=as_it_is, decay=0.0,
           count=lambda place, step, end: place + 1, mix=_OLD_AND_NEW, betas=(0.9, 0.999),
           square=lambda g, m: g * g, fair=lambda m, v: (m, v), keep=False,
           size=lambda v, by: math.sqrt(v / by)):  # fmt: skip
    """Make the updates of Adam that are left."""
    m, v = (saved["m"], saved["v"]) if memory else (0.0, 0.0)
    step, here = saved["step"], weight(saved["weight"])
    for place, g in enumerate(gradients[step if first is None else first :], start=step):
        m = mix[0][0] * m + mix[0][1] * g
        v = mix[1][0] * v + mix[1][1] * square(g, m)
        t = count(place, step, len(gradients))
        by_m, by_v = fair(*(1 - beta**t for beta in betas))
        here -= lr * (m / by_m) / size(v, by_v) + lr * decay * here
        m, v = (m / by_m, v / by_v) if keep else (m, v)
    return here


def _from_one(place, step, end):
    return place - step + 1


def _moving_first(saved, gradients, lr, ahead):
    """Move by the m and v of the update before, and renew them then."""
    weight, m, v = saved["weight"], saved["m"], saved["v"]
    for t, g in enumerate(gradients[saved["step"] :], start=saved["step"] + ahead):
        weight -= lr * m / (1 - 0.9**t) / math.sqrt(v / (1 - 0.999**t))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return weight


def _without(gradients, place):
    return gradients[:place] + gradients[place + 1 :]


_CUT = {"step": 2, "weight": 1.5, "m": 0.07, "v": 0.0006}

check_going_on = Exercise(
    "Go on with a run of Adam from what was kept of it.",
    _go_on,
    cases=[
        (_CUT, [0.5, 0.3, -0.4, 0.2], 0.1),
        ({"step": 1, "weight": -0.3, "m": -0.2, "v": 0.004}, [-2.0, 0.7, 1.1], 0.01),
        ({"step": 3, "weight": 2.0, "m": 0.01, "v": 0.002}, [0.1, -0.9, 1.0, 0.4, 0.4, -0.6], 0.5),
    ],
    edges=[(_CUT, [0.5, 0.3], 0.1)],
    mistakes=[
        Mistake({"memory": False, "count": _from_one}, "You begin with an Adam that has no "
                "memory. What was kept besides the weight?"),
        Mistake({"memory": False}, "m and v begin at 0 again. They were kept."),
        Mistake({"first": 0}, "You go through all gradients again. How many updates were made "
                "already?"),
        Mistake({"first": 0, "count": _from_one}, "You go through all gradients again, and count "
                "the updates from 1. How many were made already?"),
        Mistake({"count": _from_one}, "Weight, m and v go on; but you count the updates from 1 "
                "again, and m and v are divided by shares that are too small."),
        *(Mistake({"count": lambda place, step, end, off=off: place + off}, "You divide by the "
                  f"shares after one update {than}. The first update that you make has the number "
                  "step + 1.") for off, than in ((0, "fewer"), (2, "more"))),
        *(Mistake(partial(_go_on, count=count), "You divide by the same two shares in all updates. "
                  "They change with the number of the update.") for count in (
                  lambda place, step, end: step + 1, lambda place, step, end: step,
                  lambda place, step, end: end)),
        *(Mistake(partial(_moving_first, ahead=ahead), "You move before m and v "
                  "have taken in the new gradient. Renew them first.") for ahead in (0, 1)),
        Mistake({"fair": lambda m, v: (1.0, 1.0)}, "m and v are too small at first. By what are "
                "they divided?"),
        *(Mistake(partial(_go_on, fair=fair), f"Only {one} is divided by its share. Both are too "
                  "small at first.") for one, fair in (("v", lambda m, v: (1.0, v)),
                                              ("m", lambda m, v: (m, 1.0)))),
        *(Mistake(partial(_go_on, fair=fair), "A share is below 1, so multiplying makes what is "
                  "too small even smaller. Divide by it.") for fair in (
                  lambda m, v: (1 / m, v), lambda m, v: (m, 1 / v), lambda m, v: (1 / m, 1 / v))),
        Mistake({"size": lambda v, by: v / by}, "Adam divides by the root of v."),
        Mistake({"size": lambda v, by: math.sqrt(v) / by}, "You take the root of v before you "
                "divide it by its share. Divide first."),
        Mistake({"size": lambda v, by: 1.0}, "That moves by m alone. Adam divides it by the root "
                "of v."),
        Mistake({"size": lambda v, by: 1.0, "fair": lambda m, v: (1.0, 1.0)}, "That moves by m "
                "alone, as it was kept. By what does Adam divide?"),
        Mistake(partial(_go_on, size=lambda v, by: math.sqrt(v / by) + 1e-8), "Right, but for a "
                "small number in the denominator. ε is 0 here."),
        Mistake({"square": lambda g, m: abs(g)}, "v gathers squares of the gradients, not their "
                "sizes."),
        Mistake({"square": lambda g, m: g}, "v gathers squares of the gradients."),
        Mistake(partial(_go_on, square=lambda g, m: m * m), "v gathers squares of the gradients, "
                "not of m."),
        Mistake(partial(_go_on, square=lambda g, m: 0.001 * g * g), "You square 0.001, too. Only "
                "the gradient is squared."),
        *(Mistake(partial(_go_on, mix=mix), "Of the old m or v much is kept, and little of the "
                  "new gradient comes in: 0.9 and 0.1, 0.999 and 0.001.") for mix in (
                  ((0.9, 1.0), _OLD_AND_NEW[1]), (_OLD_AND_NEW[0], (0.999, 1.0)),
                  ((0.9, 1.0), (0.999, 1.0)), ((0.1, 0.9), _OLD_AND_NEW[1]),
                  (_OLD_AND_NEW[0], (0.001, 0.999)), ((0.1, 0.9), (0.001, 0.999)))),
        *(Mistake(partial(_go_on, mix=(_OLD_AND_NEW[0], (0.99, 0.01)), betas=(0.9, beta)), "v "
                  "keeps 0.999 of what it was, not 0.99.") for beta in (0.999, 0.99)),
        Mistake({"mix": _OLD_AND_NEW[::-1], "betas": (0.999, 0.9)}, "You have exchanged the two "
                "rates: m forgets faster."),
        Mistake({"keep": True}, "You divide m and v by their shares and keep the quotients. Keep m "
                "and v as they are, and divide for each move anew."),
        Mistake({"decay": 0.01}, "The weight decays. This run has no decay."),
        Mistake(lambda saved, gs, lr: saved["weight"] + _go_on(saved, gs, lr) - _go_on(
                saved, gs[:-1], lr), "Each of your moves begins at the weight that was kept. Begin "
                "where the one before has ended."),
        Mistake(lambda saved, gs, lr: saved["weight"], "You return the weight as it was kept. Does "
                "your loop change it?"),
        Mistake(lambda saved, gs, lr: _go_on(saved, gs[:-1], lr), "The last gradient is left out. "
                "Where does your range end?"),
        Mistake(lambda saved, gs, lr: _go_on(saved, [gs[-1], *gs[:-1]], lr), "You are one gradient "
                "behind. The first one that is left is gradients[step]."),
        Mistake(lambda saved, gs, lr: _go_on(saved, gs[: saved["step"]], lr, first=0,
                count=_from_one), "You make the updates again that were made. Begin behind them, "
                "and go on until no gradient is left."),
        Mistake(lambda saved, gs, lr: _go_on(saved, gs, 1.0), "By what is each move multiplied? "
                "The learning rate is missing."),
        Mistake(lambda saved, gs, lr: _go_on(saved, gs, -lr), "You walk uphill. Which sign has a "
                "step?"),
        Mistake(lambda saved, gs, lr: saved["weight"] - lr * sum(gs[saved["step"] :]), "That is "
                "the step of plain gradient descent. What are m and v for?"),
        Mistake(lambda saved, gs, lr: _go_on({**saved, "step": saved["step"] + 1}, gs, lr),
                "You begin one gradient too late. Counting starts at 0: the first one that is left "
                "is gradients[step]."),
        Mistake(lambda saved, gs, lr: _go_on(saved, _without(gs, saved["step"]), lr), "You begin "
                "one gradient too late. The first one that is left is gradients[step]."),
        Mistake(lambda saved, gs, lr: _go_on({**saved, "step": saved["step"] - 1}, gs, lr),
                "You make one update again that was made. The first gradient that is left is "
                "gradients[step]."),
        Mistake(lambda saved, gs, lr: _go_on(saved, gs[: saved["step"] + 1], lr), "That is one "
                "update. Go on until no gradient is left."),
        *(Mistake(lambda saved, gs, lr, name=name: _go_on({**saved, name: 0.0}, gs, lr), f"{name} "
                  "begins at 0 again. It was kept.") for name in "mv"),
        Mistake({"weight": lambda weight: 0.0}, "The weight begins at 0. It was kept."),
        Mistake(KeyError, "The dictionary has the keys 'step', 'weight', 'm' and 'v'."),
        Mistake(ZeroDivisionError, "At the first update that is left you divide by 0. Its number "
                "is step + 1."),
    ],
)  # fmt: skip
