"""Exercise of Chapter 9: LayerNorm. The classes of the layer have `check_module`."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(91)


def _layer_norm(x, weight, bias, eps, *, center=True, ddof=0, axis=-1, inside=as_it_is,
                outside=lambda eps: 0, power=0.5,
                end=lambda x, weight, bias: x * weight + bias):  # fmt: skip
    mean = x.mean(axis=axis, keepdims=True)
    variance = x.var(axis=axis, keepdims=True, ddof=ddof)
    spread = (variance + inside(eps)) ** power + outside(eps)
    return end((x - mean if center else x) / spread, weight, bias)


def _norm_case(*shape, eps):
    x = 0.4 * _RNG.standard_normal(shape) + 1
    return x, *_RNG.standard_normal((2, shape[-1])), eps


check_layer_norm = Exercise(
    "Write LayerNorm along the last axis, for any number of axes in front, with ε in its place.",
    _layer_norm,
    cases=[_norm_case(4, eps=0.04), _norm_case(2, 3, eps=0.01), _norm_case(2, 3, 5, eps=1e-12)],
    forbidden=["layer_norm", "LayerNorm"],
    mistakes=[
        Mistake({"inside": lambda eps: 0, "outside": as_it_is}, "You add ε to the root. It belongs "
                "inside, to the variance: what would the root of 0 have as its slope?"),
        Mistake({"inside": lambda eps: 0}, "Where is ε? Your numbers are right only where the "
                "variance is large beside it."),
        *(Mistake({"inside": lambda eps, fixed=fixed: fixed}, f"Your ε is {fixed:.0e}, whatever is "
                  "asked for. Use the one that is given.") for fixed in (1e-5, 1e-6)),
        Mistake({"inside": lambda eps: eps**2}, "You square ε. The variance is a square already; ε "
                "is added to it as it is."),
        Mistake({"ddof": 1}, "Your variance divides by n - 1. Nothing is estimated from a sample "
                "here: by what does LayerNorm divide?"),
        Mistake({"power": 1}, "You divide by the variance. In which unit is it, and in which is "
                "x?"),
        Mistake({"power": 0}, "Where is the division by the spread?"),
        Mistake({"center": False}, "You divide by the spread. What was to be subtracted before?"),
        Mistake({"axis": None}, "You take one mean over the whole array. Does one token know about "
                "another?"),
        Mistake({"axis": 0}, "You go down the first axis. Along which axis lies the vector of one "
                "token?"),
        Mistake({"end": lambda x, w, b: x}, "Mean 0 and variance 1 are right. Now stretch by the "
                "weight and shift by the bias."),
        Mistake({"end": lambda x, w, b: x * w}, "Where is the bias?"),
        Mistake({"end": lambda x, w, b: x + b}, "Where is the weight?"),
        Mistake({"end": lambda x, w, b: (x + b) * w}, "You shift before you stretch, so the bias "
                "is stretched as well. Which comes first?"),
    ],
)  # fmt: skip
