"""Exercise of Chapter 9: LayerNorm. The classes of the layer have `check_module`."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(91)


def _layer_norm(x, weight, bias, eps):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return centered / np.sqrt(variance + eps) * weight + bias


def _norm_case(*shape, eps):
    x = 0.4 * _RNG.standard_normal(shape) + 1
    return x, *_RNG.standard_normal((2, shape[-1])), eps


check_layer_norm = Exercise(
    "Write LayerNorm along the last axis, for any number of axes in front, with ε in its place.",
    _layer_norm,
    cases=[_norm_case(4, eps=0.04), _norm_case(2, 3, eps=0.01), _norm_case(2, 3, 5, eps=1e-12)],
    forbidden=["layer_norm", "LayerNorm"],
    mistakes={
        "np.sqrt(variance + eps) → (np.sqrt(variance) + eps)": "You add ε to the root. It belongs "
            "inside, to the variance: what would the root of 0 have as its slope?",
        "variance + eps → variance": "Where is ε? Your numbers are right only where the variance "
            "is large beside it.",
        "variance + eps → variance + 1e-5": "Your ε is 1e-05, whatever is asked for. Use the one "
            "that is given.",
        "variance + eps → variance + 1e-6": "Your ε is 1e-06, whatever is asked for. Use the one "
            "that is given.",
        "variance + eps → variance + eps**2": "You square ε. The variance is a square already; ε "
            "is added to it as it is.",
        "(centered**2).mean( → x.var(ddof=1,": "Your variance divides by n - 1. Nothing is "
            "estimated from a sample here: by what does LayerNorm divide?",
        "np.sqrt(variance + eps) → (variance + eps)": "You divide by the variance. In which unit "
            "is it, and in which is x?",
        "/ np.sqrt(variance + eps) →": "Where is the division by the spread?",
        "return centered → return x": "You divide by the spread. What was to be subtracted before?",
        "axis=-1 → axis=None": "You take one mean over the whole array. Does one token know about "
            "another?",
        "axis=-1 → axis=0": "You go down the first axis. Along which axis lies the vector of one "
            "token?",
        "* weight + bias →": "Mean 0 and variance 1 are right. Now stretch by the weight and shift "
            "by the bias.",
        "+ bias →": "Where is the bias?",
        "* weight →": "Where is the weight?",
        "* weight + bias → * weight + bias * weight": "You shift before you stretch, so the bias "
            "is stretched as well. Which comes first?",
    },
)  # fmt: skip
