"""Exercises of Chapter 13: pieces of a batch, going on."""

from __future__ import annotations

import math

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
        Mistake({"shares": lambda n: _inverse(n) / _inverse(n).sum()}, "You divide by the number "
                "of labels. A piece counts more, the more labels stand behind it."),
        Mistake({"shares": lambda n: _inverse(n)}, "You divide by the number of labels. It is a "
                "mean already; undo that before you add."),
        Mistake({"shares": lambda n: n / (n > 0).sum()}, "You divide by the number of pieces. It "
                "is a mean over labels."),
        Mistake(lambda gs, n, longest: _of_pieces(gs, n, longest / np.sum(n)), "You clip before "
                "you divide by the number of labels. Shorten the mean."),
        Mistake(lambda gs, n, longest: _of_pieces(gs, n, 1.0), "You make the length 1. Which "
                "length is allowed?"),
        Mistake(lambda gs, n, longest: _of_pieces(gs, n, np.inf).clip(-longest, longest), "You cut "
                "each number off. That turns the direction; scale all numbers by one factor."),
        *(Mistake({"length": length}, "That is another length. It is the root of the sum of all "
                  "squares.") for length in (lambda g: np.abs(g).sum(), lambda g: np.abs(g).max(),
                                             lambda g: (g**2).sum())),
        Mistake({"known": lambda n: np.arange(len(n)) == 0}, "Your loop ends in its first round. "
                "Does the return stand inside it?"),
        Mistake({"known": lambda n: np.cumprod(np.array(n) > 0) > 0}, "You stop at a piece without "
                "labels. Those after it count, too."),
        Mistake({"known": lambda n: n >= 0}, "Right, as long as every piece has a label. What is "
                "0 times NaN?"),
    ],
)  # fmt: skip


def _go_on(saved, gradients, lr, *, memory=True, first=None, count=1, weight=as_it_is, fair=True,
           betas=(0.9, 0.999), square=np.square, size=lambda v, by: math.sqrt(v / by), keep=False,
           decay=0.0):  # fmt: skip
    """Make the updates of Adam that are left."""
    one, two = betas
    m, v = (saved["m"], saved["v"]) if memory else (0.0, 0.0)
    step, here = saved["step"], weight(saved["weight"])
    for place, g in enumerate(gradients[step if first is None else first :], start=step):
        m, v = one * m + (1 - one) * g, two * v + (1 - two) * square(g)
        t = place + count if count >= 0 else place - step + 1
        by_m, by_v = (1 - one**t, 1 - two**t) if fair and t > 0 else (1.0, 1.0)
        here -= lr * (m / by_m) / size(v, by_v) + lr * decay * here
        m, v = (m / by_m, v / by_v) if keep else (m, v)
    return here


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
        Mistake({"memory": False, "count": -1}, "You begin with an Adam that has no memory. What "
                "was kept besides the weight?"),
        Mistake({"memory": False}, "m and v begin at 0 again. They were kept."),
        Mistake({"first": 0}, "You go through all gradients again. How many updates were made "
                "already?"),
        Mistake({"first": 0, "count": -1}, "You go through all gradients again, and count the "
                "updates from 1. How many were made already?"),
        Mistake({"count": -1}, "Weight, m and v go on; but you count the updates from 1 again, "
                "and m and v are divided by shares that are too small."),
        Mistake({"count": 0}, "You divide by the shares after one update fewer. The first update "
                "that you make has the number step + 1."),
        Mistake({"count": 2}, "You divide by the shares after one update more. The first update "
                "that you make has the number step + 1."),
        Mistake({"fair": False}, "m and v are too small at first. By what are they divided?"),
        Mistake({"size": lambda v, by: v / by}, "Adam divides by the root of v."),
        Mistake({"size": lambda v, by: math.sqrt(v) / by}, "You take the root of v before you "
                "divide it by its share. Divide first."),
        Mistake({"size": lambda v, by: 1.0}, "That moves by m alone. Adam divides it by the root "
                "of v."),
        Mistake({"size": lambda v, by: 1.0, "fair": False}, "That moves by m alone, as it was "
                "kept. By what does Adam divide?"),
        Mistake({"square": abs}, "v gathers squares of the gradients, not their sizes."),
        Mistake({"square": as_it_is}, "v gathers squares of the gradients."),
        Mistake({"betas": (0.999, 0.9)}, "You have exchanged the two rates: m forgets faster."),
        Mistake({"keep": True}, "You divide m and v by their shares and keep the quotients. Keep m "
                "and v as they are, and divide for each move anew."),
        Mistake({"decay": 0.01}, "The weight decays. This run has no decay."),
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
