"""Planted wrong answers to the exercises of Chapter 17 get the right hint."""

import math

import pytest
import torch

from minibert.answering import sliding_windows
from minibert.checks.chapter17 import (
    check_answer_f1,
    check_best_span,
    check_number_of_windows,
    check_piece_labels,
)
from minibert.finetuning import best_spans
from minibert.metrics import normalize_answer
from minibert.tagging import tag_pieces
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

LETTERS = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "##a"])


def labels_by_the_package(counts, labels):
    return tag_pieces(LETTERS, ["a" * n or "\u200b" for n in counts], labels).labels


def span_by_the_package(starts, ends, inside, longest):
    rows = torch.tensor(starts), torch.tensor(ends), torch.tensor(inside)
    found = best_spans(*rows, max_answer_length=longest)
    return found.start.item(), found.end.item()


def words(text):
    return normalize_answer(text).split()


def f1(told, true, clean=words, kind=list, none=1.0):
    told, true = clean(told), clean(true)
    shared = [w for w in told if w in true] if kind is set else []
    if kind is list:
        rest = list(true)
        for word in told:
            if word in rest:
                rest.remove(word)
                shared.append(word)
    else:
        told, true, shared = set(told), set(true), set(shared)
    if not told and not true:
        return none
    return 2 * len(shared) / (len(told) + len(true))


def windows_by_the_package(pieces, room, stride):
    text = " ".join("a" * pieces)
    return len(sliding_windows(LETTERS, "a", text, max_length=room + 4, stride=stride))


def test_right_answers_pass():
    assert check_piece_labels(labels_by_the_package).passed
    assert check_best_span(span_by_the_package).passed
    assert check_answer_f1(f1).passed
    assert check_number_of_windows(windows_by_the_package).passed


def label_pieces(of_word, special=-100):
    def label(counts, labels):
        inside = [of_word(place, n, x) for n, x in zip(counts, labels) for place in range(n)]
        return [special, *inside, special]

    return label


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (label_pieces(lambda place, n, x: x), "counts four times"),
        (label_pieces(lambda place, n, x: x if place == n - 1 else -100), "The last piece has"),
        (label_pieces(lambda place, n, x: 0 if place else x), "other pieces of a word have 0"),
        (label_pieces(lambda place, n, x: 0 if place else x, 0), "0 is a label, too"),
        (label_pieces(lambda place, n, x: -100 if place else x, 0), "[CLS] and [SEP] have 0"),
        (lambda counts, labels: [-100] * (sum(counts) + 2), "expected"),
        (lambda counts, labels: labels_by_the_package(counts, labels)[1:-1], "returns shape (4,)"),
        (lambda counts, labels: ..., "nothing yet"),
        (lambda counts, labels: labels["B-PER"], "stopped with TypeError"),
    ],
)
def test_wrong_labels(wrong, hint):
    verdict = check_piece_labels(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def test_a_word_without_pieces():
    def label(counts, labels):
        row = [-100]
        for n, x in zip(counts, labels):
            row += [x] + [-100] * (n - 1)
        return [*row, -100]

    assert "returns shape (6,)" in check_piece_labels(label).message


def span(legal):
    def search(starts, ends, inside, longest):
        pairs = [(i, j) for i in range(len(starts)) for j in range(len(ends))]
        pairs = [p for p in pairs if legal(*p, inside, longest)]
        return max(pairs, key=lambda p: starts[p[0]] + ends[p[1]])

    return search


def within(i, j, inside):
    return all(inside[k] for k in range(min(i, j), max(i, j) + 1))


def greedy(starts, ends, inside, longest):
    first = max((n for n in range(len(starts)) if inside[n]), key=lambda n: starts[n])
    lasts = [n for n in range(first, first + longest) if n < len(ends) and inside[n]]
    return first, max(lasts, key=lambda n: ends[n])


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda s, e, inside, n: (s.index(max(s)), e.index(max(e))), "each by itself"),
        (span(lambda i, j, inside, n: within(i, j, inside) and j - i < n), "before its start"),
        (span(lambda i, j, inside, n: 0 <= j - i < n), "lie in the question"),
        (span(lambda i, j, inside, n: within(i, j, inside) and i <= j), "too long"),
        (span(lambda i, j, inside, n: within(i, j, inside) and 0 <= j - i <= n), "too many"),
        (span(lambda i, j, inside, n: within(i, j, inside) and 0 <= j - i < n - 1), "too few"),
        (greedy, "best start first"),
        (lambda s, e, inside, n: (1, 1), "expected"),
        (lambda s, e, inside, n: 3, "returns 1 value(s)"),
        (lambda s, e, inside, n: None, "nothing yet"),
    ],
)
def test_wrong_spans(wrong, hint):
    verdict = check_best_span(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def share(part, whole):
    part, whole = words(part), words(whole)
    if not part or not whole:
        return float(part == whole)
    return sum(min(part.count(w), whole.count(w)) for w in {*part}) / len(part)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda told, true: float(words(told) == words(true)), "all or nothing"),
        (lambda told, true: f1(told, true, kind=set), "shared twice"),
        (lambda told, true: f1(told, true, clean=str.split), "Normalize both"),
        (lambda told, true: f1(told, true, none=0.0), "They agree"),
        (lambda told, true: share(told, true), "That is the precision"),
        (lambda told, true: share(true, told), "That is the recall"),
        (lambda told, true: (share(told, true) + share(true, told)) / 2, "harmonic mean"),
        (lambda told, true: f1(told, true) / 2, "half of it"),
        (lambda told, true: 0.5, "expected"),
        (lambda told, true: len(words(told)) / len(words(true)), "stopped with ZeroDivisionError"),
    ],
)
def test_wrong_f1(wrong, hint):
    verdict = check_answer_f1(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda n, room, stride: -(-n // room), "side by side"),
        (lambda n, room, stride: 1 - -max(0, n - room) // stride, "what neighbors share"),
        (lambda n, room, stride: 1 + max(0, n - room) // (room - stride), "Round up"),
        (lambda n, room, stride: -(-n // (room - stride)), "the first one more"),
        (lambda n, room, stride: windows_by_the_package(n, room, stride) - 1, "Where is the first"),
        (lambda n, room, stride: 1 + math.ceil((n - room) / (room - stride)), "not fewer"),
        (lambda n, room, stride: 2 + max(0, n - room) // (room - stride), "One too many"),
        (lambda n, room, stride: 2, "expected"),
        (lambda n, room, stride: n / 0, "stopped with ZeroDivisionError"),
    ],
)
def test_wrong_number_of_windows(wrong, hint):
    verdict = check_number_of_windows(wrong)
    assert not verdict.passed
    assert hint in verdict.message
