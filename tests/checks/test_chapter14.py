"""Right answers to the exercises of Chapter 14, written in other ways, pass."""

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


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_posterior, posterior),
        (check_posterior, lambda *given: list(posterior(*given))),
        (check_best_loss, best_loss),
        (check_gap_closed, gap_closed),
        (check_never_told, never_told),
        (check_never_told, lambda *given: tuple(never_told(*given))),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict
