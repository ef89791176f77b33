"""The checkers of Chapter 9: right answers pass, planted wrong ones get their hint."""

import re

import numpy as np
import pytest
import torch

from minibert.checks.chapter09 import (
    check_feed_forward,
    check_layer_norm,
    check_layer_size,
    check_post_norm,
)
from minibert.config import BertConfig
from minibert.layer import BertLayer

functional = torch.nn.functional
CHECKS = [check_layer_norm, check_post_norm, check_feed_forward, check_layer_size]


def normalize(x, w=1.0, b=0.0, eps=1e-12, ddof=0, axis=-1):
    centered = x - x.mean(axis=axis, keepdims=True)
    return centered / np.sqrt(x.var(axis=axis, keepdims=True, ddof=ddof) + eps) * w + b


def norm_by_torch(x, w, b, eps):
    x, w, b = map(torch.tensor, (x, w, b))
    return functional.layer_norm(x, x.shape[-1:], w, b, eps).numpy()


def network_by_torch(*arrays):
    x, u, a, v, b = map(torch.tensor, arrays)
    return functional.linear(functional.gelu(functional.linear(x, u, a)), v, b).numpy()


def gelu(x):
    return functional.gelu(torch.tensor(x)).numpy()


def network(x, u, a, v, b, bend=gelu):
    return bend(x @ u.T + a) @ v.T + b


def gelu_by_tanh(x):
    return functional.gelu(torch.tensor(x), approximate="tanh").numpy()


def size_by_counting(hidden, heads, intermediate):
    config = BertConfig(
        hidden_size=hidden, num_attention_heads=heads, intermediate_size=intermediate
    )
    return sum(p.numel() for p in BertLayer(config).parameters())


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_layer_norm, norm_by_torch),
        (check_layer_norm, normalize),
        (check_post_norm, lambda x, c, w, b: norm_by_torch(c + x, w, b, 1e-12)),
        (check_post_norm, lambda x, c, w, b: normalize(2 * (x + c), w, b)),
        (check_feed_forward, network_by_torch),
        (check_feed_forward, network),
        (check_layer_size, size_by_counting),
        (check_layer_size, lambda h, a, i: 4 * h * h + 2 * h * i + 9 * h + i),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (
            lambda x, w, b, e: (
                (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + e) * w + b
            ),
            "You add ε to the root",
        ),
        (lambda x, w, b, e: normalize(x, w, b, 0.0), "Where is ε"),
        (lambda x, w, b, e: normalize(x, w, b, 1e-5), "Your ε is 0.00001"),
        (lambda x, w, b, e: normalize(x, w, b, e, ddof=1), "divides by n - 1"),
        (
            lambda x, w, b, e: (
                (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + e) * w + b
            ),
            "You divide by the variance",
        ),
        (
            lambda x, w, b, e: x / np.sqrt(x.var(-1, keepdims=True) + e) * w + b,
            "What was to be subtracted",
        ),
        (lambda x, w, b, e: normalize(x, w, b, e, axis=None), "over the whole array"),
        (lambda x, w, b, e: normalize(x, w, b, e, axis=0), "down the first axis"),
        (lambda x, w, b, e: normalize(x, eps=e), "Now stretch by the weight"),
        (lambda x, w, b, e: normalize(x, w, eps=e), "Where is the bias"),
        (lambda x, w, b, e: normalize(x, b=b, eps=e), "Where is the weight"),
        (lambda x, w, b, e: (normalize(x, eps=e) + b) * w, "You shift before you stretch"),
    ],
)
def test_layer_norm_mistakes_get_their_hint(answer, hint):
    expect_hint(check_layer_norm(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda x, c, w, b: normalize(c, w, b), "keep what it was"),
        (lambda x, c, w, b: x + normalize(c, w, b), "normalize the change and then add"),
        (lambda x, c, w, b: normalize(x, w, b) + c, "LayerNorm comes last"),
        (lambda x, c, w, b: normalize(x, w, b) + normalize(c, w, b), "You normalize both parts"),
        (lambda x, c, w, b: x + c, "what sets it right"),
        (lambda x, c, w, b: normalize(x + c, w, b) + x, "added once more"),
        (lambda x, c, w, b: normalize(x - c, w, b), "The change is subtracted"),
        (lambda x, c, w, b: normalize(x + c), "Where are weight and bias"),
    ],
)
def test_post_norm_mistakes_get_their_hint(answer, hint):
    expect_hint(check_post_norm(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda *given: network(*given, bend=gelu_by_tanh), "GELU by tanh"),
        (lambda *given: network(*given, bend=lambda x: x * (x > 0)), "That is ReLU"),
        (lambda *given: network(*given, bend=lambda x: x), "two linear layers melt into one"),
        (lambda *given: gelu(network(*given)), "You bend the result as well"),
        (lambda *given: gelu(network(*given, bend=lambda x: x)), "You bend at the end"),
        (
            lambda x, *given: network(gelu(x), *given, bend=lambda x: x),
            "before the vector is widened",
        ),
        (lambda x, u, a, v, b: network(x, u, 0, v, b), "bias of the first linear layer"),
        (lambda x, u, a, v, b: network(x, u, a, v, 0), "bias of the second linear layer"),
        (lambda x, u, a, v, b: network(x, u, 0, v, 0), "Both linear layers have a bias"),
        (lambda x, *given: network(x, *given) + x, "the work of its frame"),
    ],
)
def test_feed_forward_mistakes_get_their_hint(answer, hint):
    expect_hint(check_feed_forward(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda h, a, i: 4 * h * h + 2 * h * i + 4 * h, "You count no bias"),
        (lambda h, a, i: 4 * h * h + 2 * h * i + 5 * h + i, "weights and biases of LayerNorm"),
        (lambda h, a, i: 4 * h * h + 2 * h * i, "You count matrices only"),
        (lambda h, a, i: 4 * h * h + 2 * h * i + 7 * h + i, "Half of LayerNorm's numbers"),
        (lambda h, a, i: 3 * h * h + 2 * h * i + 8 * h + i, "mixes the contexts"),
        (lambda h, a, i: 4 * a * h * (h + 1) + 2 * h * i + 5 * h + i, "once for each head"),
        (lambda h, a, i: 12 * h * h + 13 * h, "Use the one that is given"),
        (lambda h, a, i: 2 * h * i + 5 * h + i, "Where is attention"),
        (lambda h, a, i: 4 * h * h + 8 * h, "Where is the feed-forward network"),
    ],
)
def test_wrong_counts_get_their_hint(answer, hint):
    expect_hint(check_layer_size(answer), hint)


@pytest.mark.parametrize("check", CHECKS)
def test_an_empty_stub_nonsense_and_an_error_get_a_kind_sentence(check):
    def empty(*arguments): ...

    expect_hint(check(empty), "returns nothing yet")
    expect_hint(check(lambda first, *rest: 0.5 * first), "expected")
    expect_hint(check(lambda first, *rest: np.zeros((7, 7))), "shape")
    expect_hint(check(lambda first: first), "stopped with TypeError")


def expect_hint(verdict, hint):
    assert not verdict.passed
    assert re.search(hint, verdict.message), verdict.message
