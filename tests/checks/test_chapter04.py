"""The checkers of Chapter 4: right answers pass, planted wrong ones get their hint."""

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
from minibert.reference import gelu, softmax

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


def spread(x):
    return np.sqrt(x.var(axis=-1, keepdims=True))


def normalize(x):
    return (x - x.mean(axis=-1, keepdims=True)) / spread(x)


def mean(x):
    return x.mean(axis=-1, keepdims=True)


def said_minus_right(logits, labels):
    return softmax(logits) - np.eye(logits.shape[1] + 101)[labels, : logits.shape[1]]


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
        (
            check_layer_norm_backward,
            lambda g, x, w: (
                (g * w - mean(g * w) - normalize(x) * mean(g * w * normalize(x))) / spread(x)
            ),
        ),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda g, x: share(x) + x * phi(x), "Where does grad_output come in"),
        (lambda g, x: g * share(x), r"What does Φ\(x\) do when x moves"),
        (lambda g, x: g * x * phi(x), "What does x itself do"),
        (lambda g, x: g * (share(x) + phi(x)), "by what is its movement multiplied"),
        (lambda g, x: g * phi(x), "Which rule holds for the product"),
        (lambda g, x: g * (share(x) + x * np.exp(-(x**2) / 2)), "have area 1"),
        (lambda g, x: g * (share(x) + x * np.exp(-(x**2)) / np.sqrt(2 * np.pi)), "divided by in"),
        (
            lambda g, x: ask_torch(lambda x: functional.gelu(x, approximate="tanh"), x, g),
            "tanh approximation",
        ),
    ],
)
def test_gelu_mistakes_get_their_hint(answer, hint):
    expect_hint(check_gelu_backward(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda g, p: p * (1 - p) * g, "how a share moves with its own score"),
        (lambda g, p: p * g, "What happens to the other shares"),
        (lambda g, p: p * (g - mean(g)), "plain average"),
        (lambda g, p: p * (g - g.sum(axis=-1, keepdims=True)), "By what is each of them weighted"),
        (lambda g, p: p * (g - (p * g).sum(axis=0, keepdims=True)), "sum down the first axis"),
        (lambda g, p: p * (g - (p * g).sum()), "sum over the whole array"),
        (lambda g, p: g - (p * g).sum(axis=-1, keepdims=True), "move its own share"),
        (lambda g, p: p * ((p * g).sum(axis=-1, keepdims=True) - g), "sign is turned round"),
    ],
)
def test_softmax_mistakes_get_their_hint(answer, hint):
    expect_hint(check_softmax_backward(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (
            lambda x, y: (y >= 0)[:, None] * said_minus_right(x, y),
            "By what must its gradient be divided",
        ),
        (
            lambda x, y: (y >= 0)[:, None] * said_minus_right(x, y) / len(y),
            "You divide by all positions",
        ),
        (lambda x, y: said_minus_right(x, y) / (y >= 0).sum(), "What can their gradient be"),
        (lambda x, y: said_minus_right(x, y) / len(y), "like the others. Is it in the loss"),
        (lambda x, y: said_minus_right(x, y), "the average is missing"),
        (
            lambda x, y: (y >= 0)[:, None] * softmax(x) / (y >= 0).sum(),
            "what was said. What was right is still to be subtracted",
        ),
        (lambda x, y: softmax(x), "and not every position has a label"),
        (
            lambda x, y: (y >= 0)[:, None] * -said_minus_right(x, y) / (y >= 0).sum(),
            "The sign is turned round",
        ),
        (
            lambda x, y: (
                (y >= 0)[:, None]
                * (said_minus_right(x, y) - softmax(x) + softmax(x, axis=0))
                / (y >= 0).sum()
            ),
            "runs over the positions",
        ),
    ],
)
def test_cross_entropy_mistakes_get_their_hint(answer, hint):
    expect_hint(check_cross_entropy_backward(answer), hint)


def wrong_layer_norm(through_mean=1, through_variance=1):
    def answer(g, x, w):
        g, n = g * w, normalize(x)
        return (g - through_mean * mean(g) - through_variance * n * mean(g * n)) / spread(x)

    return answer


def without_weight(g, x, w):
    return wrong_layer_norm()(g, x, np.ones(w.shape))


def by_sums(g, x, w):
    g, n = g * w, normalize(x)
    size = x.shape[-1]
    return (g - size * mean(g) - size * n * mean(g * n)) / spread(x)


def with_the_variance_of_a_sample(g, x, w):
    g, wide = g * w, x.std(axis=-1, keepdims=True, ddof=1)
    n = (x - mean(x)) / wide
    return (g - mean(g) - n * mean(g * n)) / wide


def down_the_first_axis(g, x, w):
    g, n = g * w, normalize(x)
    across = g.mean(axis=0, keepdims=True), (g * n).mean(axis=0, keepdims=True)
    return (g - across[0] - n * across[1]) / spread(x)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (wrong_layer_norm(0, 0), "mean and variance as fixed numbers"),
        (wrong_layer_norm(0, 1), "What does the mean do"),
        (wrong_layer_norm(1, 0), "What does the variance do"),
        (without_weight, "You forgot the weight"),
        (lambda g, x, w: without_weight(g, x, w) * w, "You multiply by the weight at the end"),
        (lambda g, x, w: wrong_layer_norm()(g, x, w) * spread(x), "Where is the division"),
        (lambda g, x, w: wrong_layer_norm()(g, x, w) / spread(x), "You divide by the variance"),
        (by_sums, "You subtract sums"),
        (with_the_variance_of_a_sample, "divides by n - 1"),
        (down_the_first_axis, "average down the first axis"),
    ],
)
def test_layer_norm_mistakes_get_their_hint(answer, hint):
    expect_hint(check_layer_norm_backward(answer), hint)


@pytest.mark.parametrize(
    "check",
    [
        check_gelu_backward,
        check_softmax_backward,
        check_cross_entropy_backward,
        check_layer_norm_backward,
    ],
)
def test_an_empty_stub_zeros_and_a_wrong_shape_do_not_pass(check):
    def empty(*arguments): ...

    expect_hint(check(empty), "returns nothing yet")
    expect_hint(check(lambda first, *rest: np.zeros(first.shape)), "expected")
    expect_hint(check(lambda first, *rest: first.sum()), "shape")


def test_an_answer_that_writes_into_its_input_is_told():
    def answer(logits, labels):
        logits -= 1
        return logits

    expect_hint(check_cross_entropy_backward(answer), "changes its input")


def expect_hint(verdict, hint):
    assert not verdict.passed
    assert re.search(hint, verdict.message), verdict.message
