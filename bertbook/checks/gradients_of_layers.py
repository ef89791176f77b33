"""Exercises of Chapter 4: the gradients of the steps that have weights of their own."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake

_RNG = np.random.default_rng(42)


def _rows(array):
    return array.reshape(-1, array.shape[-1])


def _by_weight(g, x):
    return _rows(g).T @ _rows(x)


def _linear_backward(g, x, w, *, by_x=None, by_weight=_by_weight,
                     by_bias=lambda g: _rows(g).sum(axis=0), order=(0, 1, 2)):  # fmt: skip
    grads = (g @ w if by_x is None else by_x(g, x, w)), by_weight(g, x), by_bias(g)
    return tuple(grads[i] for i in order)


def _linear_case(*leading):
    sizes = (*leading, 2), (*leading, 3), (2, 3)
    return tuple(_RNG.standard_normal(size) for size in sizes)


check_linear_backward = Exercise(
    "Write the gradients of a linear layer at its input, its weight and its bias.",
    _linear_backward,
    cases=[_linear_case(4), _linear_case(2, 5)],
    forbidden=["linear_backward", "a loop"],
    mistakes=[
        Mistake({"by_weight": lambda g, x: _rows(x).T @ _rows(g)}, "The gradient of the weight has "
                "the shape of the weight: a row for each output number. Yours is transposed."),
        Mistake({"by_weight": lambda g, x: np.swapaxes(g, -1, -2) @ x}, "Each text has a gradient "
                "of its own there. There is one weight for all texts: where its paths meet, add."),
        Mistake({"by_weight": lambda g, x: _by_weight(g, x) / len(_rows(x))}, "You average the "
                "gradient of the weight over the positions. Where paths meet, what is done?"),
        Mistake({"by_weight": lambda g, x: np.outer(_rows(g)[-1], _rows(x)[-1])}, "Only the last "
                "position counts for the weight. It is used at every position."),
        Mistake({"by_bias": lambda g: g}, "The gradient of the bias has a number for each output, "
                "not for each position. The bias is used at every position: add."),
        Mistake({"by_bias": lambda g: g.sum(axis=-1)}, "You sum the gradient of the bias over the "
                "output numbers. Each output has a bias of its own: over what is to be summed?"),
        Mistake({"by_bias": lambda g: g.sum(axis=0)}, "With one more dimension in front, the bias "
                "needs a sum over both: over the texts and over the positions."),
        Mistake({"by_bias": lambda g: _rows(g).mean(axis=0)}, "You average the gradient of the "
                "bias over the positions. Where paths meet, what is done?"),
        Mistake({"by_bias": lambda g: _rows(g).sum(axis=0, keepdims=True)}, "The gradient of the "
                "bias has one axis, as the bias has. keepdims leaves a second one."),
        Mistake({"by_bias": lambda g: g.sum()}, "You sum over everything. Each output number has a "
                "bias of its own."),
        Mistake({"by_x": lambda g, x, w: x @ w.T @ w}, "Your gradient of x is made of x. What "
                "comes back is grad_output."),
        *(Mistake({"order": order}, "The right gradients, but one is missing: return those of x, "
                  "of the weight and of the bias.") for order in ((0, 1), (0, 2), (1, 2))),
        Mistake({"order": (1, 0, 2)}, "The gradient of x comes first, then that of the weight."),
        Mistake({"order": (2, 1, 0)}, "Return them in the order grad_x, grad_weight, grad_bias."),
        Mistake({"order": (0, 2, 1)}, "The gradient of the weight comes before that of the bias."),
    ],
)  # fmt: skip


def _layer_norm_backward(
    g, x, w, *, before=True, after=False, through_mean=True, through_variance=True,
    average=np.mean, power=0.5, inside=0.5, axis=-1, ddof=0, by=lambda x, n: n, total=None,
    third=None, scaled=False, order=(0, 1, 2),
):  # fmt: skip
    """Compute the three gradients of LayerNorm, that of x along its three paths."""
    variance = x.var(axis=-1, keepdims=True, ddof=ddof)
    normalized, grad = (x - x.mean(axis=-1, keepdims=True)) / variance**inside, g * w**before
    result = grad
    if through_mean:
        result = result - average(grad, axis=axis, keepdims=True)
    if third:
        result = result - third(normalized, x, grad)
    elif through_variance:
        result = result - normalized * average(grad * normalized, axis=axis, keepdims=True)
    total = total or (lambda grads: grads.sum(axis=tuple(range(x.ndim - 1))))
    grads = result / variance**power * w**after, total(g * w**scaled * by(x, normalized)), total(g)
    return tuple(grads[i] for i in order)


def _norm_case(*shape):
    x = 2 * _RNG.standard_normal(shape) + 1
    return _RNG.standard_normal(shape), x, _RNG.standard_normal(shape[-1])


check_layer_norm_backward = Exercise(
    "Write the gradients of LayerNorm at its input, weight and bias; you may leave out ε.",
    _layer_norm_backward,
    cases=[_norm_case(2, 4), _norm_case(2, 3, 6)],
    edges=[_norm_case(5)],
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
        *(Mistake(powers, "You divide by the variance. Which root of it did the forward step "
                  "divide by?") for powers in ({"power": 1.0}, {"inside": 1.0},
                                        {"power": 1.0, "inside": 1.0})),
        Mistake({"inside": 0.0}, "Your n is not divided by the spread. Its variance should be 1."),
        *(Mistake(lambda g, x, w, i=i: _layer_norm_backward(g, x, w)[i], f"That is the gradient of "
                  f"{name}. Return all three: of x, of the weight and of the bias.")
          for i, name in enumerate(("x", "the weight", "the bias"))),
        *(Mistake({"order": order}, "The right gradients, but one is missing: return those of x, "
                  "of the weight and of the bias.") for order in ((0, 1), (0, 2), (1, 2))),
        Mistake({"average": np.sum}, "You subtract sums. How far does the mean of n numbers move "
                "when one of them moves by 1?"),
        Mistake({"ddof": 1}, "Your variance divides by n - 1. LayerNorm does not estimate anything "
                "from a sample: by what does it divide?"),
        Mistake({"axis": 0}, "You average down the first axis. Along which axis is a vector "
                "normalized?"),
        Mistake({"third": lambda n, x, g: x * (g * n).mean(-1, keepdims=True)}, "The last term "
                "multiplies by x. Which vector has mean 0 and variance 1?"),
        Mistake({"third": lambda n, x, g: n * g.mean(-1, keepdims=True)}, "Both averages are of "
                "the same numbers. In the third path each gradient is weighted by its n."),
        Mistake({"third": lambda n, x, g: -n * (g * n).mean(-1, keepdims=True)}, "The third path "
                "has the wrong sign: a larger σ makes the numbers smaller."),
        Mistake({"third": lambda n, x, g: n * (g * n).sum(-1, keepdims=True)}, "The last term is "
                "a sum. σ moves by n divided by what?"),
        Mistake({"third": lambda n, x, g: (g * n).mean(-1, keepdims=True)}, "The last term lacks a "
                "factor. How far does each entry move when σ does?"),
        Mistake({"order": (0, 2, 1)}, "The gradient of the weight comes before that of the bias."),
        Mistake({"by": lambda x, n: x - x.mean(axis=-1, keepdims=True)}, "The gradient of the "
                "weight multiplies by x less its mean. What does it multiply on the way forward?"),
        Mistake({"scaled": True}, "The gradient of the weight holds the weight. What is multiplied "
                "by it on the way forward?"),
        Mistake({"by": lambda x, n: x}, "The gradient of the weight multiplies by x. What does the "
                "weight multiply on the way forward?"),
        Mistake({"by": lambda x, n: 1}, "The weight gets the gradient of the bias. By what is its "
                "movement multiplied on the way forward?"),
        Mistake({"total": lambda grads: grads}, "Weight and bias are used at every position: where "
                "their paths meet, add."),
        Mistake({"total": lambda grads: grads.sum(axis=-1)}, "You sum the gradients of weight and "
                "bias along the row. Each entry has a weight of its own: over what is to be "
                "summed?"),
        Mistake({"total": lambda grads: grads.sum(axis=0)}, "With one more dimension in front, "
                "weight and bias need a sum over both: over the texts and over the positions."),
        Mistake({"total": lambda grads: _rows(grads).mean(axis=0)}, "You average the gradients of "
                "weight and bias over the positions. Where paths meet, what is done?"),
    ],
)  # fmt: skip
