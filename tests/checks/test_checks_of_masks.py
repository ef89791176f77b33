"""Right answers to the exercises of Chapter 3, written in other ways, pass."""

import re

import numpy as np
import pytest

from bertbook.checks.masks import (
    check_additive_mask,
    check_causal_mask,
    check_mean_loss,
    check_padding_and_causal,
    check_promises,
)

LOWEST = np.finfo(np.float64).min


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


def promises(attend):
    """Right, with random vectors and enormous padding."""
    rng = np.random.default_rng(1)
    for words in range(4):
        x = rng.standard_normal((6, 5))
        x[words:] = 500
        padded, _ = attend(x, x, x, np.array([1] * words + [0] * (6 - words)))
        if not np.isfinite(padded).all():
            return False
        if words:
            alone, _ = attend(x[:words], x[:words], x[:words], np.ones(words))
            if not np.allclose(padded[:words], alone):
                return False
    return True


@pytest.mark.parametrize(
    ("check", "answer"),
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
        (check_promises, promises),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_causal_mask, lambda seq: np.triu(np.full((seq, seq), LOWEST), k=1), "triu"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
