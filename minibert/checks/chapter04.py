"""Exercises of Chapter 4: the gradients of GELU, cross-entropy, softmax and LayerNorm."""

from __future__ import annotations

import numpy as np

from minibert.reference import gelu_backward, softmax

from .exercise import Exercise, Mistake

_RNG = np.random.default_rng(41)


def _bell(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def _share(x):
    """Compute Φ(x), out of the gradient that the package knows."""
    return gelu_backward(np.ones(x.shape), x) - x * _bell(x)


def _gelu_backward(g, x, *, upstream=True, first=1, second=1, by_x=True, bell=_bell):
    slope = first * _share(x) + second * (x if by_x else 1) * bell(x)
    return g * slope if upstream else slope


def _by_tanh(g, x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    return g * ((1 + np.tanh(inner)) / 2 + x * slope / np.cosh(inner) ** 2 / 2)


check_gelu_backward = Exercise(
    "Write the gradient of the exact GELU.",
    _gelu_backward,
    cases=[tuple(_RNG.standard_normal((2, *shape))) for shape in [(4,), (2, 3), (2, 3, 5)]],
    forbidden=["gelu_backward"],
    mistakes=[
        Mistake({"upstream": False}, "That is the slope of GELU alone. Where does grad_output come "
                "in?"),
        Mistake({"second": 0}, "You moved the first factor of x · Φ(x) and held the second still. "
                "What does Φ(x) do when x moves?"),
        Mistake({"first": 0}, "You moved the second factor of x · Φ(x) and held the first still. "
                "What does x itself do when x moves?"),
        Mistake({"by_x": False}, "When Φ(x) moves, by what is its movement multiplied in x · "
                "Φ(x)?"),
        Mistake({"first": 0, "by_x": False}, "That is the slope of Φ(x). Which rule holds for the "
                "product x · Φ(x)?"),
        Mistake({"bell": lambda x: np.exp(-(x**2) / 2)}, "Does your bell curve have area 1? What "
                "is it divided by?"),
        Mistake({"bell": lambda x: np.exp(-(x**2)) / np.sqrt(2 * np.pi)}, "What is x² divided by "
                "in the exponent of the bell curve?"),
        Mistake(_by_tanh, "That is the gradient of the tanh approximation: close, but not the "
                "gradient of the function that ran."),
    ],
)  # fmt: skip


def _labels_case(positions, vocab, hidden):
    """Draw logits and labels; the last `hidden` positions carry no label."""
    labels = _RNG.integers(0, vocab, size=positions)
    labels[positions - hidden :] = -100
    return 2 * _RNG.standard_normal((positions, vocab)), labels


def _count(labels):
    return (labels != -100).sum()


def _cross_entropy_backward(x, y, *, axis=-1, true=1, over=_count, ignored=True, sign=1):
    one_hot = y[:, None] == np.arange(x.shape[-1])
    grad = sign * (softmax(x, axis=axis) - true * one_hot) / over(y)
    return grad * (y != -100)[:, None] if ignored else grad


check_cross_entropy_backward = Exercise(
    "Write the gradient of the mean cross-entropy at the logits.",
    _cross_entropy_backward,
    cases=[_labels_case(3, 4, 0), _labels_case(5, 3, 2), _labels_case(4, 6, 3)],
    forbidden=["cross_entropy_backward"],
    mistakes=[
        Mistake({"over": lambda y: 1}, "The loss is an average over the labeled positions. By what "
                "must its gradient be divided?"),
        Mistake({"over": len}, "You divide by all positions. How many of them have a label?"),
        Mistake({"ignored": False}, "Positions labeled -100 are not in the loss. What can their "
                "gradient be?"),
        Mistake({"ignored": False, "over": len}, "You treat a position labeled -100 like the "
                "others. Is it in the loss?"),
        Mistake({"ignored": False, "over": lambda y: 1}, "You treat a position labeled -100 like "
                "the others, and the average is missing. Is that position in the loss?"),
        Mistake({"true": 0}, "That is what was said. What was right is still to be subtracted."),
        Mistake(lambda x, y: softmax(x), "That is what was said, at every position. What was right "
                "is still to be subtracted, and not every position has a label."),
        Mistake({"sign": -1}, "The sign is turned round: should the loss grow or shrink when the "
                "right logit grows?"),
        Mistake({"axis": 0}, "Your softmax runs over the positions. Which axis holds the words?"),
        Mistake({"true": 2}, "What was right is subtracted twice."),
    ],
)  # fmt: skip


def _weighted(g, p):
    return (g * p).sum(axis=-1, keepdims=True)


def _softmax_backward(g, p, *, average=_weighted, own=True, sign=1):
    return sign * (p if own else 1) * (g - average(g, p))


def _softmax_case(*shape):
    return _RNG.standard_normal(shape), softmax(_RNG.standard_normal(shape))


check_softmax_backward = Exercise(
    "Write the gradient of softmax along the last axis, from what softmax returned.",
    _softmax_backward,
    cases=[_softmax_case(4), _softmax_case(2, 3), _softmax_case(2, 3, 5)],
    forbidden=["softmax_backward"],
    mistakes=[
        Mistake(lambda g, p: g * p * (1 - p), "p (1 - p) is how a share moves with its own score. "
                "Which other shares move when that score moves?"),
        Mistake({"average": lambda g, p: 0}, "A score raises its own share. What happens to the "
                "other shares of the row, whose sum stays 1?"),
        Mistake({"average": lambda g, p: g.mean(axis=-1, keepdims=True)}, "You compare with the "
                "plain average of the row. Which average counts a share of 0.9 nine times as much "
                "as one of 0.1?"),
        Mistake({"average": lambda g, p: g.sum(axis=-1, keepdims=True)}, "You subtract the sum of "
                "the gradients. By what is each of them weighted?"),
        Mistake({"average": lambda g, p: (g * p).sum(axis=0, keepdims=True)}, "You sum down the "
                "first axis. Along which axis do the shares sum to 1?"),
        Mistake({"average": lambda g, p: (g * p).sum()}, "You sum over the whole array. Does one "
                "row know about another?"),
        Mistake({"average": lambda g, p: (g * p).mean(axis=-1, keepdims=True)}, "The weights p sum "
                "to 1 already. Why divide the sum by the number of entries once more?"),
        Mistake({"own": False}, "The comparison with the average is right. How strongly does a "
                "score move its own share?"),
        Mistake({"sign": -1}, "The sign is turned round: a gradient above average should come out "
                "positive."),
    ],
)  # fmt: skip


def _layer_norm_backward(
    g, x, w, *, before=True, after=False, through_mean=True, through_variance=True,
    average=np.mean, power=0.5, axis=-1, ddof=0,
):  # fmt: skip
    """Compute the gradient of LayerNorm along its three paths."""
    variance = x.var(axis=-1, keepdims=True, ddof=ddof)
    normalized, grad = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(variance), g * w**before
    result = grad
    if through_mean:
        result = result - average(grad, axis=axis, keepdims=True)
    if through_variance:
        result = result - normalized * average(grad * normalized, axis=axis, keepdims=True)
    return result / variance**power * w**after


def _norm_case(*shape):
    x = 2 * _RNG.standard_normal(shape) + 1
    return _RNG.standard_normal(shape), x, _RNG.standard_normal(shape[-1])


check_layer_norm_backward = Exercise(
    "Write the gradient of LayerNorm at its input; you may leave out ε.",
    _layer_norm_backward,
    cases=[_norm_case(5), _norm_case(2, 4), _norm_case(2, 3, 6)],
    forbidden=["layer_norm_backward"],
    mistakes=[
        Mistake({"through_mean": False, "through_variance": False}, "You treat mean and variance "
                "as fixed numbers. What do they do when an entry of x moves?"),
        Mistake({"through_mean": False}, "The path through the variance is right. What does the "
                "mean do when an entry of x moves?"),
        Mistake({"through_variance": False}, "The path through the mean is right. What does the "
                "variance do when an entry of x moves?"),
        Mistake({"before": False}, "You forgot the weight: the gradient passes it before it "
                "reaches the normalized vector."),
        Mistake({"before": False, "after": True}, "You multiply by the weight at the end. Going "
                "backward, it is met first, before the averages."),
        Mistake({"power": 0.0}, "Where is the division by the spread?"),
        Mistake({"power": 1.0}, "You divide by the variance. Which root of it did the forward step "
                "divide by?"),
        Mistake({"average": np.sum}, "You subtract sums. How far does the mean of n numbers move "
                "when one of them moves by 1?"),
        Mistake({"ddof": 1}, "Your variance divides by n - 1. LayerNorm does not estimate anything "
                "from a sample: by what does it divide?"),
        Mistake({"axis": 0}, "You average down the first axis. Along which axis is a vector "
                "normalized?"),
    ],
)  # fmt: skip
