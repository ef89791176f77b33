"""Planted wrong answers to the exercises of Chapter 14 get the right hint."""

import math
from collections import Counter

import numpy as np
import pytest

from minibert.checks.chapter14 import (
    check_best_loss,
    check_gap_closed,
    check_never_told,
    check_posterior,
)


def posterior(before, likelihoods):
    """Right, and written with sums of Python."""
    joint = [a * b for a, b in zip(before, likelihoods, strict=True)]
    return np.array([chance / sum(joint) for chance in joint])


def best_loss(observations):
    """Right, and written sight by sight."""
    total = 0.0
    for sight in {sight for sight, _ in observations}:
        words = Counter(word for s, word in observations if s == sight)
        total -= sum(n * math.log(n / sum(words.values())) for n in words.values())
    return total / len(observations)


def gap_closed(loss, unigram, floor):
    """Right, and written from the other end."""
    return 1 - (loss - floor) / (unigram - floor)


def never_told(learned, test):
    """Right, and written with a loop."""
    found = []
    for document in test:
        if document not in [*learned, *found]:
            found.append(document)
    return found


def test_right_answers_pass():
    assert check_posterior(posterior).passed
    assert check_best_loss(best_loss).passed
    assert check_gap_closed(gap_closed).passed
    assert check_never_told(never_told).passed


def softmax(values):
    return np.exp(values) / np.exp(values).sum()


def in_place(before, likelihoods):
    before[0] = 0.0
    return posterior(before, likelihoods)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda p, x: np.array(p) * np.array(x), "Do they add up to 1"),
        (lambda p, x: np.array(x) / sum(x), "Where is the first list"),
        (lambda p, x: np.array(p), "Where is the second list"),
        (lambda p, x: (np.array(p) + np.array(x)) / (sum(p) + sum(x)), "is that a sum"),
        (lambda p, x: np.array(p) * np.array(x) / sum(x), "over all answers"),
        (lambda p, x: softmax(np.array(p) * np.array(x)), "need no exponential"),
        (lambda p, x: np.ones(len(p)) / len(p), "expected [0.3333"),
        (in_place, "changes its input"),
        (lambda p, x: 1.0, "it should be (3,)"),
        (lambda p, x: ..., "nothing yet"),
        (lambda p: p, "stopped with TypeError"),
    ],
)
def test_wrong_posterior(wrong, hint):
    verdict = check_posterior(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def mean_over_sights(observations):
    sights = {sight for sight, _ in observations}
    return np.mean([best_loss([o for o in observations if o[0] == s]) for s in sights])


def mean_over_pairs(observations):
    counts, sights = Counter(observations), Counter(s for s, _ in observations)
    return np.mean([-math.log(n / sights[s]) for (s, _), n in counts.items()])


def equal_choices(observations):
    return np.mean([math.log(len({w for t, w in observations if t == s})) for s, _ in observations])


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda seen: best_loss([(0, word) for _, word in seen]), "the unigram step"),
        (lambda seen: best_loss([(0, pair) for pair in seen]), "sight and word together"),
        (lambda seen: best_loss(seen) / math.log(2), "These are bits"),
        (lambda seen: best_loss(seen) * len(seen), "A mean is wanted"),
        (mean_over_sights, "over the different sights"),
        (mean_over_pairs, "over the different pairs"),
        (lambda seen: -best_loss(seen), "Right up to the sign"),
        (equal_choices, "deserves a larger share"),
        (lambda seen: 0.25, "expected"),
        (lambda seen: [best_loss(seen)], "returns shape (1,)"),
        (lambda seen: None, "nothing yet"),
        (lambda seen: seen[99], "stopped with IndexError"),
    ],
)
def test_wrong_best_loss(wrong, hint):
    verdict = check_best_loss(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x, u, f: (x - f) / (u - f), "the way that is left"),
        (lambda x, u, f: 1 - x / u, "Your way ends at 0"),
        (lambda x, u, f: f / x, "at the unigram loss should get 0"),
        (lambda x, u, f: 1 - (x - f) / u, "How long is the way"),
        (lambda x, u, f: u - x, "Which share of all"),
        (lambda x, u, f: 100 * gap_closed(x, u, f), "in percent"),
        (lambda x, u, f: min(gap_closed(x, u, f), 1), "let it be seen"),
        (lambda x, u, f: max(gap_closed(x, u, f), 0), "worse than the unigram guesser"),
        (lambda x, u, f: float(np.clip(gap_closed(x, u, f), 0, 1)), "Both say something"),
        (lambda x, u, f: 0.5, "gives 0.5; expected 0.75"),
        (lambda x, u, f: ..., "nothing yet"),
        (lambda x: x, "stopped with TypeError"),
    ],
)
def test_wrong_gap(wrong, hint):
    verdict = check_gap_closed(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def by_sentences(share):
    """Leave out a document by what was told of its sentences."""

    def keep(learned, test):
        told = {sentence for document in learned for sentence in document}
        return never_told([], [d for d in test if not share(s in told for s in d)])

    return keep


def forget(learned, test):
    learned.clear()
    return test


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda learned, test: [d for d in test if d in learned], "Turned around"),
        (lambda learned, test: [d for d in test if d not in learned], "stands there twice"),
        (by_sentences(any), "as soon as one of its sentences was"),
        (by_sentences(all), "Compare whole documents"),
        (lambda learned, test: sorted(set(test) - set(learned)), "Keep that of the test"),
        (lambda learned, test: never_told([], test), "What was told in the training"),
        (lambda learned, test: [], "expected 'she runs. it rains"),
        (forget, "changes its input"),
        (lambda learned, test: 3, "stopped with TypeError"),
        (lambda learned, test: ..., "my answer returns nothing yet"),
        (lambda learned, test: None, "my answer returns nothing yet"),
    ],
)
def test_wrong_never_told(wrong, hint):
    wrong.__name__ = "my answer"
    verdict = check_never_told(wrong)
    assert not verdict.passed
    assert hint in verdict.message
