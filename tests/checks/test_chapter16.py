"""Planted wrong answers to the exercises of Chapter 16 get the right hint."""

import math
import statistics

import numpy as np
import pytest
import torch
from torch.nn import functional

from minibert.checks.chapter16 import (
    check_head,
    check_seeds,
    check_several_labels,
    check_stopping,
)
from minibert.training import BestWeights


def head(x, weight, bias, labels):
    """Right, and by PyTorch."""
    tensors = (torch.from_numpy(part) for part in (x, weight, bias))
    return functional.cross_entropy(functional.linear(*tensors), torch.from_numpy(labels)).item()


def several(logits, labels):
    """Right, and by PyTorch."""
    given = torch.from_numpy(logits), torch.from_numpy(labels)
    return functional.binary_cross_entropy_with_logits(*given).item()


def stopping(losses, patience):
    """Right, and by the package."""
    best = BestWeights(patience)
    model = torch.nn.Linear(1, 1)
    for number, loss in enumerate(losses, start=1):
        best.record(loss, number, model)
        if best.is_over:
            break
    return best.step, number


def seeds(values):
    """Right, and by the standard library."""
    sd = statistics.stdev(values)
    return statistics.mean(values), sd, sd / len(values) ** 0.5


def test_right_answers_pass():
    assert check_head(head).passed
    assert check_several_labels(several).passed
    assert check_stopping(stopping).passed
    assert check_stopping(lambda *given: list(stopping(*given))).passed
    assert check_seeds(seeds).passed
    assert check_seeds(lambda x: np.array(seeds(x))).passed


def softmax(scores, axis):
    return np.exp(scores) / np.exp(scores).sum(axis=axis, keepdims=True)


def true_chances(x, w, b, y, axis=1):
    return softmax(x @ w.T + b, axis)[np.arange(len(y)), y]


def in_place(x, w, b, y):
    x *= 0
    return 0.0


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x, w, b, y: head(x, w, b, (y + 1) % len(w)), "the class after the true one"),
        (lambda x, w, b, y: head(x, w, b, (y - 1) % len(w)), "the class before the true one"),
        (lambda x, w, b, y: head(x, w, np.zeros(len(b)), y), "The bias is missing"),
        (lambda x, w, b, y: len(y) * head(x, w, b, y), "the sum over the batch"),
        (lambda x, w, b, y: -head(x, w, b, y), "Right up to the sign"),
        (lambda x, w, b, y: head(x, w, b, y) / math.log(2), "These are bits"),
        (lambda x, w, b, y: 1 - true_chances(x, w, b, y).mean(), "Where is the logarithm"),
        (lambda x, w, b, y: -np.log(true_chances(x, w, b, y).mean()), "mean of the logarithms"),
        (lambda *given: -np.log(true_chances(*given, axis=0)).mean(), "runs over the batch"),
        (lambda x, w, b, y: -(x @ w.T + b)[range(len(y)), y].mean(), "These are scores"),
        (lambda x, w, b, y: 0.7, "expected"),
        (lambda x, w, b, y: np.log(true_chances(x, w, b, y)), "it should be ()"),
        (in_place, "changes its input"),
        (lambda x, w, b, y: ..., "nothing yet"),
        (lambda x, w, b, y: x @ w, "stopped with ValueError"),
    ],
)
def test_wrong_head(wrong, hint):
    verdict = check_head(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda z, y: -(y * np.log(softmax(z, 1))).sum(1).mean(), "That is a softmax"),
        (lambda z, y: several(z, y) * y.shape[1], "add up the classes of each row"),
        (lambda z, y: several(z, y) * y.size, "the sum over all questions"),
        (lambda z, y: -(y * np.log(sigmoid(z))).mean(), "Only labels of 1 cost"),
        (lambda z, y: several(z, 1 - y), "Turned around"),
        (lambda z, y: -several(z, y), "Right up to the sign"),
        (lambda z, y: ((sigmoid(z) - y) ** 2).mean(), "squared errors"),
        (lambda z, y: abs(sigmoid(z) - y).mean(), "Where is the logarithm"),
        (lambda z, y: 1.0, "expected"),
        (lambda z, y: None, "nothing yet"),
        (lambda z: z, "stopped with TypeError"),
    ],
)
def test_wrong_several_labels(wrong, hint):
    verdict = check_several_labels(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def every_rise(losses, patience):
    waited = 0
    for number in range(1, len(losses)):
        waited = waited + 1 if losses[number] >= losses[number - 1] else 0
        if waited >= patience:
            return int(np.argmin(losses[: number + 1])) + 1, number + 1
    return int(np.argmin(losses)) + 1, len(losses)


def no_row(losses, patience):
    best, left = math.inf, patience
    for number, loss in enumerate(losses, start=1):
        if loss < best:
            best, found = loss, number
        else:
            left -= 1
        if not left:
            break
    return found, number


def not_higher(losses, patience):
    best = losses[0]
    found = 1
    for number, loss in enumerate(losses, start=1):
        if loss <= best:
            best, found = loss, number
        if number - found >= patience:
            break
    return found, number


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x, p: tuple(n - 1 for n in stopping(x, p)), "counted from 0"),
        (lambda x, p: stopping(x, p)[::-1], "Turned around"),
        (lambda x, p: (stopping(x, p)[1], stopping(x, p)[1]), "not the best ones"),
        (lambda x, p: (x.index(min(x)) + 1, stopping(x, p)[1]), "that are never made"),
        (lambda x, p: ((b := x.index(min(x)) + 1), min(b + p, len(x))), "that are never made"),
        (lambda x, p: stopping(x, p + 1), "one evaluation too long"),
        (lambda x, p: stopping(x, max(p - 1, 1)), "one evaluation too few"),
        (lambda x, p: stopping(x, 1), "What is patience for"),
        (every_rise, "with the lowest so far"),
        (no_row, "They must come in a row"),
        (not_higher, "An equal loss is not a lower one"),
        (lambda x, p: (1, 1), "expected"),
        (lambda x, p: 3, "returns 1 value(s); it should return 2"),
        (lambda x, p: ..., "nothing yet"),
        (lambda x, p: x[p * 10], "stopped with IndexError"),
    ],
)
def test_wrong_stopping(wrong, hint):
    verdict = check_stopping(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x: (np.mean(x), np.std(x), np.std(x) / len(x) ** 0.5), "divide by n − 1"),
        (lambda x: (*seeds(x)[:2], seeds(x)[1]), "gain from more runs"),
        (lambda x: (*seeds(x)[:2], seeds(x)[1] / len(x)), "the square root of n"),
        (lambda x: (seeds(x)[0], *seeds(x)[:0:-1]), "have changed places"),
        (lambda x: (np.mean(x), np.var(x, ddof=1), np.var(x, ddof=1) / len(x)), "are variances"),
        (lambda x: (*seeds(x)[:2], seeds(x)[1] / (len(x) - 1) ** 0.5), "in the standard dev"),
        (lambda x: (np.median(x), *seeds(x)[1:]), "That is the median"),
        (lambda x: (0.0, 0.0, 0.0), "expected"),
        (lambda x: seeds(x)[0], "returns 1 value(s); it should return 3"),
        (lambda x: None, "nothing yet"),
    ],
)
def test_wrong_seeds(wrong, hint):
    verdict = check_seeds(wrong)
    assert not verdict.passed
    assert hint in verdict.message
