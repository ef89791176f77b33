"""Planted wrong answers to the exercises of Chapter 6 get the right hint."""

import math

import pytest

from minibert.checks.chapter06 import (
    check_first_piece,
    check_gain,
    check_longest_match,
    check_room,
)
from minibert.wordpiece import learn_merges, truncate_pair


def gain(n, a, b, total):
    return n * (-math.log(a / total) - math.log(b / total) + math.log(n / total))


def first_piece(word_counts):
    return next(learn_merges(word_counts, min_frequency=1)).piece


def longest(word, pieces):
    """Right, and written with recursion."""

    def rest(text, mark):
        if not text:
            return []
        for size in range(len(text), 0, -1):
            if mark + text[:size] in pieces:
                after = rest(text[size:], "##")
                return None if after is None else [mark + text[:size], *after]
        return None

    return " ".join(rest(word, "") or ["[UNK]"])


def room(first, second, space):
    """Right, without a loop."""
    kept = truncate_pair(range(first), range(second), space)
    return len(kept[0]), len(kept[1])


def test_right_answers_pass():
    assert check_gain(gain).passed
    assert check_first_piece(first_piece).passed
    assert check_longest_match(longest).passed
    assert check_room(room).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda n, a, b, total: n / a / b * total, "without its logarithm"),
        (lambda n, a, b, total: n / a / b, "most texts print"),
        (lambda n, a, b, total: math.log(n / a / b * total), "At how many places"),
        (lambda n, a, b, total: n * math.log(n / a / b), "Counts are no shares"),
        (lambda n, a, b, total: gain(n, a, b, total) / math.log(2), "the bit"),
        (lambda n, a, b, total: -gain(n, a, b, total), "sign is turned around"),
        (lambda n, a, b, total: -n * math.log(n / total), "cost before"),
        (lambda n, a, b, total: -n * math.log(a / total * b / total), "cost after"),
        (lambda n, a, b, total: None, "nothing yet"),
        (lambda n, a, b, total: 3.0, "expected"),
    ],
)
def test_wrong_gain(wrong, hint):
    verdict = check_gain(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def first_by(score, weighted=True):
    def first(word_counts):
        pieces, pairs = {}, {}
        for word, count in word_counts.items():
            count = count if weighted else 1
            spelled = [word[0]] + ["##" + letter for letter in word[1:]]
            for i, piece in enumerate(spelled):
                pieces[piece] = pieces.get(piece, 0) + count
                if i:
                    pair = (spelled[i - 1], piece)
                    pairs[pair] = pairs.get(pair, 0) + count
        total = sum(pieces.values())
        best = max(
            sorted(pairs), key=lambda p: round(score(pairs[p], *map(pieces.get, p), total), 9)
        )
        return best[0] + best[1][2:]

    return first


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (first_by(lambda n, a, b, total: n), "most often"),
        (first_by(lambda n, a, b, total: n / a / b), "glue what is rare"),
        (first_by(gain, weighted=False), "every word once"),
        (first_by(lambda *counts: -gain(*counts)), "smallest gain"),
        (lambda counts: first_piece(counts).replace("##", ""), "keep their ##"),
        (lambda counts: "cat", "expected"),
        (lambda counts: counts["dog"], "stopped with KeyError"),
        (lambda counts: ..., "nothing yet"),
    ],
)
def test_wrong_first_piece(wrong, hint):
    verdict = check_first_piece(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def test_a_piece_with_two_marks():
    def unglued(counts):
        merge = next(learn_merges(counts, min_frequency=1))
        return merge.left + merge.right

    assert "Two ## stand" in check_first_piece(unglued).message


def cut(word, pieces, order=1, mark="##", after_gap="all"):
    found, start = [], 0
    while start < len(word):
        ends = list(range(start + 1, len(word) + 1))[::-order]
        for end in ends:
            piece = (mark if start else "") + word[start:end]
            if piece in pieces:
                found.append(piece)
                start = end
                break
        else:
            if after_gap == "all":
                return "[UNK]"
            found.append("[UNK]")
            if after_gap == "stop":
                break
            start += 1
    return " ".join(found)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda word, pieces: cut(word, pieces, order=-1), "shortest piece"),
        (lambda word, pieces: cut(word, pieces, mark=""), "begin with"),
        (lambda word, pieces: cut(word, pieces, after_gap="stop"), "before the gap"),
        (lambda word, pieces: cut(word, pieces, after_gap="step"), "for each letter"),
        (lambda word, pieces: word if word in pieces else "[UNK]", "whole words only"),
        (lambda word, pieces: pieces.sort() or longest(word, pieces), "changes its input"),
        (lambda word, pieces: longest(word, pieces).split(), "shape"),
    ],
)
def test_wrong_match(wrong, hint):
    assert cut("unaffable", ["un", "##aff", "##able"]) == "un ##aff ##able"
    verdict = check_longest_match(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def room_with_half_rounded_up(first, second, space):
    if first + second <= space:
        return first, second
    short = min(first, second, -(-space // 2))
    return (space - short, short) if first > second else (short, space - short)


def room_with_ties_turned(first, second, space):
    kept = room(second, first, space)
    return kept[1], kept[0]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda a, b, space: (min(a, space), max(min(b, space - a), 0)), "cut the second"),
        (lambda a, b, space: (max(min(a, space - b), 0), min(b, space)), "cut the first"),
        (lambda a, b, space: (min(a, space // 2), min(b, (space + 1) // 2)), "half of the room"),
        (lambda a, b, space: (a, b), "Nothing is cut"),
        (room_with_half_rounded_up, "the longer one keeps one piece more"),
        (room_with_ties_turned, "the first counts as the shorter"),
        (lambda a, b, space: a, "2"),
    ],
)
def test_wrong_room(wrong, hint):
    verdict = check_room(wrong)
    assert not verdict.passed
    assert hint in verdict.message
