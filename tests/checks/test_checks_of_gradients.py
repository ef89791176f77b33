"""Right answers to the exercises of Chapter 4, written in other ways, pass."""

import re

import numpy as np
import pytest
import torch

from bertbook.checks.gradients import check_cross_entropy_backward, check_gelu_backward
from bertbook.checks.gradients_of_layers import check_layer_norm_backward, check_linear_backward
from bertbook.checks.softmax_gradient import check_gradient_test, check_softmax_backward
from minibert.reference import (
    cross_entropy_backward,
    gelu,
    gelu_backward,
    layer_norm_backward,
    linear_backward,
    softmax,
    softmax_backward,
)

functional = torch.nn.functional


def ask_torch(function, array, grad_output):
    """Let autograd answer the exercise: a right answer written by nobody here."""
    return ask_torch_for_all(function, [array], grad_output)[0]


def ask_torch_for_all(function, arrays, grad_output):
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    grads = torch.autograd.grad(function(*tensors), tensors, torch.as_tensor(grad_output))
    return tuple(grad.numpy() for grad in grads)


def phi(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def share(x):
    return np.divide(gelu(x), x)


def loops_for_softmax(grad_output, probs):
    flat_grad, flat_probs = (a.reshape(-1, a.shape[-1]) for a in (grad_output, probs))
    rows = [(np.diag(p) - np.outer(p, p)) @ g for g, p in zip(flat_grad, flat_probs, strict=True)]
    return np.array(rows).reshape(probs.shape)


def by_einsum(g, x):
    return np.einsum("to,ti->oi", g, x), np.einsum("to->o", g)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_gelu_backward, lambda g, x: g * (share(x) + x * phi(x))),
        (check_gelu_backward, lambda g, x: ask_torch(functional.gelu, x, g)),
        (check_softmax_backward, lambda g, p: p * g - p * (p * g).sum(-1, keepdims=True)),
        (check_softmax_backward, loops_for_softmax),
        (
            check_cross_entropy_backward,
            lambda x, y: ask_torch(lambda x: functional.cross_entropy(x, torch.tensor(y)), x, 1.0),
        ),
        (
            check_layer_norm_backward,
            lambda g, x, w: ask_torch_for_all(
                lambda x, w, b: functional.layer_norm(x, x.shape[-1:], w, b, 1e-12),
                [x, w, np.zeros(w.shape)],
                g,
            ),
        ),
        (
            check_linear_backward,
            lambda g, x, w: (g @ w, *by_einsum(g.reshape(-1, 2), x.reshape(-1, 3))),
        ),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_gelu_backward, gelu_backward, "gelu_backward"),
        (check_softmax_backward, lambda g, p: softmax_backward(g, p), "softmax_backward"),
        (
            check_cross_entropy_backward,
            lambda x, y: cross_entropy_backward(x, y),
            "cross_entropy_backward",
        ),
        (
            check_layer_norm_backward,
            lambda g, x, w: layer_norm_backward(g, x, w),
            "layer_norm_backward",
        ),
        (check_linear_backward, lambda g, x, w: linear_backward(g, x, w), "linear_backward"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


def norm_backward(g, x, w, power):
    """Divide by the standard deviation, or by its square."""
    spread = x.std(axis=-1, keepdims=True) ** power
    n, leading = (x - x.mean(axis=-1, keepdims=True)) / spread, tuple(range(x.ndim - 1))
    paths = g * w - (g * w).mean(-1, keepdims=True) - n * (g * w * n).mean(-1, keepdims=True)
    return paths / spread, (g * n).sum(leading), g.sum(leading)


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_gelu_backward, lambda g, x: g * x * (share(x) + phi(x)), "When x moves,"),
        (check_gelu_backward, lambda g, x: g * (share(x) + x**2 * phi(x)), "When Φ(x) moves,"),
        (check_gelu_backward, lambda g, x: g * (2 * share(x) + x * phi(x)), "Φ(x) is half of 1 +"),
        (check_layer_norm_backward, lambda *a: norm_backward(*a, power=2), "by the variance"),
        (check_layer_norm_backward, lambda *a: norm_backward(*a, power=1)[0], "Return all three"),
        (check_layer_norm_backward, lambda *a: norm_backward(*a, power=1)[:2], "all three"),
        (check_layer_norm_backward, lambda *a: norm_backward(*a, power=1)[0][..., :1],
         "returns one array of shape (2, 1); it should return 3"),
        (check_linear_backward, lambda *a: linear_backward(*a)[:2], "is missing"),
        (check_linear_backward, lambda g, x, w: (
            *linear_backward(g, x, w)[:2], g.reshape(-1, 2).sum(axis=0, keepdims=True)),
         "Over what do you sum"),
        (check_gelu_backward, lambda g, x: g + share(x) + x * phi(x), "You add grad_output"),
        (check_gelu_backward, lambda g, x: np.where(x > 0, g, 0), "the slope of ReLU"),
        (check_softmax_backward, lambda g, p: -p * (p * g).sum(-1, keepdims=True),
         "A score also raises its own probability"),
        (check_cross_entropy_backward, lambda x, y: cross_entropy_backward(x, y)[y >= 0],
         "Without a label the gradient is 0."),
        (check_cross_entropy_backward, lambda x, y: functional.cross_entropy(
            *map(torch.tensor, (x, y))).item(), "That is the loss."),
        (check_softmax_backward, lambda g, p: p * (g - (p * g).sum(1, keepdims=True)), "axis do"),
    ],
)  # fmt: skip
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (check_gelu_backward, gelu_backward),
        (check_softmax_backward, softmax_backward),
        (check_cross_entropy_backward, cross_entropy_backward),
    ],
)
def test_a_gradient_in_32_bits_is_right(check, right):
    verdict = check(lambda *case: right(*case).astype(np.float32))
    assert verdict.passed, verdict


