"""Planted wrong answers to the exercises of Chapter 1 get the right hint."""

import itertools
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


def forward(sentences):
    counts = defaultdict(Counter)
    for sentence in sentences:
        row = ["[SOS]", *sentence.split(), "[EOS]"]
        for word, after in itertools.pairwise(row):
            counts[word][after] += 1
    return counts


def filed_under_pairs(sentences):
    return Counter((w, b) for w, options in backward(sentences).items() for b in options.elements())


def one_row(sentences):
    """Forgets that a sentence ends before the next begins."""
    return backward([" [EOS] [SOS] ".join(sentences)])


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


def keeps_the_end(counts, prompt, limit):
    row = continued(counts, prompt, limit)
    return row if len(row) == limit else [*row, "[EOS]"]


def first_counted(counts, prompt, limit):
    firsts = {word: dict.fromkeys([next(iter(options))], 1) for word, options in counts.items()}
    return continued(firsts, prompt, limit)


def rarest(counts, prompt, limit):
    turned = {w: {n: -c for n, c in o.items()} for w, o in counts.items()}
    return continued(turned, prompt, limit)


def changes_the_prompt(counts, prompt, limit):
    prompt[:] = continued(counts, prompt, limit)
    return prompt


def averages(vectors):
    """Right, word by word."""
    words = range(len(vectors))
    return np.array([np.delete(vectors, i, axis=0).mean(axis=0) for i in words])


def test_right_answers_pass():
    for right in (cosines, cosines_differently):
        assert check_cosines(right).passed
    for right in (backward, backward_differently):
        assert check_backward_counts(right).passed
    for right in (continued, continued_differently):
        assert check_continue(right).passed
    assert check_neighbor_averages(averages).passed
    assert check_neighbor_averages(lambda v: (v.sum(0) - v) / (len(v) - 1)).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda v: v @ v.T, "sums of products"),
        (lambda v: v @ v.T / norm(v)[:, None], "one length only"),
        (lambda v: v @ v.T / norm(v), "one length only"),
        (lambda v: v @ v.T / np.add.outer(norm(v), norm(v)), "sum of the two lengths"),
        (lambda v: v @ v.T / np.outer(norm(v) ** 2, norm(v) ** 2), "square root"),
        (lambda v: v @ v.T / np.outer(np.abs(v).sum(1), np.abs(v).sum(1)), "their squares"),
        (lambda v: np.arccos(np.clip(cosines(v), -1, 1)), "angle"),
        (lambda v: np.rad2deg(np.arccos(np.clip(cosines(v), -1, 1))), "angle"),
        (lambda v: cosines(v - v.mean(1, keepdims=True)), "correlation"),
        (lambda v: None, "nothing yet"),
        (lambda v: cosines(v)[0], "shape"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_wrong_cosines(wrong, hint):
    verdict = check_cosines(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (forward, "what follows"),
        (lambda s: backward(s, (), ()), "no [SOS] and [EOS]"),
        (lambda s: backward(s, start=()), "Where is it?"),
        (lambda s: backward(s, end=()), "Where is [EOS]?"),
        (lambda s: backward([" ".join(s)], (), ()), "joined"),
        (lambda s: backward([" ".join(s)]), "joined"),
        (one_row, "crosses"),
        (lambda s: {w: dict.fromkeys(o, 1) for w, o in backward(s).items()}, "occurs twice"),
        (filed_under_pairs, "under pairs"),
        (lambda s: {}, "expected"),
        (lambda s: ..., "nothing yet"),
    ],
)
def test_wrong_backward_counts(wrong, hint):
    verdict = check_backward_counts(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (never_stops, "never stops"),
        (passes_the_end, "what follows [EOS]"),
        (learns, "changes the counts"),
        (grows, "changes the counts"),
        (changes_the_prompt, "changes its input"),
        (lambda c, p, n: continued(c, [], n), "go on from its last word"),
        (lambda c, p, n: continued(c, p, n)[len(p) :], "whole row"),
        (lambda c, p, n: ["[SOS]", *continued(c, p, n)], "[SOS] is a mark"),
        (keeps_the_end, "[EOS] is a mark"),
        (lambda c, p, n: ["[SOS]", *keeps_the_end(c, p, n)], "are marks"),
        (rarest, "rarest"),
        (first_counted, "counted first"),
        (lambda c, p, n: continued(c, p, n + len(p)), "prompt included"),
        (lambda c, p, n: " ".join(continued(c, p, n)), "list of words"),
        (lambda c, p, n: p, "expected"),
        (lambda c, p, n: c["no such word"], "KeyError"),
        (lambda c, p, n: p / n, "TypeError"),
        (lambda c, p, n: None, "nothing yet"),
    ],
)
def test_wrong_continue(wrong, hint):
    verdict = check_continue(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda v: np.tile(v.mean(0), (len(v), 1)), "leave the word itself out"),
        (lambda v: v.sum(0) - v, "how many they are"),
        (lambda v: (v.sum(0) - v) / len(v), "One fewer"),
        (lambda v: averages(v.T).T, "first axis"),
        (lambda v: v.copy(), "static"),
        (lambda v: v.mean(0), "shape"),
        (lambda v: None, "nothing yet"),
    ],
)
def test_wrong_neighbor_averages(wrong, hint):
    verdict = check_neighbor_averages(wrong)
    assert not verdict.passed
    assert hint in verdict.message
