"""Right answers to the exercises of Chapter 1, written in other ways, pass."""

import itertools
import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from minibert.checks.chapter01 import (
    check_backward_counts,
    check_continue,
    check_cosines,
    check_neighbor_averages,
)


def norm(vectors):
    return np.linalg.norm(vectors, axis=1)


def cosines(vectors):
    units = vectors / norm(vectors)[:, None]
    return units @ units.T


def cosines_differently(vectors):
    """Right, pair by pair, as a list."""
    return [[float(a @ b / (a @ a * (b @ b)) ** 0.5) for b in vectors] for a in vectors]


def backward(sentences, start=("[SOS]",), end=("[EOS]",)):
    counts = defaultdict(Counter)
    for sentence in sentences:
        row = [*start, *sentence.split(), *end]
        for i in range(1, len(row)):
            counts[row[i]][row[i - 1]] += 1
    return counts


def backward_differently(sentences):
    """Right, with plain dictionaries, from the right."""
    counts = {}
    for sentence in sentences:
        word = "[EOS]"
        for before in [*reversed(sentence.split()), "[SOS]"]:
            counts.setdefault(word, {}).setdefault(before, 0)
            counts[word][before] += 1
            word = before
    return counts


def continued(counts, prompt, limit):
    row = list(prompt)
    while len(row) < limit:
        options = counts[row[-1] if row else "[SOS]"]
        best = sorted(options, key=options.get)[-1]
        if best == "[EOS]":
            return row
        row.append(best)
    return row


def continued_differently(counts, prompt, limit):
    """Right, by calling itself."""
    word = max(counts.get(["[SOS]", *prompt][-1]).items(), key=lambda item: item[1])[0]
    if word == "[EOS]" or len(prompt) == limit:
        return prompt
    return continued_differently(counts, [*prompt, word], limit)


def never_stops(counts, prompt, limit):
    row = ["[SOS]", *prompt]
    while row[-1] != "[EOS]":
        row.append(max(counts[row[-1]], key=counts[row[-1]].get))
    return row[1:-1]


def passes_the_end(counts, prompt, limit):
    row = ["[SOS]", *prompt]
    while len(row) <= limit:
        row.append(max(counts[row[-1]], key=counts[row[-1]].get))
    return row[1:]


def learns(counts, prompt, limit):
    row = continued(counts, prompt, limit)
    for word, after in itertools.pairwise(row):
        counts[word][after] += 1
    return row


def grows(counts, prompt, limit):
    counts["new"] = {"word": 1}
    return continued(counts, prompt, limit)


def changes_the_prompt(counts, prompt, limit):
    prompt[:] = continued(counts, prompt, limit)
    return prompt


def averages(vectors):
    """Right, word by word."""
    words = range(len(vectors))
    return np.array([np.delete(vectors, i, axis=0).mean(axis=0) for i in words])


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_cosines, cosines),
        (check_backward_counts, backward),
        (check_backward_counts, backward_differently),
        (check_continue, continued),
        (check_continue, continued_differently),
        (check_neighbor_averages, lambda v: (v.sum(0) - v) / (len(v) - 1)),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_cosines, cosines_differently, "a loop"),
        (check_neighbor_averages, averages, "a loop"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (never_stops, "never stops"),
        (passes_the_end, "what follows [EOS]"),
        (learns, "changes its input"),
        (grows, "changes its input"),
        (changes_the_prompt, "changes its input"),
        (lambda c, p, n: c["no such word"], "KeyError: 'no such word'. It looks up a name"),
    ],
)
def test_loops_that_go_wrong_otherwise(wrong, hint):
    verdict = check_continue(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def test_a_table_of_counts_may_hold_zeros():
    def counted(sentences):
        return {word: options | {"unseen": 0} for word, options in backward(sentences).items()}

    assert check_backward_counts(counted).passed
