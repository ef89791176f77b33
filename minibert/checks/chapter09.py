"""Exercises of Chapter 9: LayerNorm, the frame of a half, feed-forward, a layer's parameters."""

from __future__ import annotations

import numpy as np

from minibert.reference import gelu, layer_norm

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(91)


def _stretch_and_shift(x, weight, bias):
    return x * weight + bias


def _layer_norm(x, weight, bias, eps, *, center=True, ddof=0, axis=-1, inside=as_it_is,
                outside=lambda eps: 0, power=0.5, end=_stretch_and_shift):  # fmt: skip
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


def _normalized(x, w, b):
    return layer_norm(x, np.ones(w.shape), 0 * b)


def _post_norm(x, change, w, b, *, norm=layer_norm, sign=1, kept=1, again=0):
    return norm(kept * x + sign * change, w, b) + again * x


def _frame_case(*shape):
    return *_RNG.standard_normal((2, *shape)), *_RNG.standard_normal((2, shape[-1]))


check_post_norm = Exercise(
    "Frame one half of a layer: keep what the token was, add the change, normalize.",
    _post_norm,
    cases=[_frame_case(4), _frame_case(2, 3), _frame_case(2, 3, 5)],
    mistakes=[
        Mistake({"kept": 0}, "The change alone is normalized. Where does the token keep what it "
                "was?"),
        Mistake({"kept": 0, "again": 1}, "You normalize the change and then add. In which order "
                "does BERT do it?"),
        Mistake(lambda x, change, w, b: layer_norm(x, w, b) + change, "You normalize first and add "
                "then. That is the other order, pre-norm or near it; BERT's LayerNorm comes last."),
        Mistake(lambda x, change, w, b: layer_norm(x, w, b) + layer_norm(change, w, b),
                "You normalize both parts, and the sum is not normalized. How often is LayerNorm "
                "needed?"),
        Mistake(lambda x, change, w, b: layer_norm(x, w, b), "That is the token as it was. Where "
                "is the change?"),
        Mistake({"norm": lambda x, w, b: x}, "The sum is right. Its length may grow from layer to "
                "layer: what sets it right?"),
        Mistake({"again": 1}, "LayerNorm comes last. Why is x added once more?"),
        Mistake({"sign": -1}, "The change is subtracted. Should it not be added?"),
        Mistake({"norm": _normalized}, "The sum has mean 0 and variance 1. Where are weight and "
                "bias?"),
        Mistake({"norm": lambda x, w, b: layer_norm(x, w, 0 * b)}, "Where is the bias of "
                "LayerNorm?"),
        Mistake({"norm": lambda x, w, b: layer_norm(x, w, b, 1e-5)}, "Your ε is 1e-5, PyTorch's "
                "own. BERT's is 1e-12."),
        Mistake({"norm": lambda x, w, b: x * w + b}, "You stretch and shift, but nothing is "
                "normalized."),
    ],
)  # fmt: skip


def _gelu_by_tanh(x):
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def _relu(x):
    return np.maximum(x, 0)


def _transposed(weight):
    return weight.T


def _network(x, u, a, v, b, *, before=as_it_is, between=gelu, behind=as_it_is, first=1, second=1,
             wide=_transposed, narrow=_transposed):  # fmt: skip
    """Widen, activate, narrow."""
    return behind(between(before(x) @ wide(u) + first * a) @ narrow(v) + second * b)


def _network_case(*shape, intermediate):
    hidden = shape[-1]
    sizes = [shape, (intermediate, hidden), intermediate, (hidden, intermediate), hidden]
    return tuple(_RNG.standard_normal(size) for size in sizes)


