"""Planted wrong answers to the exercises of Chapter 13 get the right hint."""

import math

import numpy as np
import pytest

from minibert.checks.chapter13 import (
    check_clipping,
    check_decays,
    check_mean_loss,
    check_schedule,
)


def schedule(step, peak, warmup_steps, max_steps):
    """Right, and written as the lower of two straight lines."""
    rise = step / warmup_steps
    fall = (max_steps - step) / (max_steps - warmup_steps)
    return peak * min(rise, fall)


def clipping(weight, bias, longest):
    """Right, and written with the length of all numbers in one row."""
    length = np.linalg.norm([*weight.flat, *bias])
    if length <= longest:
        return weight, bias
    return weight / length * longest, bias / length * longest


def decays(name):
    """Right, and written with the last two parts of the name."""
    *_, module, kind = name.split(".")
    return module != "LayerNorm" and kind == "weight"


def mean_loss(means, labels):
    """Right, and written as a mean over a list of all labels."""
    return float(np.mean([m for m, n in zip(means, labels, strict=True) for _ in range(n)]))


def test_right_answers_pass():
    assert check_schedule(schedule).passed
    assert check_clipping(clipping).passed
    assert check_decays(decays).passed
    assert check_mean_loss(mean_loss).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda s, p, w, m: p * min(1, s / w), "where does it have to arrive"),
        (lambda s, p, w, m: p * (1 - s / m), "What about the warm-up"),
        (lambda s, p, w, m: p * (s / w if s < w else 1 - s / m), "then it jumps"),
        (lambda s, p, w, m: p * max(0, min((s + 1) / w, (m - s - 1) / (m - w))), "one step ahead"),
        (lambda s, p, w, m: schedule(s - 1, p, w, m), "one step late"),
        (lambda s, p, w, m: schedule(s, 1.0, w, m), "share of the peak"),
        (lambda s, p, w, m: 2 * schedule(s, p, w, m), "gives 0.5; expected 0.25"),
        (lambda s, p, w, m: ..., "nothing yet"),
        (lambda step: step, "stopped with TypeError"),
    ],
)
def test_wrong_schedule(wrong, hint):
    verdict = check_schedule(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def norm(*gradients):
    return np.linalg.norm(np.concatenate([g.ravel() for g in gradients]))


def scaled(factor):
    """Multiply both gradients by one factor."""
    return lambda w, b, longest: (w * factor(w, b, longest), b * factor(w, b, longest))


def one_by_one(w, b, longest):
    return tuple(g * min(1, longest / norm(g)) for g in (w, b))


def in_place(w, b, longest):
    w *= 0
    return w, b


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (one_by_one, "on its own"),
        (scaled(lambda w, b, longest: longest / norm(w, b)), "short enough"),
        (lambda w, b, longest: (np.clip(w, -longest, longest), np.clip(b, -longest, longest)),
         "cut each number off"),
        (scaled(lambda w, b, longest: min(1, longest / norm(w, b) ** 2)), "Where is the root"),
        (scaled(lambda w, b, longest: min(1, longest / (abs(w).sum() + abs(b).sum()))),
         "adding up sizes"),
        (lambda w, b, longest: (w, b), "Nothing is shortened"),
        (scaled(lambda w, b, longest: min(1, 1 / norm(w, b))), "Which length is allowed"),
        (scaled(lambda w, b, longest: 0), "expected"),
        (lambda w, b, longest: w, "returns 1 value(s); it should return 2"),
        (in_place, "changes its input"),
        (lambda w, b, longest: None, "nothing yet"),
    ],
)  # fmt: skip
def test_wrong_clipping(wrong, hint):
    verdict = check_clipping(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda name: not decays(name), "Turned around"),
        (lambda name: "bias" not in name, "Biases are right"),
        (lambda name: "LayerNorm" not in name, "LayerNorms are right"),
        (lambda name: decays(name) and ".embeddings." not in name, "like any other"),
        (lambda name: name.split(".")[-1] == "weight", "Biases are right"),
        (lambda name: len(name) > 0, "Everything decays"),
        (lambda name: False, "expected True"),
        (lambda name: name, "expected True"),
        (lambda name: None, "nothing yet"),
    ],
)
def test_wrong_decays(wrong, hint):
    verdict = check_decays(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def known(means):
    return [mean for mean in means if not math.isnan(mean)]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda means, labels: sum(means) / len(means), "The mean of the means. A label"),
        (lambda means, labels: sum(known(means)) / len(known(means)), "NaN left out"),
        (lambda means, labels: sum(m * n for m, n in zip(means, labels)) / sum(labels),
         "0 times NaN"),
        (lambda means, labels: mean_loss(means, labels) * sum(labels) / len(means),
         "divide by their number"),
        (lambda means, labels: mean_loss(means, labels) * sum(labels), "A mean is wanted"),
        (lambda means, labels: 2.0, "expected 2.5"),
        (lambda means, labels: means, "returns shape (2,)"),
        (lambda means, labels: ..., "nothing yet"),
    ],
)  # fmt: skip
def test_wrong_mean_loss(wrong, hint):
    verdict = check_mean_loss(wrong)
    assert not verdict.passed
    assert hint in verdict.message