def test_a_gradient_test_that_nobody_slips_through():
    def by_autograd(backward):
        x, g = np.random.default_rng(1).standard_normal((2, 2, 3, 4))
        right = ask_torch(lambda x: x.softmax(-1), x, g)
        return np.allclose(backward(g, softmax(x)), right)

    def by_assert(backward):
        assert by_autograd(backward)
        return True

    count = len(check_softmax_backward.mistakes)
    assert check_gradient_test(by_autograd).message.startswith(f"Right: none of {count} wrong")
    assert check_gradient_test(by_assert).passed


def test_a_gradient_test_with_a_hole_is_told_who_slips_through():
    def plain_sum(backward):
        probs = softmax(np.array([[1.0, 2, 3], [0, 1, 5]]))
        return np.allclose(backward(np.ones((2, 3)), probs), 0)

    def one_row(backward):
        return np.allclose(backward(np.array([1.0, 0]), np.array([0.25, 0.75])), [3 / 16, -3 / 16])

    def two_rows(backward):
        probs = softmax(np.array([[1.0, 2, 3], [0, 1, 5]]))
        return np.allclose(backward(probs, probs), loops_for_softmax(probs, probs))

    holes = [
        (plain_sum, "By what is each gradient weighted"),
        (one_row, "Along which"),
        (two_rows, "Along which axis do"),
    ]
    for hole, told in holes:
        message = check_gradient_test(hole).message
        assert "wrong gradients pass. The author of one would be told" in message
        assert told in message, message


def raises(backward):
    raise KeyError("x")


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (lambda backward: None, "returns nothing yet. Let it return True or False"),
        (lambda backward: False, "refuses the right gradient"),
        (
            lambda backward: True,
            f"Not yet. {(n := len(check_softmax_backward.mistakes))} of {n} wrong gradients",
        ),
        (raises, "raises stopped with KeyError: 'x'"),
        (
            lambda backward: np.allclose(
                backward(*(a := np.random.default_rng(0).random((2, 3, 4, 5)))),
                softmax_backward(*a),
            ),
            "uses softmax_backward. Who would test that one?",
        ),
    ],
)
def test_a_gradient_test_that_cannot_be(test, told):
    verdict = check_gradient_test(test)
    assert not verdict.passed
    assert told in verdict.message
