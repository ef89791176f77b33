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


def promises_for(*masks):
    """Try some masks, with random vectors and enormous padding, and a text that is all padding."""

    def promises(attend):
        rng = np.random.default_rng(1)
        for mask in masks:
            x = np.abs(rng.standard_normal((len(mask), 5)))
            words = np.array(mask) == 1
            x[~words] = 500
            padded, _ = attend(x, x, x, np.array(mask))
            alone, _ = attend(x[words], x[words], x[words], np.ones(words.sum()))
            if not np.allclose(padded[words], alone):
                return False
        return bool(np.isfinite(attend(x, x, x, np.zeros(len(x)))[0]).all())

    return promises


def never_alone(attend):
    """Change what stands in the padding, and never how much of it there is."""
    words, x = np.array([1, 1, 0, 1, 0]), np.random.default_rng(0).standard_normal((5, 4))
    contexts = []
    for number in (3, 700):
        filled = np.where(words[:, None] == 1, x, number)
        contexts.append(attend(filled, filled, filled, words)[0][words == 1])
    empty, _ = attend(x, x, x, np.zeros(5))
    return bool(np.allclose(*contexts) and np.isfinite(empty).all())


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
        (check_promises, promises_for([1, 0, 1, 1, 0])),
        (check_promises, promises_for([1, 1, 1, 0, 0], [0, 1, 1, 0, 1])),
        (check_mean_loss, lambda losses, labels: np.float32(losses[labels != -100].mean())),
        (check_additive_mask, lambda mask: hide(mask, LOWEST).tolist()),
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


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        *((check_additive_mask, lambda mask, n=n: hide(mask, n), "Does np.finfo know a")
          for n in (-1, -500, -99999, -1e9, -1e30, -1e308)),
        (check_additive_mask, lambda mask: hide(mask, -1e-9), "Which entry of"),
        *((check_causal_mask, lambda seq, n=n: future(seq, n), "Does a float64 go lower?")
          for n in (-1, -1000, -1e308)),
        (check_causal_mask, lambda seq: np.full((seq, seq), LOWEST), "May a token see"),
        (check_padding_and_causal, lambda mask: both(mask, lambda a, b: np.minimum(a, b) / 2),
         "Does a float64 go lower?"),
        (check_padding_and_causal, lambda mask: both(mask, lambda a, b: np.minimum(a, b - np.eye(
            a.shape[-1]) * 1.0 * -LOWEST)), "May a token look at"),
        (check_mean_loss, lambda losses, labels: losses[labels != -100].sum() / len(labels),
         "How many positions have"),
        (check_mean_loss, lambda losses, labels: losses[labels > 0].sum() / (labels >= 0).sum(),
         "You leave out the label 0. It is"),
        (check_promises, never_alone, "How much padding there is must not matter either"),
        (check_additive_mask, lambda mask: hide(mask, LOWEST) + np.zeros((mask.shape[-1], 1)),
         "One row serves all"),
        (check_causal_mask, lambda seq: np.eye(seq, k=1) * LOWEST, "What about later"),
        (check_padding_and_causal, lambda mask: np.minimum(
            hide(mask, LOWEST), future(len(mask), LOWEST)), "What is seq"),
        (check_mean_loss, lambda losses, labels: [
            row[asked != -100].mean() for row, asked in zip(losses, labels, strict=True)],
         "One mean over all"),
        (check_promises, promises_for([1, 1, 1, 0, 0]), "Your padding stands at an end only."),
        (check_promises, promises_for([0, 0, 1, 1, 1]), "Your padding stands at an end only. What"),
        (check_promises, promises_for([1, 1, 1, 0], [0, 1, 1, 1]), "Your padding stands at an end"),
    ],
)  # fmt: skip
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message
