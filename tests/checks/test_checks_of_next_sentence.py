"""Right answers to the exercises of Chapter 12, written in other ways, pass."""

import statistics

import numpy as np
import pytest

from bertbook.checks.next_sentence import check_better, check_negatives
from minibert.data import NOT_NEXT, draw_pairs


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


def better(first, second):
    """Right, and written with the standard library."""
    gaps = [int(a) - int(b) for a, b in zip(first, second)]
    return statistics.mean(gaps), statistics.stdev(gaps) / len(gaps) ** 0.5


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_negatives, negatives),
        (check_better, better),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


def test_the_negatives_are_those_that_the_package_draws():
    stories = check_negatives.cases[0][0]
    drawn = {
        pair.second
        for seed in range(300)
        for pair in draw_pairs(stories, 0, rng=np.random.default_rng(seed), start=0, stop=1)
        if pair.next_sentence_label == NOT_NEXT
    }
    assert drawn == set(negatives(stories, 0, 0))
