"""Guesses on sentences that were not counted, in Chapter 1."""

from collections import Counter
from itertools import pairwise

import pytest

from bertbook.corpus import hundred_sentences
from bertbook.topics.neighbors.new_sentences import _folds, check_new_guesses

SENTENCES = hundred_sentences()


def shares(counts, words, extra=0.0):
    total = sum(counts[word] + extra for word in words)
    return {word: (counts[word] + extra) / total for word in words}


def by_frequency(known, questions, words):
    counts = Counter(" ".join(known).split())
    return [shares(counts, words, extra=1) for _ in questions]


def beside(known, question, side):
    """Count what stands beside the neighbor on one side of the hole."""
    row = ["<", *question.split(), ">"]
    neighbor = row[row.index("[MASK]") + side]
    rows = [["<", *sentence.split(), ">"] for sentence in known]
    pairs = [pair[::-side] for row in rows for pair in pairwise(row)]
    return Counter(b for a, b in pairs if a == neighbor)


def by_one_side(side):
    def guesser(known, questions, words):
        return [shares(beside(known, q, side), words, extra=0.05) for q in questions]

    return guesser


def by_both_sides(known, questions, words):
    """Both neighbors, each for itself, mixed half and half."""
    left, right = (by_one_side(side)(known, questions, words) for side in (-1, 1))
    return [{w: (a[w] + b[w]) / 2 for w in words} for a, b in zip(left, right)]


def by_product(known, questions, words):
    """Right, without vectors: the product of the two sides over the frequency, well smoothed."""
    plain = by_frequency(known, questions, words)[0]
    answers = []
    for question in questions:
        found = dict.fromkeys(words, 1.0)
        for side in (-1, 1):
            counts = beside(known, question, side)
            for word in words:
                p = (counts[word] + 6 * plain[word]) / (counts.total() + 6)
                found[word] *= p / plain[word] ** 0.5
        answers.append(shares(Counter(found), words))
    return answers


def looks_it_up(known, questions, words):
    """Cheats: the sentences are all there, in the chapter."""
    answers = []
    for question in questions:
        hole = question.split().index("[MASK]")
        rows = [s.split() for s in SENTENCES]
        fits = [
            row[hole]
            for row in rows
            if " ".join([*row[:hole], "[MASK]", *row[hole + 1 :]]) == question
        ]
        answers.append(shares(Counter(fits), words, extra=0.001))
    return answers


def reads_the_other_questions(known, questions, words):
    """Cheats: each sentence is asked about once for each of its words."""
    answers = []
    for question in questions:
        hole = question.split().index("[MASK]")
        rows = [q.split() for q in questions if q != question]
        fits = [
            row[hole]
            for row in rows
            if len(row) == len(question.split())
            and sum(a != b for a, b in zip(row, question.split())) == 2
            and row[hole] != "[MASK]"
        ]
        answers.append(shares(Counter(fits), words, extra=0.001))
    return answers


def test_each_word_is_asked_for_once_and_never_counted():
    rounds = [*_folds(SENTENCES)]
    assert sum(len(questions) for _, questions, _ in rounds) == 560
    for known, questions, truths in rounds:
        filled = [q.replace("[MASK]", t) for q, t in zip(questions, truths)]
        assert not set(known) & set(filled)
        assert {*known, *filled} == {*SENTENCES}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (by_frequency, "answers different questions alike"),
        (by_one_side(1), "The word before the hole plays no part"),
        (by_one_side(-1), "The word after the hole plays no part"),
        (by_both_sides, "keep the same company"),
        (looks_it_up, "in place of known"),
        (reads_the_other_questions, "another answer when it is asked alone"),
        (lambda k, q, w: by_product(k, q, w) if q[1] else [], "alone: "),
        (lambda k, q, w: by_frequency(k, q, w)[:-1], "there are"),
        (lambda k, q, w: 3, "returns no list"),
        (lambda k, q, w: ["the"] * len(q), "a dict is asked for"),
        (lambda k, q, w: [{"the": 0.5}] * len(q), "add up to 0.500"),
        (lambda k, q, w: [{"the": 2, "a": -1}] * len(q), "not negative"),
        (lambda k, q, w: [dict.fromkeys(w, 0)] * len(q), "what if nothing was counted"),
        (lambda k, q, w: [{"the": 1}] * len(q), "no chance at all"),
        (lambda k, q, w: [{"unheard": 1}] * len(q), "which is not in words"),
        (lambda k, q, w: None, "returns nothing yet"),
    ],
)
def test_guesses_that_fall_short(answer, told):
    verdict = check_new_guesses(answer, SENTENCES)
    assert not verdict.passed
    assert told in verdict.message, verdict
    assert len(verdict.message) < 400


def test_any_guesser_that_is_good_enough_passes():
    verdict = check_new_guesses(by_product, SENTENCES)
    assert verdict.passed, verdict
