"""Checkers of Chapter 4: the gradients of GELU, cross-entropy, softmax and LayerNorm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import (
    cross_entropy_backward,
    gelu_backward,
    layer_norm_backward,
    softmax,
    softmax_backward,
)

from .verdict import Mistake, Verdict, check


def check_gelu_backward(function: Callable) -> Verdict:
    """Check the gradient of the exact GELU.

    Parameters
    ----------
    function : callable
        Takes grad_output and x of one shape, returns the gradient at x.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 4.
    """
    rng = np.random.default_rng(41)

    def share(x):
        return gelu_backward(np.ones(x.shape), x) - x * density(x)

    def density(x):
        return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)

    def by_tanh(grad, x):
        inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
        slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
        return grad * ((1 + np.tanh(inner)) / 2 + x * slope / np.cosh(inner) ** 2 / 2)

    return check(
        function,
        right=gelu_backward,
        cases=[tuple(rng.standard_normal((2, *shape))) for shape in [(4,), (2, 3), (2, 3, 5)]],
        mistakes=[
            Mistake(lambda g, x: share(x) + x * density(x), "That is the slope of GELU alone. "
                    "Where does grad_output come in?"),
            Mistake(lambda g, x: g * share(x), "You moved the first factor of x · Φ(x) and held "
                    "the second still. What does Φ(x) do when x moves?"),
            Mistake(lambda g, x: g * x * density(x), "You moved the second factor of x · Φ(x) and "
                    "held the first still. What does x itself do when x moves?"),
            Mistake(lambda g, x: g * (share(x) + density(x)), "When Φ(x) moves, by what is its "
                    "movement multiplied in x · Φ(x)?"),
            Mistake(lambda g, x: g * density(x), "That is the slope of Φ(x). Which rule holds for "
                    "the product x · Φ(x)?"),
            Mistake(lambda g, x: g * (share(x) + x * np.exp(-(x**2) / 2)), "Does your bell curve "
                    "have area 1? What is it divided by?"),
            Mistake(lambda g, x: g * (share(x) + x * np.exp(-(x**2)) / np.sqrt(2 * np.pi)),
                    "What is x² divided by in the exponent of the bell curve?"),
            Mistake(by_tanh, "That is the gradient of the tanh approximation: close, but not the "
                    "gradient of the function that ran."),
        ],
    )  # fmt: skip


def _labeled_case(rng: np.random.Generator, positions: int, vocab: int, hidden: int) -> tuple:
    """Draw logits and labels; the last `hidden` positions carry no label."""
    labels = rng.integers(0, vocab, size=positions)
    labels[positions - hidden :] = -100
    return 2 * rng.standard_normal((positions, vocab)), labels


def _one_hot(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Write a 1 at the label of every labeled position, 0 elsewhere."""
    return (labels[:, None] == np.arange(logits.shape[-1])).astype(float)


def check_cross_entropy_backward(function: Callable) -> Verdict:
    """Check the gradient of the mean cross-entropy at the logits.

    Parameters
    ----------
    function : callable
        Takes logits (positions, vocab) and labels (positions,), some of them -100.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 4.
    """
    rng = np.random.default_rng(42)

    def count(labels):
        return (labels != -100).sum()

    def asked(labels):
        return (labels != -100)[:, None]

    return check(
        function,
        right=cross_entropy_backward,
        cases=[
            _labeled_case(rng, positions=3, vocab=4, hidden=0),
            _labeled_case(rng, positions=5, vocab=3, hidden=2),
            _labeled_case(rng, positions=4, vocab=6, hidden=3),
        ],
        mistakes=[
            Mistake(lambda x, y: asked(y) * (softmax(x) - _one_hot(x, y)), "The loss is an average "
                    "over the labeled positions. By what must its gradient be divided?"),
            Mistake(lambda x, y: asked(y) * (softmax(x) - _one_hot(x, y)) / len(y), "You divide by "
                    "all positions. How many of them have a label?"),
            Mistake(lambda x, y: (softmax(x) - _one_hot(x, y)) / count(y), "Positions labeled -100 "
                    "are not in the loss. What can their gradient be?"),
            Mistake(lambda x, y: (softmax(x) - _one_hot(x, y)) / len(y), "You treat a position "
                    "labeled -100 like the others. Is it in the loss?"),
            Mistake(lambda x, y: softmax(x) - _one_hot(x, y), "You treat a position labeled -100 "
                    "like the others, and the average is missing. Is that position in the loss?"),
            Mistake(lambda x, y: asked(y) * softmax(x) / count(y), "That is what was said. What "
                    "was right is still to be subtracted."),
            Mistake(lambda x, y: softmax(x), "That is what was said, at every position. What was "
                    "right is still to be subtracted, and not every position has a label."),
            Mistake(lambda x, y: asked(y) * (_one_hot(x, y) - softmax(x)) / count(y), "The sign is "
                    "turned round: should the loss grow or shrink when the right logit grows?"),
            Mistake(lambda x, y: asked(y) * (softmax(x, axis=0) - _one_hot(x, y)) / count(y),
                    "Your softmax runs over the positions. Which axis holds the words?"),
        ],
    )  # fmt: skip


