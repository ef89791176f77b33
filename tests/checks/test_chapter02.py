"""Planted wrong answers to the exercises of Chapter 2 get the right hint."""

import numpy as np
import pytest

from minibert.checks.chapter02 import check_attention, check_query, check_softmax


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def softmax_differently(x):
    """Right, through logarithms."""
    shifted = x - np.max(x, -1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(-1))[..., None])


def attention(query, key, value, divisor, axis=-1):
    scores = np.einsum("...qd,...kd->...qk", query, key) / divisor
    return np.einsum("...qk,...kd->...qd", softmax(scores, axis), value)


def test_right_answers_pass():
    assert check_softmax(softmax).passed
    assert check_softmax(softmax_differently).passed
    assert check_attention(lambda q, k, v: attention(q, k, v, k.shape[-1] ** 0.5)).passed
    assert check_query(lambda: [2, 2, -2]).passed
    assert check_query(lambda: np.array([10.0, 10.0, -10.0])).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x: softmax(x, axis=0), "first axis"),
        (lambda x: np.exp(x) / np.sum(np.exp(x)), "whole array"),
        (lambda x: np.exp(x), "sum to 1"),
        (lambda x: np.exp(x - np.max(x, -1, keepdims=True)), "sum to 1"),
        (lambda x: x / np.sum(x, -1, keepdims=True), "exponential"),
        (lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True), "1000 overflows"),
        (lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(-1, keepdims=True), "0 / 0"),
        (lambda x: None, "nothing yet"),
        (lambda x: x.sum(), "shape"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_softmax(wrong, hint):
    verdict = check_softmax(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda q, k, v: attention(q, k, v, 1), "not divided"),
        (lambda q, k, v: attention(q, k, v, k.shape[-1]), "square root"),
        (lambda q, k, v: attention(q, k, v, k.shape[-2] ** 0.5), "number of keys"),
        (lambda q, k, v: attention(q, k, v, k.shape[-1] ** -0.5), "multiply"),
        (lambda q, k, v: attention(q, k, v, k.shape[-1] ** 0.5, axis=-2), "over the queries"),
        (lambda q, k, v: softmax(q @ k), "ValueError"),
        (lambda q, k, v: attention(q, k, q, k.shape[-1] ** 0.5), "stopped"),
        (lambda q, k, v: attention(q, k, k, k.shape[-1] ** 0.5), "expected"),
    ],
)
def test_wrong_attention(wrong, hint):
    verdict = check_attention(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (None, "nothing yet"),
        ([1, 2], "three numbers"),
        (["a", "b", "c"], "three numbers"),
        ([np.inf, 0, 0], "not finite"),
        ([-2, -2, 2], "prefers cat"),
        ([0.5, 0.5, -0.5], "longer query"),
    ],
)
def test_wrong_query(query, hint):
    verdict = check_query(lambda: query)
    assert not verdict.passed
    assert hint in verdict.message
