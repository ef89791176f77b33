"""Checkers of Chapter 9: LayerNorm, the frame of a half, feed-forward, a layer's parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import gelu, layer_norm, linear

from .verdict import Mistake, Verdict, check


def _bent_norm(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    eps: float,
    *,
    center: bool = True,
    ddof: int = 0,
    axis: int | None = -1,
    outside: bool = False,
    root: bool = True,
) -> np.ndarray:
    """Compute LayerNorm, with a piece of it left out or bent on request."""
    centered = x - x.mean(axis=axis, keepdims=True) if center else x
    variance = x.var(axis=axis, keepdims=True, ddof=ddof)
    spread = np.sqrt(variance + (0 if outside else eps)) if root else variance + eps
    return centered / (spread + (eps if outside else 0)) * weight + bias


def check_layer_norm(function: Callable) -> Verdict:
    """Check LayerNorm, with its epsilon.

    Parameters
    ----------
    function : callable
        Takes x (..., hidden), weight (hidden,), bias (hidden,) and eps, returns an array like x.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 9.
    """
    rng = np.random.default_rng(91)

    def case(*shape, eps):
        x = 0.4 * rng.standard_normal(shape) + 1
        return x, rng.standard_normal(shape[-1]), rng.standard_normal(shape[-1]), eps

    def bent(**changes):
        return lambda *given: _bent_norm(*given, **changes)

    return check(
        function,
        right=layer_norm,
        cases=[case(4, eps=0.04), case(2, 3, eps=0.01), case(2, 3, 5, eps=1e-12)],
        mistakes=[
            Mistake(bent(outside=True), "You add ε to the root. It belongs inside, to the "
                    "variance: what would the root of 0 have as its slope?"),
            Mistake(lambda x, w, b, eps: _bent_norm(x, w, b, 0.0), "Where is ε? Your numbers are "
                    "right only where the variance is large beside it."),
            Mistake(lambda x, w, b, eps: _bent_norm(x, w, b, 1e-5), "Your ε is 0.00001, whatever "
                    "is asked for. Use the one that is given."),
            Mistake(bent(ddof=1), "Your variance divides by n - 1. Nothing is estimated from a "
                    "sample here: by what does LayerNorm divide?"),
            Mistake(bent(root=False), "You divide by the variance. In which unit is it, and in "
                    "which is x?"),
            Mistake(bent(center=False), "You divide by the spread. What was to be subtracted "
                    "before?"),
            Mistake(bent(axis=None), "You take one mean over the whole array. Does one token know "
                    "about another?"),
            Mistake(bent(axis=0), "You go down the first axis. Along which axis lies the vector "
                    "of one token?"),
            Mistake(lambda x, w, b, eps: _bent_norm(x, np.ones(w.shape), 0 * b, eps), "Mean 0 and "
                    "variance 1 are right. Now stretch by the weight and shift by the bias."),
            Mistake(lambda x, w, b, eps: _bent_norm(x, w, 0 * b, eps), "Where is the bias?"),
            Mistake(lambda x, w, b, eps: _bent_norm(x, np.ones(w.shape), b, eps), "Where is the "
                    "weight?"),
            Mistake(lambda x, w, b, eps: _bent_norm(x, np.ones(w.shape), b, eps) * w, "You shift "
                    "before you stretch, so the bias is stretched as well. Which comes first?"),
        ],
    )  # fmt: skip


def check_post_norm(function: Callable) -> Verdict:
    """Check the frame of one half of a layer: keep, add, normalize.

    Parameters
    ----------
    function : callable
        Takes x and change of one shape (..., hidden), weight (hidden,) and bias (hidden,), returns
        an array like x.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 9.
    """
    rng = np.random.default_rng(92)

    def case(*shape):
        return *rng.standard_normal((2, *shape)), *rng.standard_normal((2, shape[-1]))

    return check(
        function,
        right=lambda x, change, w, b: layer_norm(x + change, w, b),
        cases=[case(4), case(2, 3), case(2, 3, 5)],
        mistakes=[
            Mistake(lambda x, change, w, b: layer_norm(change, w, b), "The change alone is "
                    "normalized. Where does the token keep what it was?"),
            Mistake(lambda x, change, w, b: x + layer_norm(change, w, b), "You normalize the "
                    "change and then add. In which order does BERT do it?"),
            Mistake(lambda x, change, w, b: layer_norm(x, w, b) + change, "You normalize first "
                    "and add then. That is the other order, pre-norm or near it; BERT's LayerNorm "
                    "comes last."),
            Mistake(lambda x, change, w, b: layer_norm(x, w, b) + layer_norm(change, w, b), "You "
                    "normalize both parts, and the sum is not normalized. How often is LayerNorm "
                    "needed?"),
            Mistake(lambda x, change, w, b: x + change, "The sum is right. Its length may grow "
                    "from layer to layer: what sets it right?"),
            Mistake(lambda x, change, w, b: layer_norm(x + change, w, b) + x, "LayerNorm comes "
                    "last. Why is x added once more?"),
            Mistake(lambda x, change, w, b: layer_norm(x - change, w, b), "The change is "
                    "subtracted. Should it not be added?"),
            Mistake(lambda x, change, w, b: layer_norm(x + change, np.ones(w.shape), 0 * b),
                    "The sum has mean 0 and variance 1. Where are weight and bias?"),
        ],
    )  # fmt: skip


def check_feed_forward(function: Callable) -> Verdict:
    """Check the feed-forward network of one layer, without its frame.

    Parameters
    ----------
    function : callable
        Takes x (..., hidden), wide_weight (intermediate, hidden), wide_bias (intermediate,),
        narrow_weight (hidden, intermediate) and narrow_bias (hidden,), returns an array like x.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 9.
    """
    rng = np.random.default_rng(93)

    def case(*shape, intermediate):
        hidden = shape[-1]
        sizes = [shape, (intermediate, hidden), intermediate, (hidden, intermediate), hidden]
        return tuple(rng.standard_normal(size) for size in sizes)

    def with_bend(bend):
        return lambda x, u, a, v, b: linear(bend(linear(x, u, a)), v, b)

    def by_tanh(x):
        return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2

    right = with_bend(gelu)
    return check(
        function,
        right=right,
        cases=[
            case(3, intermediate=5),
            case(2, 4, intermediate=7),
            case(2, 3, 2, intermediate=6),
        ],
        mistakes=[
            Mistake(with_bend(by_tanh), "That is GELU by tanh: near, but not the exact one that "
                    "BERT uses. How far apart can they be?"),
            Mistake(with_bend(lambda x: np.maximum(x, 0)), "You cut off at 0. That is ReLU; "
                    "which bend has BERT?"),
            Mistake(with_bend(lambda x: x), "Without a bend, two linear layers melt into one. "
                    "What stands between them?"),
            Mistake(lambda *given: gelu(right(*given)), "You bend the result as well. How often "
                    "does the network bend?"),
            Mistake(lambda x, u, a, v, b: gelu(linear(linear(x, u, a), v, b)), "You bend at the "
                    "end. The bend belongs where the vector is wide."),
            Mistake(lambda x, u, a, v, b: linear(linear(gelu(x), u, a), v, b), "You bend before "
                    "the vector is widened. Where does the bend belong?"),
            Mistake(lambda x, u, a, v, b: right(x, u, 0 * a, v, b), "Where is the bias of the "
                    "first linear layer?"),
            Mistake(lambda x, u, a, v, b: right(x, u, a, v, 0 * b), "Where is the bias of the "
                    "second linear layer?"),
            Mistake(lambda x, u, a, v, b: right(x, u, 0 * a, v, 0 * b), "Both linear layers have "
                    "a bias. Where are they?"),
            Mistake(lambda x, *given: x + right(x, *given), "The network is right. Adding x is "
                    "the work of its frame, and was not asked for here."),
        ],
    )  # fmt: skip


def _layer_size(
    hidden: int,
    heads: int,
    intermediate: int,
    *,
    projections: int = 4,
    biases: bool = True,
    norms: int = 2,
    attention: bool = True,
    network: bool = True,
) -> int:
    """Count the parameters of a layer, with a part left out or counted otherwise on request."""
    parts = projections * hidden * (hidden + biases) if attention else 0
    parts += 2 * hidden * intermediate + biases * (hidden + intermediate) if network else 0
    return parts + norms * 2 * hidden


def check_layer_size(function: Callable) -> Verdict:
    """Check the number of parameters of one layer.

    Parameters
    ----------
    function : callable
        Takes hidden, heads and intermediate, returns a whole number.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 9.
    """

    def counted(**changes):
        return lambda *sizes: _layer_size(*sizes, **changes)

    return check(
        function,
        right=_layer_size,
        cases=[(6, 3, 10), (128, 2, 512), (768, 12, 3072)],
        mistakes=[
            Mistake(counted(biases=False), "You count no bias in the linear layers. There are six "
                    "linear layers in a layer, and each has one."),
            Mistake(counted(norms=0), "Where are the weights and biases of LayerNorm?"),
            Mistake(counted(biases=False, norms=0), "You count matrices only. What else learns?"),
            Mistake(counted(norms=1), "Half of LayerNorm's numbers are missing. There are two in "
                    "a layer, and each has a weight and a bias."),
            Mistake(counted(projections=3), "Query, key and value are three. What mixes the "
                    "contexts of the heads afterwards?"),
            Mistake(lambda hidden, heads, intermediate: _layer_size(
                        hidden, heads, intermediate, projections=4 * heads),
                    "You count the projections once for each head. The heads share a matrix: "
                    "each has only hidden / heads of its rows."),
            Mistake(lambda hidden, heads, intermediate: _layer_size(hidden, heads, 4 * hidden),
                    "You take the intermediate size for four times the hidden size. Use the one "
                    "that is given."),
            Mistake(counted(attention=False), "Where is attention?"),
            Mistake(counted(network=False), "Where is the feed-forward network?"),
        ],
    )  # fmt: skip
