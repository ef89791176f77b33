"""Right answers to the exercises of Chapter 4, written in other ways, pass."""

import re

import numpy as np
import pytest
import torch

from minibert.checks.chapter04 import (
    check_cross_entropy_backward,
    check_gelu_backward,
    check_layer_norm_backward,
    check_softmax_backward,
)
from minibert.reference import (
    cross_entropy_backward,
    gelu,
    gelu_backward,
    layer_norm_backward,
    softmax_backward,
)

functional = torch.nn.functional


def ask_torch(function, array, grad_output):
    """Let autograd answer the exercise: a right answer written by nobody here."""
    x = torch.tensor(array, requires_grad=True)
    (grad,) = torch.autograd.grad(function(x), x, torch.as_tensor(grad_output))
    return grad.numpy()


def phi(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def share(x):
    return np.divide(gelu(x), x)


def loops_for_softmax(grad_output, probs):
    flat_grad, flat_probs = (a.reshape(-1, a.shape[-1]) for a in (grad_output, probs))
    rows = [(np.diag(p) - np.outer(p, p)) @ g for g, p in zip(flat_grad, flat_probs, strict=True)]
    return np.array(rows).reshape(probs.shape)


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
            lambda g, x, w: ask_torch(
                lambda x: functional.layer_norm(x, x.shape[-1:], torch.tensor(w), eps=1e-12), x, g
            ),
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
            lambda g, x, w: layer_norm_backward(g, x, w)[0],
            "layer_norm_backward",
        ),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