def check_softmax_backward(function: Callable) -> Verdict:
    """Check the gradient of a softmax along the last axis.

    Parameters
    ----------
    function : callable
        Takes grad_output and probs of one shape, returns the gradient at the scores.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 4.
    """
    rng = np.random.default_rng(43)

    def case(*shape):
        return rng.standard_normal(shape), softmax(rng.standard_normal(shape))

    def against(average):
        return lambda g, p: p * (g - average(g, p))

    return check(
        function,
        right=softmax_backward,
        cases=[case(4), case(2, 3), case(2, 3, 5)],
        mistakes=[
            Mistake(lambda g, p: g * p * (1 - p), "p (1 - p) is how a share moves with its own "
                    "score. Which other shares move when that score moves?"),
            Mistake(lambda g, p: g * p, "A score raises its own share. What happens to the other "
                    "shares of the row, whose sum stays 1?"),
            Mistake(against(lambda g, p: g.mean(axis=-1, keepdims=True)), "You compare with the "
                    "plain average of the row. Which average counts a share of 0.9 nine times as "
                    "much as one of 0.1?"),
            Mistake(against(lambda g, p: g.sum(axis=-1, keepdims=True)), "You subtract the sum of "
                    "the gradients. By what is each of them weighted?"),
            Mistake(against(lambda g, p: (g * p).sum(axis=0, keepdims=True)), "You sum down the "
                    "first axis. Along which axis do the shares sum to 1?"),
            Mistake(against(lambda g, p: (g * p).sum()), "You sum over the whole array. Does one "
                    "row know about another?"),
            Mistake(lambda g, p: g - (g * p).sum(axis=-1, keepdims=True), "The comparison with the "
                    "average is right. How strongly does a score move its own share?"),
            Mistake(lambda g, p: p * ((g * p).sum(axis=-1, keepdims=True) - g), "The sign is "
                    "turned round: a gradient above average should come out positive."),
        ],
    )  # fmt: skip


def _layer_norm_slope(
    grad_output: np.ndarray,
    x: np.ndarray,
    weight: np.ndarray | float,
    *,
    through_mean: bool = True,
    through_variance: bool = True,
    average: Callable = np.mean,
    power: float = 0.5,
    axis: int = -1,
    ddof: int = 0,
) -> np.ndarray:
    """Compute the gradient of LayerNorm, with a piece of it left out or bent on request."""
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True, ddof=ddof)
    normalized, grad = centered / np.sqrt(variance), grad_output * weight
    result = grad
    if through_mean:
        result = result - average(grad, axis=axis, keepdims=True)
    if through_variance:
        result = result - normalized * average(grad * normalized, axis=axis, keepdims=True)
    return result / variance**power


def check_layer_norm_backward(function: Callable) -> Verdict:
    """Check the gradient of LayerNorm at its input.

    Parameters
    ----------
    function : callable
        Takes grad_output and x of one shape and weight (hidden,), returns the gradient at x.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 4.
    """
    rng = np.random.default_rng(44)

    def case(*shape):
        x = 2 * rng.standard_normal(shape) + 1
        return rng.standard_normal(shape), x, rng.standard_normal(shape[-1])

    def bent(**changes):
        return lambda g, x, w: _layer_norm_slope(g, x, w, **changes)

    return check(
        function,
        right=lambda g, x, w: layer_norm_backward(g, x, w)[0],
        cases=[case(5), case(2, 4), case(2, 3, 6)],
        mistakes=[
            Mistake(bent(through_mean=False, through_variance=False), "You treat mean and variance "
                    "as fixed numbers. What do they do when an entry of x moves?"),
            Mistake(bent(through_mean=False), "The path through the variance is right. What does "
                    "the mean do when an entry of x moves?"),
            Mistake(bent(through_variance=False), "The path through the mean is right. What does "
                    "the variance do when an entry of x moves?"),
            Mistake(lambda g, x, w: _layer_norm_slope(g, x, 1.0), "You forgot the weight: the "
                    "gradient passes it before it reaches the normalized vector."),
            Mistake(lambda g, x, w: _layer_norm_slope(g, x, 1.0) * w, "You multiply by the weight "
                    "at the end. Going backward, it is met first, before the averages."),
            Mistake(bent(power=0.0), "Where is the division by the spread?"),
            Mistake(bent(power=1.0), "You divide by the variance. Which root of it did the forward "
                    "step divide by?"),
            Mistake(bent(average=np.sum), "You subtract sums. How far does the mean of n numbers "
                    "move when one of them moves by 1?"),
            Mistake(bent(ddof=1), "Your variance divides by n - 1. LayerNorm does not estimate "
                    "anything from a sample: by what does it divide?"),
            Mistake(bent(axis=0), "You average down the first axis. Along which axis is a vector "
                    "normalized?"),
        ],
    )  # fmt: skip
