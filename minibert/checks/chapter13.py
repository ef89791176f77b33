"""Exercises of Chapter 13: the schedule, clipping, what decays, the mean over batches."""

from __future__ import annotations

import math

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(13)


def _rise(step, warm, end):
    return step / warm


def _fall(step, warm, end):
    return (end - step) / (end - warm)


def _rate(step, peak, warm, end, *, rise=_rise, fall=_fall, shift=0, times=as_it_is):
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


def _decays(name, *, bias=True, norm=True, tables=False, turned=False):
    out = (bias and name.endswith("bias")) or (norm and "LayerNorm" in name)
    return (out or (tables and "embeddings" in name)) == turned


check_decays = Exercise(
    "Say whether weight decay may shrink a parameter of BERT, told by its name.",
    _decays,
    cases=[
        ("bert.embeddings.word_embeddings.weight",),
        ("bert.embeddings.position_embeddings.weight",),
        ("bert.embeddings.LayerNorm.weight",),
        ("bert.embeddings.LayerNorm.bias",),
        ("bert.encoder.layer.0.attention.self.query.weight",),
        ("bert.encoder.layer.0.attention.self.query.bias",),
        ("bert.encoder.layer.0.output.LayerNorm.weight",),
        ("bert.encoder.layer.0.output.dense.weight",),
        ("cls.predictions.transform.LayerNorm.bias",),
        ("cls.predictions.bias",),
    ],
    mistakes=[
        Mistake({"turned": True}, "Turned around: return True for what decays."),
        Mistake({"norm": False}, "Biases are right. Which other parameters would be harmed by a "
                "pull toward 0? Think of what is 1 at the start."),
        Mistake({"bias": False}, "LayerNorms are right. What about the biases of linear layers?"),
        Mistake({"tables": True}, "The tables of the embeddings are matrices, and decay like any "
                "other."),
        Mistake({"bias": False, "norm": False}, "Everything decays. Which parameters should be "
                "left in peace?"),
        Mistake(lambda name: False, "Nothing decays. Which parameters are matrices?"),
        Mistake(lambda name: "bias" not in name or "LayerNorm" not in name, "You leave out only "
                "what is a bias and in a LayerNorm at once. One of the two is enough."),
    ],
)  # fmt: skip


def _known(means, labels):
    return [(mean, n) for mean, n in zip(means, labels) if n]


def _total(means, labels):
    return sum(mean * n for mean, n in _known(means, labels))


def _mean_loss(means, labels, *, total=_total, over=lambda means, labels: sum(labels)):
    return total(means, labels) / over(means, labels)


check_mean_loss = Exercise(
    "Take the mean loss over the labels of several batches.",
    _mean_loss,
    cases=[
        ([4.0, 2.0], [1, 3]),
        ([1.0, 3.0], [8, 2]),
        ([2.5, 0.5, 1.5], [7, 1, 30]),
        ([2.0, math.nan, 4.0], [3, 0, 1]),
    ],
    mistakes=[
        Mistake(lambda means, labels: float(np.mean(means)), "The mean of the means. A label in a "
                "small batch counts more there than one in a large batch."),
        Mistake(lambda means, labels: float(np.nanmean(means)), "The mean of the means, NaN left "
                "out. A label in a small batch counts more there than one in a large batch."),
        Mistake({"total": np.dot}, "Right, as long as every batch has a label. What is 0 times "
                "NaN?"),
        Mistake({"over": lambda means, labels: len(means)}, "The sum is right. It is a sum over "
                "labels, so divide by their number."),
        Mistake({"over": lambda means, labels: len(_known(means, labels))}, "The sum is right. It "
                "is a sum over labels, so divide by their number."),
        Mistake({"over": lambda means, labels: 1}, "That is the sum over all labels. A mean is "
                "wanted."),
        Mistake({"total": lambda means, labels: np.nansum(means)}, "You add the means up as they "
                "are. How many labels stand behind each?"),
    ],
)  # fmt: skip
