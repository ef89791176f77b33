"""Right answers to the exercises of Chapter 14, written in other ways, pass."""

import math
from collections import Counter

import numpy as np
import torch
from kinds_of_answers import right_answers

from bertbook.checks.small_world import (
    check_best_loss,
    check_never_told,
    check_posterior,
    check_posteriors,
)


def posterior(before, likelihoods):
    """Right, and written with sums of Python."""
    joint = [a * b for a, b in zip(before, likelihoods, strict=True)]
    return np.array([chance / sum(joint) for chance in joint])


def posteriors(probability, fits):
    """Right, and written with the derivative of the logarithm."""
    fits = fits.clone().requires_grad_()
    probability(fits).log().backward()
    return fits.detach() * fits.grad


def posteriors_one_by_one(probability, fits):
    """Right, and written as the share that each word has of a place."""
    rows = torch.zeros_like(fits)
    for place in range(len(fits)):
        for word in range(fits.shape[1]):
            alone = fits.clone()
            alone[place] = 0
            alone[place, word] = fits[place, word]
            rows[place, word] = probability(alone)
    return rows / rows.sum(dim=1, keepdim=True)


def best_loss(observations):
    """Right, and written sight by sight."""
    total = 0.0
    for sight in {sight for sight, _ in observations}:
        words = Counter(word for s, word in observations if s == sight)
        total -= sum(n * math.log(n / sum(words.values())) for n in words.values())
    return total / len(observations)


def never_told(learned, test):
    """Right, and written with a loop."""
    found = []
    for document in test:
        if document not in [*learned, *found]:
            found.append(document)
    return found


test_right_answers_pass_however_they_are_written = right_answers(
    (check_posterior, posterior),
    (check_posterior, lambda *given: list(posterior(*given))),
    (check_posterior, lambda *given: tuple(posterior(*given))),
    (check_posteriors, posteriors),
    (check_posteriors, posteriors_one_by_one),
    (check_posteriors, lambda *given: posteriors(*given).tolist()),
    (check_best_loss, best_loss),
    (check_never_told, never_told),
    (check_never_told, lambda *given: tuple(never_told(*given))),
)


def test_numbers_where_documents_are_wanted_stop_no_checker():
    verdict = check_never_told(lambda learned, test: [number for number, _ in enumerate(test)])
    assert not verdict.passed
    assert "expected" in verdict.message


def test_a_gradient_that_is_left_in_the_table_is_told():
    """A second call would add to it."""

    def backward(probability, fits):
        seen = probability(fits.requires_grad_())
        seen.backward()
        return (fits * fits.grad / seen).detach()

    assert "changes its input" in check_posteriors(backward).message
