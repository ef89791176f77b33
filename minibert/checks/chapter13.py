"""Exercises of Chapter 13: the schedule, clipping, pieces of a batch, going on."""

from __future__ import annotations

import math

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(13)


def _fall(step, warm, end):
    return (end - step) / (end - warm)


def _rate(step, peak, warm, end, *, rise=lambda step, warm, end: step / warm, fall=_fall, shift=0,
          times=as_it_is):  # fmt: skip
    """Compute the learning rate of an update: a rise, then a fall to 0."""
    step = step + shift
    part = rise(step, warm, end) if step < warm else fall(step, warm, end)
    return times(peak) * max(0.0, part)


def _cosine(step, warm, end):
    return (1 + math.cos(math.pi * (step - warm) / (end - warm))) / 2


check_schedule = Exercise(
    "Return the learning rate of an update, with warm-up and linear decay.",
    _rate,
    cases=[
        (step, peak, warm, end)
        for peak, warm, end in ((1.0, 4, 9), (1e-4, 10, 100))
        for step in (1, 3, warm, warm + 1, end - 1, end)
    ],
    forbidden=["learning_rate_factor"],
    mistakes=[
        Mistake({"fall": lambda s, w, e: 1}, "It rises as it should. After the warm-up, where does "
                "it have to arrive?"),
        Mistake({"rise": lambda s, w, e: (e - s) / e, "fall": lambda s, w, e: (e - s) / e},
                "It falls from the very first step. What about the warm-up?"),
        Mistake({"rise": _fall}, "It falls along one line from the very first step. What about the "
                "warm-up?"),
        Mistake({"rise": lambda s, w, e: 1}, "It begins at the peak. What about the warm-up?"),
        Mistake({"fall": lambda s, w, e: (e - s) / e}, "Right up to the peak, and then it jumps. "
                "How many steps has the fall, if the warm-up is over?"),
        Mistake(lambda s, p, w, e: p * min(s / w, 1) * (e - s) / e, "You multiply warm-up and "
                "decay. The fall begins when the rise is over, at the peak."),
        Mistake(lambda s, p, w, e: p * min(s / w, (e - s) / e), "You take the smaller of two "
                "lines, but the second one begins at step 0. Where should it leave the peak?"),
        Mistake({"fall": _cosine}, "That is a cosine. This schedule falls along a straight line."),
        Mistake({"rise": lambda s, w, e: s // w, "fall": lambda s, w, e: (e - s) // (e - w)},
                "// rounds down to whole numbers. Divide by /."),
        Mistake({"shift": 1}, "You are one step ahead. How many updates were made before the first "
                "one?"),
        Mistake({"shift": -1}, "You are one step late. The rate is highest when as many updates "
                "were made as the warm-up has."),
        Mistake({"times": lambda peak: 1}, "You return a share of the peak. Multiply it by the "
                "peak itself."),
    ],
)  # fmt: skip


def _length(*gradients):
    return math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients))


def _at_most_one(ratio):
    return min(1.0, ratio)


def _clip(weight, bias, longest, *, length=_length, factor=_at_most_one, limit=None):
    share = factor((limit or longest) / length(weight, bias))
    return weight * share, bias * share


def _each(weight, bias, longest):
    return tuple(gradient * min(1.0, longest / _length(gradient)) for gradient in (weight, bias))


check_clipping = Exercise(
    "Shorten two gradients together, if they are too long together.",
    _clip,
    cases=[
        (np.array([[3.0]]), np.array([4.0]), 1.0),
        (_RNG.normal(size=(2, 3)), _RNG.normal(size=2), 0.5),
        (_RNG.normal(size=(2, 2)), 5 * _RNG.normal(size=2), 2.0),
        (np.array([[0.3, 0.0]]), np.array([0.4]), 1.0),
    ],
    mistakes=[
        Mistake(_each, "Each gradient is shortened on its own. That turns the direction of the "
                "whole: there is one length for both."),
        Mistake({"factor": as_it_is}, "Long gradients are right. What should happen to one that is "
                "short enough?"),
        Mistake(lambda w, b, longest: (w.clip(-longest, longest), b.clip(-longest, longest)),
                "You cut each number off. That turns the direction; scale all numbers by one "
                "factor."),
        Mistake({"length": lambda w, b: _length(w, b) ** 2}, "You divide by the square of the "
                "length. Where is the root?"),
        Mistake({"length": lambda w, b: np.abs(w).sum() + np.abs(b).sum()}, "You measure the "
                "length by adding up sizes. Add up squares, then take the root."),
        Mistake({"length": lambda w, b: _length(w) + _length(b)}, "You add two lengths. That of "
                "both together is the root of all squares, as a path over a corner is longer than "
                "the straight one."),
        Mistake({"length": lambda w, b: max(_length(w), _length(b))}, "You take the longer of the "
                "two. There is one length of both together."),
        Mistake({"factor": lambda ratio: 1.0}, "Nothing is shortened."),
        Mistake({"limit": 1.0}, "You make the length 1. Which length is allowed?"),
        Mistake({"factor": lambda ratio: max(1.0, ratio)}, "You lengthen what is short. It is the "
                "long ones that are shortened."),
    ],
)  # fmt: skip


def _of_pieces(gradients, labels, longest, *, shares=None, clip=_at_most_one, each=False,
               known=lambda labels: np.array(labels) > 0):  # fmt: skip
    """Weight gradients with their labels, add them up, and shorten the sum."""
    gradients, labels = np.array(gradients), np.array(labels)
    weights = shares(labels) if shares else labels / labels.sum()

    def shortened(gradient):
        return gradient * clip(longest / _length(gradient))

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
        Mistake({"clip": lambda ratio: min(1.0, ratio**2)}, "You divide by the square of the "
                "length. Where is the root?"),
        Mistake({"known": lambda n: n >= 0}, "Right, as long as every piece has a label. What is "
                "0 times NaN?"),
    ],
)  # fmt: skip


def _go_on(saved, gradients, lr, *, memory=True, first=None, count=1, weight=as_it_is,
           fair=True, root=math.sqrt):  # fmt: skip
    """Make the updates of Adam that are left."""
    m, v = (saved["m"], saved["v"]) if memory else (0.0, 0.0)
    step, here = saved["step"], weight(saved["weight"])
    for place, g in enumerate(gradients[step if first is None else first :], start=step):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        t = place + count if count >= 0 else place - step + 1
        by_m, by_v = (1 - 0.9**t, 1 - 0.999**t) if fair and t > 0 else (1.0, 1.0)
        here -= lr * (m / by_m) / root(v / by_v)
    return here


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
        Mistake({"root": as_it_is}, "Adam divides by the root of v."),
        Mistake({"weight": lambda weight: 0.0}, "The weight begins at 0. It was kept."),
        Mistake(KeyError, "The dictionary has the keys 'step', 'weight', 'm' and 'v'."),
        Mistake(ZeroDivisionError, "At the first update that is left you divide by 0. Its number "
                "is step + 1."),
    ],
)  # fmt: skip
