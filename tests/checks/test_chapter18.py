"""Right answers to the exercises of Chapter 18, written in other ways, pass."""

import re

import numpy as np
import pytest

from minibert.analysis.attention_maps import rank_correlation as package_rank_correlation
from minibert.checks.chapter18 import (
    check_control_task,
    check_previous_share,
    check_rank_correlation,
    check_sense_of,
)


def previous_share(probs):
    """Right, and written with a loop."""
    spent = [probs[i, i - 1] for i in range(1, len(probs))]
    return sum(spent) / len(spent)


def ranks(values):
    return [sorted(values).index(value) for value in values]


def rank_correlation(first, second):
    """Right, and by the formula for lists without equal numbers."""
    gaps = np.subtract(ranks(first), ranks(second))
    n = len(first)
    return 1 - 6 * (gaps**2).sum() / (n * (n**2 - 1))


def sense_of(vectors, senses, groups):
    """Right, and written vector by vector."""
    hits = 0
    for vector, sense, group in zip(vectors, senses, groups):
        means = {
            kind: np.mean(
                [v for v, s, g in zip(vectors, senses, groups) if s == kind and g != group], axis=0
            )
            for kind in set(senses)
        }
        nearest = min(means, key=lambda kind: np.linalg.norm(vector - means[kind]))
        hits += nearest == sense
    return hits / len(vectors)


def control_task(words, classes, order):
    """Right, and written with lists."""
    distinct = []
    for word in words:
        if word not in distinct:
            distinct.append(word)
    new = []
    for word in words:
        giver = distinct[order[distinct.index(word)]]
        new.append(classes[words.index(giver)])
    return new


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_previous_share, previous_share),
        (check_rank_correlation, rank_correlation),
        (check_sense_of, sense_of),
        (check_control_task, control_task),
        (check_control_task, lambda *given: np.array(control_task(*given))),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_rank_correlation, package_rank_correlation, "rank_correlation"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize("check", [check_control_task, check_sense_of, check_rank_correlation])
def test_an_array_in_the_wrong_place_is_explained(check):
    verdict = check(lambda *given: np.zeros(len(given[0]) + 1))
    assert not verdict.passed
