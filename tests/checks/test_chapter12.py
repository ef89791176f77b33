"""Planted wrong answers to the exercises of Chapter 12 get the right hint."""

import numpy as np
import pytest
import torch

from minibert.checks.chapter12 import (
    STORIES,
    check_framed_pair,
    check_negatives,
    check_pair_loss,
    check_total_loss,
)
from minibert.data import NOT_NEXT, draw_pairs
from minibert.losses import masked_lm_loss, next_sentence_loss


def framed_pair(first, second, follows):
    """Right, and written token by token."""
    tokens = ["[CLS]", *["a"] * first, "[SEP]", *["b"] * second, "[SEP]"]
    boundary = tokens.index("[SEP]")
    return np.array([int(i > boundary) for i in range(len(tokens))]), 0 if follows else 1


def negatives(documents, number, place):
    """Right, and written with loops."""
    found = []
    following = " ".join(documents[number][place + 1].lower().split())
    for other in range(len(documents)):
        if other == number:
            continue
        for sentence in documents[other]:
            if " ".join(sentence.lower().split()) != following:
                found.append(sentence)
    return found


def pair_loss(vectors, weight, bias, labels):
    """Right, by the package."""
    logits = vectors @ weight.T + bias
    return next_sentence_loss(torch.tensor(logits), torch.tensor(labels)).item()


def total_loss(word_scores, word_labels, pair_scores, pair_labels):
    """Right, by the package."""
    words = masked_lm_loss(torch.tensor(word_scores), torch.tensor(word_labels))
    pairs = next_sentence_loss(torch.tensor(pair_scores), torch.tensor(pair_labels))
    return (words + pairs).item()


def test_right_answers_pass():
    assert check_framed_pair(framed_pair).passed
    assert check_negatives(negatives).passed
    assert check_pair_loss(pair_loss).passed
    assert check_total_loss(total_loss).passed


def test_the_negatives_are_those_that_the_package_draws():
    drawn = {
        pair.second
        for seed in range(300)
        for pair in draw_pairs(STORIES, 0, rng=np.random.default_rng(seed), start=0, stop=1)
        if pair.next_sentence_label == NOT_NEXT
    }
    assert drawn == set(negatives(STORIES, 0, 0))


def with_segments(change):
    return lambda first, second, follows: (change(first, second), int(not follows))


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda f, s, follows: (framed_pair(f, s, follows)[0], int(follows)), "labels are turned"),
        (lambda f, s, n: (1 - framed_pair(f, s, n)[0], int(not n)), "segments are turned"),
        (lambda f, s, n: (1 - framed_pair(f, s, n)[0], int(n)), "both turned around"),
        (with_segments(lambda f, s: np.array([0] * (f + 1) + [1] * (s + 2))), "first [SEP] belong"),
        (with_segments(lambda f, s: np.array([0] * (f + 3) + [1] * s)), "right behind"),
        (
            lambda f, s, n: (np.array([0] * (f + 1) + [1] * (s + 2)), int(n)),
            "first [SEP] belong? And",
        ),
        (with_segments(lambda f, s: np.zeros(f + s + 3, dtype=int)), "all your tokens"),
        (lambda f, s, n: (1 + framed_pair(f, s, n)[0], int(not n)), "start at 0"),
        (with_segments(lambda f, s: np.array([0] * f + [1] * s)), "it should be (8,)"),
        (lambda f, s, n: framed_pair(f, s, n)[0], "returns 1 value(s); it should return 2"),
        (lambda f, s, n: (framed_pair(f, s, n)[0], 7), "expected"),
        (lambda f, s, n: ..., "nothing yet"),
    ],
)
def test_wrong_pair(wrong, hint):
    verdict = check_framed_pair(wrong)
    assert not verdict.passed
    assert hint.casefold() in verdict.message.casefold()


def taken(own=False, same=lambda text: text.lower().split(), avoid=1):
    """List negatives with something wrong."""
    return lambda documents, number, place: [
        sentence
        for other, document in enumerate(documents)
        if own or other != number
        for sentence in document
        if same(sentence) != same(documents[number][place + avoid])
    ]


def everything(documents, number, place):
    return [sentence for document in documents for sentence in document]


