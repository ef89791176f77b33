"""Exercises of Chapter 4: the gradients of the steps that have weights of their own."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise

_RNG = np.random.default_rng(42)


def _linear_backward(grad_output, x, weight):
    g = grad_output.reshape(-1, grad_output.shape[-1])
    rows = x.reshape(-1, x.shape[-1])
    return grad_output @ weight, g.T @ rows, g.sum(axis=0)


def _linear_case(*leading):
    sizes = (*leading, 2), (*leading, 3), (2, 3)
    return tuple(_RNG.standard_normal(size) for size in sizes)


check_linear_backward = Exercise(
    "Write the gradients of a linear layer at its input, its weight and its bias.",
    _linear_backward,
    cases=[_linear_case(4), _linear_case(2, 5)], forbidden=["linear_backward", "a loop"],
    mistakes={
        "g.T @ rows → rows.T @ g": "The gradient of the weight has the shape of the weight.",
        "g.sum(axis=0) → g.mean(axis=0)": "Mean or sum?",
        ("g.T @ rows → np.outer(g[-1], rows[-1])", "g.T @ rows → grad_output.swapaxes(-1, -2) @ x"):
            "All positions of all texts use the weight.",
        "g.sum(axis=0) → g.sum(axis=0, keepdims=True) ¦ g.sum(axis=-1) ¦ g.sum() ¦ g ¦ "
            "grad_output.sum(axis=0)": "Over what do you sum?",
        "→ right(grad_output, x, weight)[:2]": "One of the three gradients is missing.",
    },
)  # fmt: skip


def _layer_norm_backward(grad_output, x, weight):
    centered = x - x.mean(axis=-1, keepdims=True)
    sigma = np.sqrt((centered**2).mean(axis=-1, keepdims=True))
    n = centered / sigma
    g = grad_output * weight
    through_mean = g.mean(axis=-1, keepdims=True)
    through_sigma = n * (g * n).mean(axis=-1, keepdims=True)
    leading = tuple(range(x.ndim - 1))
    return (
        (g - through_mean - through_sigma) / sigma,
        (grad_output * n).sum(axis=leading),
        grad_output.sum(axis=leading),
    )


def _norm_case(*shape):
    x = 2 * _RNG.standard_normal(shape) + 1
    return _RNG.standard_normal(shape), x, _RNG.standard_normal(shape[-1])


check_layer_norm_backward = Exercise(
    "Write the gradients of LayerNorm at its input, weight and bias; you may leave out ε.",
    _layer_norm_backward,
    cases=[_norm_case(2, 4), _norm_case(2, 3, 6)], edges=[_norm_case(5)],
    forbidden=["layer_norm_backward"],
    mistakes={
        ("- through_mean → + through_mean", "- through_sigma → + through_sigma"): "What comes "
            "through mean and σ is subtracted.",
        "(grad_output * n).sum → (grad_output * x).sum ¦ (grad_output * centered).sum": "What has "
            "the weight multiplied on the way forward: x, or n?",
        "axis=leading → axis=0 ¦ axis=-1": "Weight and bias serve every position of every text. "
            "Over which axes do you sum?",
        "- through_mean →": "What does the mean do when an entry of x moves?",
        "- through_sigma →": "What does the variance do when an entry of x moves?",
        ("grad_output * weight → grad_output", "(g - → (grad_output -", "grad_output * weight → "
            "grad_output || ) / sigma → ) * weight / sigma"): "Going backward, the weight is met "
            "first, before the averages.",
        ") / sigma → ) ¦ ) * sigma": "Where is the division by the spread?",
        (") / sigma → ) / sigma**2", "np.sqrt(…) → (…)"): "You divide by the variance. Which root "
            "of it did the forward step divide by?",
        "→ right(grad_output, x, weight)[0] ¦ right(grad_output, x, weight)[:2]":
            "Return all three gradients.",
        "g.mean( → g.sum( || (g * n).mean( → (g * n).sum(": "You subtract a sum. How far does a "
            "mean of n numbers move with one of them?",
        "(centered**2).mean( → x.var(ddof=1,": "Does LayerNorm divide by n, or by n - 1?",
        "g.mean(axis=-1 → g.mean(axis=0 || (g * n).mean(axis=-1 → (g * n).mean(axis=0": "Along "
            "which axis is a vector normalized?",
        "(g * n).mean → (g * x).mean": "Where does n stand twice?",
        "(g * n).mean → g.mean": "In the third path each gradient is weighted by its n.",
        "= n * (g → = (g": "How far does each entry move when σ does?",
        ("(grad_output * n) → (g * n)", "grad_output.sum → g.sum"): "What meets weight and bias on "
            "the way forward?",
    },
)  # fmt: skip