check_feed_forward = Exercise(
    "Write the feed-forward network of one layer, without its frame.",
    _network,
    cases=[
        _network_case(3, intermediate=5),
        _network_case(2, 4, intermediate=7),
        _network_case(2, 3, 2, intermediate=6),
    ],
    mistakes=[
        Mistake({"between": _gelu_by_tanh}, "That is GELU by tanh: near, but not the exact one "
                "that BERT uses. How far apart can they be?"),
        Mistake({"between": _relu}, "You cut off at 0. That is ReLU; which activation has BERT?"),
        Mistake({"between": np.tanh}, "Your activation is tanh, the pooler's. Which one stands "
                "between the two linear layers?"),
        Mistake({"between": as_it_is}, "Without an activation, two linear layers melt into one. "
                "What stands between them?"),
        Mistake({"behind": gelu}, "You activate the result as well. How often does the network do "
                "that?"),
        Mistake({"between": as_it_is, "behind": gelu}, "You activate at the end. The activation "
                "belongs where the vector is wide."),
        Mistake({"before": gelu, "between": as_it_is}, "You activate before the vector is widened. "
                "Where does the activation belong?"),
        Mistake({"before": gelu}, "You activate before the vector is widened as well. How often "
                "does the network do that?"),
        Mistake({"wide": as_it_is, "narrow": as_it_is}, "The weights have one row for each output "
                "number. In x @ weight, what must become of a weight first?"),
        Mistake({"narrow": as_it_is}, "The weights have one row for each output number. What must "
                "become of the second one before you multiply by it?"),
        Mistake({"first": 0}, "Where is the bias of the first linear layer?"),
        Mistake({"second": 0}, "Where is the bias of the second linear layer?"),
        Mistake({"first": 0, "second": 0}, "Both linear layers have a bias. Where are they?"),
        Mistake(lambda x, *given: x + _network(x, *given), "The network is right. Adding x is the "
                "work of its frame, and was not asked for here."),
        Mistake(lambda x, *given: layer_norm(x + _network(x, *given), np.ones(x.shape[-1]),
                np.zeros(x.shape[-1])), "The network is right. The residual and LayerNorm are the "
                "work of its frame, and were not asked for here."),
        Mistake(lambda x, u, a, v, b: gelu(x @ u.T + a), "The vector is still wide. What makes it "
                "as narrow as before?"),
    ],
)  # fmt: skip


def _layer_size(
    hidden, heads, intermediate, *, projections=lambda heads: 4, biases=1, norms=2, network=2,
    wide=lambda hidden, intermediate: intermediate,
):  # fmt: skip
    """Count the parameters of a layer."""
    size = wide(hidden, intermediate)
    parts = projections(heads) * hidden * (hidden + biases) + norms * 2 * hidden
    return parts + network * hidden * size + biases * sum((size, hidden)[:network])


check_layer_size = Exercise(
    "Count the parameters of one layer.",
    _layer_size,
    cases=[(6, 3, 10), (128, 2, 512), (768, 12, 3072)],
    forbidden=["BertLayer", "numel"],
    mistakes=[
        Mistake({"biases": 0}, "You count no bias in the linear layers. There are six linear "
                "layers in a layer, and each has one."),
        Mistake({"norms": 0}, "Where are the weights and biases of LayerNorm?"),
        Mistake({"biases": 0, "norms": 0}, "You count matrices only. What else learns?"),
        Mistake({"norms": 1}, "Half of LayerNorm's numbers are missing. There are two in a layer, "
                "and each has a weight and a bias."),
        Mistake({"projections": lambda heads: 3}, "Query, key and value are three. What mixes the "
                "contexts of the heads afterwards?"),
        Mistake({"projections": lambda heads: 4 * heads}, "You count the projections once for each "
                "head. The heads share a matrix: each has only hidden / heads of its rows."),
        Mistake({"wide": lambda hidden, intermediate: 4 * hidden}, "You take the intermediate size "
                "for four times the hidden size. Use the one that is given."),
        Mistake({"projections": lambda heads: 0}, "Where is attention?"),
        Mistake({"network": 0}, "Where is the feed-forward network?"),
        Mistake({"network": 1}, "The feed-forward network has two linear layers: one widens, one "
                "narrows."),
    ],
)  # fmt: skip
