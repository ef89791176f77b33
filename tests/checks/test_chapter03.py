"""Planted wrong answers to the exercises of Chapter 3 get the right hint."""

import numpy as np
import pytest

from minibert.checks.chapter03 import (
    check_additive_mask,
    check_causal_mask,
    check_mean_loss,
    check_padding_and_causal,
)

LOWEST = np.finfo(np.float64).min
INFINITY = float("inf")


def hide(attention_mask, number):
    return np.where(attention_mask[..., None, :] == 1, 0.0, number)


def future(seq, number, first=1):
    """Write a number from the given diagonal up, one cell at a time."""
    mask = np.zeros((seq, seq))
    for i in range(seq):
        mask[i, i + first :] = number
    return mask


def both(attention_mask, combine):
    seq = attention_mask.shape[-1]
    padding = np.repeat(hide(attention_mask, LOWEST), seq, axis=-2)
    return combine(padding, np.broadcast_to(future(seq, LOWEST), padding.shape))


def mean_in_a_loop(losses, labels):
    chosen = []
    for row, asked in zip(losses, labels, strict=True):
        chosen += [loss for loss, label in zip(row, asked, strict=True) if label != -100]
    return sum(chosen) / len(chosen)


def weights_that_cancel(losses, labels):
    weights = (labels != -100).astype(float)
    return (losses.mean() * weights).sum() / weights.sum()


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (check_additive_mask, lambda mask: (1.0 - mask[..., None, :]) * LOWEST),
        (check_additive_mask, lambda mask: hide(mask, LOWEST)),
        (check_causal_mask, lambda seq: future(seq, LOWEST)),
        (check_causal_mask, lambda seq: (1 - np.tri(seq)) * LOWEST),
        (check_padding_and_causal, lambda mask: both(mask, np.minimum)),
        (
            check_padding_and_causal,
            lambda mask: np.where(np.tri(mask.shape[-1]) * mask[..., None, :] == 1, -0.0, LOWEST),
        ),
        (check_mean_loss, mean_in_a_loop),
        (check_mean_loss, lambda losses, labels: losses[labels >= 0].mean()),
    ],
)
def test_right_answers_pass(check, right):
    verdict = check(right)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda mask: mask[..., None, :], "still a mask of ones and zeros"),
        (lambda mask: 1.0 - mask[..., None, :], "makes its share larger"),
        (lambda mask: hide(1 - mask, LOWEST), "wrong way round"),
        (lambda mask: hide(mask, -LOWEST), "Which sign"),
        (lambda mask: (1.0 - mask[..., None, :]) * -INFINITY, "0 times infinity"),
        (lambda mask: hide(mask, -INFINITY), "everything is hidden"),
        (lambda mask: hide(mask, -10000.0), "shine through"),
        (lambda mask: hide(mask, -1e9), "shine through"),
        (lambda mask: hide(mask, float(np.finfo(np.float32).min)), "float32"),
        (lambda mask: hide(mask, np.finfo(float).tiny), "smallest positive"),
        (lambda mask: hide(mask, LOWEST)[..., 0, :], "shape (5,); it should be (1, 5)"),
        (lambda mask: hide(mask, -7.0), "expected"),
        (lambda mask: None, "nothing yet"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_additive_mask(wrong, hint):
    verdict = check_additive_mask(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda seq: future(seq, LOWEST, first=0), "not even itself"),
        (lambda seq: future(seq, LOWEST).T, "themselves and the future"),
        (lambda seq: future(seq, LOWEST, first=0).T, "only the future"),
        (lambda seq: future(seq, -INFINITY), "padding on the left"),
        (lambda seq: future(seq, -1e9), "lowest number a float64 can hold"),
        (lambda seq: future(seq, -LOWEST), "Which sign"),
        (lambda seq: np.tri(seq), "right ones and zeros"),
        (lambda seq: np.tri(seq, dtype=bool), "right ones and zeros"),
        (lambda seq: future(seq, 1.0), "hides nothing"),
        (lambda seq: (1 - np.tri(seq)) * -INFINITY, "0 times infinity"),
        (lambda seq: np.where(np.eye(seq) == 1, 0, LOWEST), "only itself"),
        (lambda seq: future(seq, LOWEST)[0], "shape (1,); it should be (1, 1)"),
        (lambda seq: future(seq, -7.0), "expected"),
        (lambda seq: ..., "nothing yet"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_causal_mask(wrong, hint):
    verdict = check_causal_mask(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda mask: both(mask, np.add), "−∞"),
        (lambda mask: both(mask, np.maximum), "only what both masks hide"),
        (lambda mask: both(mask, lambda padding, causal: padding), "Where is the causal mask?"),
        (lambda mask: both(mask, lambda padding, causal: causal), "Where is the padding mask?"),
        (lambda mask: both(mask, lambda p, c: np.minimum(p, c.swapaxes(-1, -2))), "on its side"),
        (lambda mask: both(mask, lambda p, c: np.minimum(p.swapaxes(-1, -2), c)), "columns"),
        (lambda mask: both(mask, np.multiply), "product of masks"),
        (
            lambda mask: np.where(both(mask, np.minimum) < 0, -INFINITY, 0),
            "a row has nothing to see",
        ),
        (lambda mask: hide(mask, LOWEST), "it should be (5, 5)"),
        (lambda mask: -both(mask, np.minimum), "expected"),
        (lambda mask: None, "nothing yet"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_padding_and_causal(wrong, hint):
    verdict = check_padding_and_causal(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda losses, labels: losses.mean(), "mean over all positions"),
        (weights_that_cancel, "weights cancel"),
        (lambda losses, labels: (losses * (labels != -100)).mean(), "divide by all positions"),
        (lambda losses, labels: (losses * (labels != -100)).sum(), "is a sum"),
        (lambda losses, labels: losses[losses != 0].mean(), "may have loss 0"),
        (
            lambda losses, labels: (
                (losses * (labels != -100)).sum() / ((losses * (labels != -100)) != 0).sum()
            ),
            "may have loss 0",
        ),
        (lambda losses, labels: losses[labels > 0].mean(), "left out the label 0"),
        (lambda losses, labels: losses[labels != 0].mean(), "kept −100"),
        (lambda losses, labels: losses[labels == -100].mean(), "Turn the choice around"),
        (
            lambda losses, labels: np.mean(
                [mean_in_a_loop([a], [b]) for a, b in zip(losses, labels, strict=True)]
            ),
            "mean of means",
        ),
        (lambda losses, labels: losses[labels != -100], "it should be ()"),
        (lambda losses, labels: losses.max(), "expected"),
        (lambda losses, labels: None, "nothing yet"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_mean_loss(wrong, hint):
    verdict = check_mean_loss(wrong)
    assert not verdict.passed
    assert hint in verdict.message
