"""Right answers to the exercises of Chapter 21, written in other ways, pass."""

import re
from itertools import combinations

import numpy as np
import pytest
from kinds_of_answers import forbidden_ways, right_answers

from bertbook.analysis.probes import cosine_gap
from bertbook.checks.vectors_know import (
    check_centered_gap,
    check_code_length,
    check_control_task,
)


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


def centered_gap(vectors, labels):
    """Right, and pair by pair."""
    rows = [row - np.mean(vectors, axis=0) for row in vectors]
    found = {True: [], False: []}
    for i, j in combinations(range(len(rows)), 2):
        cosine = rows[i] @ rows[j] / np.sqrt((rows[i] @ rows[i]) * (rows[j] @ rows[j]))
        found[bool(labels[i] == labels[j])].append(cosine)
    return sum(found[True]) / len(found[True]) - sum(found[False]) / len(found[False])


def code_length(vectors, labels, ends, classes, fit):
    """Right, and label by label."""
    bits = [np.log2(classes)] * ends[0]
    for number, end in enumerate(ends[1:]):
        start = ends[number]
        chances = fit(vectors[:start], labels[:start])(vectors[start:end])
        bits += [-np.log(row[label]) / np.log(2) for row, label in zip(chances, labels[start:end])]
    return sum(bits)


test_right_answers_pass_however_they_are_written = right_answers(
    (check_control_task, control_task),
    (check_control_task, lambda *given: np.array(control_task(*given))),
    (check_centered_gap, centered_gap),
    (check_code_length, code_length),
)


test_a_right_answer_by_a_forbidden_way_is_noticed = forbidden_ways(
    (
        check_centered_gap,
        lambda vectors, labels: cosine_gap(vectors - vectors.mean(axis=0), labels.tolist()),
        "cosine_gap",
    ),
)


@pytest.mark.parametrize("check", [check_control_task, check_code_length])
def test_an_array_in_the_wrong_place_is_explained(check):
    verdict = check(lambda *given: np.zeros(len(given[0]) + 1))
    assert not verdict.passed


def test_words_in_an_array_are_shown_as_words():
    verdict = check_control_task(lambda *given: np.roll(control_task(*given), 1))
    assert re.search(r"gives '\w+' at \[\d\]; expected '\w+'", verdict.message), verdict


def test_the_gap_of_the_chapter_is_the_package_s_after_the_mean_is_gone():
    for vectors, labels in check_centered_gap.cases:
        wanted = cosine_gap(vectors - vectors.mean(axis=0), labels.tolist())
        assert centered_gap(vectors, labels) == pytest.approx(wanted)
