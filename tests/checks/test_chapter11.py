"""Planted wrong answers to the exercises of Chapter 11 get the right hint."""

import numpy as np
import pytest
import torch
from torch import nn

from minibert.checks.chapter11 import (
    check_expected,
    check_head,
    check_labels,
    check_replacement,
)
from minibert.config import BertConfig
from minibert.heads import BertLMPredictionHead


def expected(tokens, share):
    """Right, and counted in hundredths of the chosen."""
    return tuple(tokens * share * part / 100 for part in (80, 10, 10))


def labels(ids, chosen):
    """Right, and written with a copy."""
    answers = np.full_like(ids, -100)
    answers[chosen] = ids[chosen]
    return answers


def replace(ids, chosen, draws, words, mask_id):
    """Right, and written with a loop."""
    new = ids.copy()
    for place in np.argwhere(chosen):
        place = tuple(place)
        if draws[place] < 0.8:
            new[place] = mask_id
        elif draws[place] < 0.9:
            new[place] = words[place]
    return new


def head_loss(vector, weight, dense_bias, table, bias, word):
    """Right, and computed by the package."""
    vocab, hidden = table.shape
    config = BertConfig(vocab_size=vocab, hidden_size=hidden, num_attention_heads=1)
    head = BertLMPredictionHead(config, nn.Embedding(vocab, hidden)).double()
    values = (weight, dense_bias, table, bias)
    places = (
        head.transform.dense.weight,
        head.transform.dense.bias,
        head.decoder.weight,
        head.bias,
    )
    with torch.no_grad():
        for place, value in zip(places, values):
            place.copy_(torch.tensor(value))
        scores = head(torch.tensor(vector))
    return nn.functional.cross_entropy(scores, torch.tensor(word)).item()


def test_right_answers_pass():
    assert check_expected(expected).passed
    assert check_labels(labels).passed
    assert check_replacement(replace).passed
    assert check_head(head_loss).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda n, p: (0.8 * n, 0.1 * n, 0.1 * n), "shares of the chosen ones"),
        (lambda n, p: (0.8 * p * n, 0.1 * p * n, n - 0.9 * p * n), "never chosen as well"),
        (lambda n, p: (0.8 * p * n, 0.1 * p * n, 0.09 * p * n), "nine tenths of a tenth"),
        (lambda n, p: (0.8 * p * n, 0.02 * p * n, 0.18 * p * n), "left over"),
        (lambda n, p: (0.8 * p * n, 0.1 * p * n, 0.2 * p * n), "more than was chosen"),
        (lambda n, p: (p * n, 0, 0), "the other two"),
        (lambda n, p: (12, 1.5, 1.5), "expected"),
        (lambda n, p: 12, "returns 1 value(s)"),
        (lambda n, p: None, "nothing yet"),
        (lambda n, p: n / 0, "stopped with ZeroDivisionError"),
    ],
)
def test_wrong_shares(wrong, hint):
    verdict = check_expected(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def labels_in_place(ids, chosen):
    ids[~chosen] = -100
    return ids


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda ids, chosen: labels(ids, ~chosen), "not chosen, and for no other"),
        (lambda ids, chosen: ids, "every token"),
        (lambda ids, chosen: ids * chosen, "[PAD]"),
        (lambda ids, chosen: np.where(chosen, ids, -1), "not -1"),
        (lambda ids, chosen: np.where(chosen, 4, -100), "not the question"),
        (lambda ids, chosen: chosen * 1, "which token is right"),
        (labels_in_place, "changes its input"),
        (lambda ids, chosen: ids[chosen], "returns shape"),
        (lambda ids, chosen: ids + 1, "expected"),
        (lambda ids, chosen: ..., "nothing yet"),
    ],
)
def test_wrong_labels(wrong, hint):
    verdict = check_labels(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def replace_by(mask, swap):
    """Let two rules say which chosen tokens are masked, and which of the rest are swapped."""

    def replaced(ids, chosen, draws, words, mask_id):
        new = np.where(mask(draws), mask_id, np.where(swap(draws), words, ids))
        return np.where(chosen, new, ids)

    return replaced


def swap_last(ids, chosen, draws, words, mask_id):
    new = np.where(draws < 0.8, mask_id, ids)
    new = np.where(draws < 0.9, words, new)
    return np.where(chosen, new, ids)


def replace_in_place(ids, chosen, draws, words, mask_id):
    ids[chosen & (draws < 0.8)] = mask_id
    return ids


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda ids, c, d, w, m: replace(ids, c | True, d, w, m), "nobody chose"),
        (lambda ids, c, d, w, m: np.where(c, m, ids), "All chosen tokens become [MASK]"),
        (replace_by(lambda d: d < 0.8, lambda d: d < 2), "No chosen token stays"),
        (replace_by(lambda d: d < 0.8, lambda d: d > 2), "No token becomes a random word"),
        (replace_by(lambda d: d < 0.1, lambda d: d < 0.9), "large share"),
        (replace_by(lambda d: d < 0.8, lambda d: d < 0.82), "left over"),
        (swap_last, "last word"),
        (replace_by(lambda d: d > 0.2, lambda d: d > 0.1), "not above 0.2"),
        (replace_by(lambda d: d <= 0.8, lambda d: d <= 0.9), "expected"),
        (replace_in_place, "changes its input"),
        (lambda ids, c, d, w, m: ids[c], "returns shape"),
        (lambda ids, c, d, w, m: None, "nothing yet"),
    ],
)
def test_wrong_replacement(wrong, hint):
    verdict = check_replacement(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def normal(x):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-12)


def gelu(x):
    return nn.functional.gelu(torch.tensor(x)).numpy()


def surprise(logits, word):
    return np.log(np.exp(logits).sum()) - logits[word]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x, w, b, e, c, k: surprise(e @ normal(w @ x + b) + c, k), "bend is missing"),
        (
            lambda x, w, b, e, c, k: surprise(e @ normal(np.maximum(w @ x + b, 0)) + c, k),
            "ReLU",
        ),
        (lambda x, w, b, e, c, k: surprise(e @ normal(np.tanh(w @ x + b)) + c, k), "tanh"),
        (lambda x, w, b, e, c, k: surprise(e @ gelu(w @ x + b) + c, k), "LayerNorm is missing"),
        (lambda x, w, b, e, c, k: surprise(e @ x + c, k), "right away"),
        (lambda x, w, b, e, c, k: head_loss(x, w, b, e, 0 * c, k), "bias of its own"),
        (lambda x, w, b, e, c, k: head_loss(x, w.T, b, e, c, k), "one row for each output"),
        (lambda *given: np.exp(-head_loss(*given)), "minus its logarithm"),
        (lambda *given: -head_loss(*given), "never negative"),
        (lambda *given: head_loss(*given) / np.log(2), "base 2"),
        (lambda x, w, b, e, c, k: e @ x, "returns shape"),
        (lambda *given: 0.0, "expected"),
        (lambda *given: None, "nothing yet"),
    ],
)
def test_wrong_head(wrong, hint):
    verdict = check_head(wrong)
    assert not verdict.passed
    assert hint in verdict.message