def all_of_others(documents, number, place):
    return everything(documents[:number] + documents[number + 1 :], 0, 0)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (taken(own=True), "same document"),
        (all_of_others, "a false negative"),
        (everything, "all sentences there are"),
        (taken(same=lambda text: text), "letter by letter"),
        (taken(same=lambda text: text.lower()), "Spaces still count"),
        (taken(same=lambda text: text.split()), "Capitals still count"),
        (taken(avoid=0), "avoid the first sentence"),
        (lambda documents, number, place: [], "expected"),
        (lambda documents, number, place: 3, "expected"),
        (lambda documents, number, place: documents.clear() or [], "changes its input"),
        (lambda documents, number, place: None, "nothing yet"),
        (lambda documents, number: [], "stopped with TypeError"),
    ],
)
def test_wrong_negatives(wrong, hint):
    verdict = check_negatives(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def test_the_function_is_called_by_its_name():
    def my_negatives(documents, number, place):
        return ["it rains"]

    assert "my_negatives" in check_negatives(my_negatives).message


def shares(vectors, weight, bias):
    scores = vectors @ weight.T + bias
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def picked(vectors, weight, bias, labels, turn=False):
    """The share of the labeled answer of each labeled pair."""
    probs, asked = shares(vectors, weight, bias), labels != -100
    answers = 1 - labels[asked] if turn else labels[asked]
    return probs[asked][np.arange(asked.sum()), answers]


def without_zero(vectors, weight, bias, labels):
    kept = labels == 1
    losses = -np.log(shares(vectors, weight, bias)[kept, 1])
    return losses.mean() if kept.any() else np.nan


def ignored_ones_count(vectors, weight, bias, labels):
    answers = np.where(labels == -100, 0, labels)
    return -np.log(picked(vectors, weight, bias, answers)).mean()


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (without_zero, "0 is an answer"),
        (lambda v, w, b, y: -np.log(picked(v, w, b, y)).sum() / len(y), "divide by all pairs"),
        (lambda v, w, b, y: -np.log(picked(v, w, b, y)).sum(), "You add up"),
        (lambda v, w, b, y: -np.log(picked(v, w, b, y, turn=True)).mean(), "turned around"),
        (ignored_ones_count, "label -100 count"),
        (lambda v, w, b, y: pair_loss(v, w, 0 * b, y), "bias is missing"),
        (lambda v, w, b, y: picked(v, w, b, y).mean(), "minus their logarithm"),
        (lambda v, w, b, y: -pair_loss(v, w, b, y), "sign is turned"),
        (lambda v, w, b, y: pair_loss(v, w, b, y) / np.log(2), "in bits"),
        (lambda v, w, b, y: 1 + pair_loss(v, w, b, y), "expected"),
        (lambda v, w, b, y: v @ w.T + b, "it should be ()"),
        (lambda v, w, b, y: ..., "nothing yet"),
    ],
)
def test_wrong_pair_loss(wrong, hint):
    verdict = check_pair_loss(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def one_by_one(scores, labels):
    """The loss at each labeled place."""
    scores, labels = torch.tensor(scores), torch.tensor(labels)
    return torch.nn.functional.cross_entropy(scores[labels != -100], labels[labels != -100],
                                             reduction="none").numpy()  # fmt: skip


def in_one_pot(words, word_labels, pairs, pair_labels):
    return np.concatenate([one_by_one(words, word_labels), one_by_one(pairs, pair_labels)]).mean()


def without_label_zero(words, word_labels, pairs, pair_labels):
    def mean(scores, labels):
        losses = one_by_one(scores, np.where(labels == 0, -100, labels))
        return losses.mean() if len(losses) else np.nan

    return mean(words, word_labels) + mean(pairs, pair_labels)


def row_by_row(words, word_labels, pairs, pair_labels):
    rows = [one_by_one(w, y).mean() for w, y in zip(words, word_labels)]
    return np.mean(rows) + one_by_one(pairs, pair_labels).mean()


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda w, wl, p, pl: total_loss(w, wl, p, pl) / 2, "mean of the two"),
        (lambda w, wl, p, pl: one_by_one(w, wl).mean(), "pairs is missing"),
        (lambda w, wl, p, pl: one_by_one(p, pl).mean(), "words is missing"),
        (in_one_pot, "in one pot"),
        (without_label_zero, "Label 0 does not count"),
        (row_by_row, "a mean for each row"),
        (lambda w, wl, p, pl: one_by_one(w, wl).sum() + one_by_one(p, pl).sum(), "You add up over"),
        (lambda w, wl, p, pl: 2 * total_loss(w, wl, p, pl), "expected"),
        (lambda w, wl, p, pl: (1.0, 2.0), "returns 2 value(s)"),
        (lambda w, wl, p, pl: None, "nothing yet"),
    ],
)
def test_wrong_total_loss(wrong, hint):
    verdict = check_total_loss(wrong)
    assert not verdict.passed
    assert hint in verdict.message
