"""Right answers to the exercises of Chapter 6, written in other ways, pass."""

import math
import re

import pytest

from bertbook.checks.word_pieces import (
    check_fewest_pieces,
    check_gain,
    check_longest_match,
    check_merge,
    check_room,
)
from minibert.wordpiece import merge_gain, truncate_pair


def gain(n, a, b, total):
    return n * (-math.log(a / total) - math.log(b / total) + math.log(n / total))


def merged(word, pair):
    """Right, and written with indices."""
    done, i = [], 0
    while i < len(word):
        both = tuple(word[i : i + 2]) == pair
        done.append(word[i] + word[i + 1].removeprefix("##") if both else word[i])
        i += 1 + both
    return done


def by_tables(spelled, counts):
    """Right, with lists in place of counters."""
    places = [(a, b, n) for word, n in zip(spelled, counts) for a, b in zip(word, word[1:])]
    pieces = [(piece, n) for word, n in zip(spelled, counts) for piece in word]

    def gain(pair):
        n = sum(m for a, b, m in places if (a, b) == pair)
        left, right = (sum(m for p, m in pieces if p == one) for one in pair)
        return round(merge_gain(n, left, right, sum(m for _, m in pieces)), 9)

    pair = max(sorted({(a, b) for a, b, _ in places}), key=gain)
    return [merged(word, pair) for word in spelled]


def fewest(word, pieces):
    """Right, with recursion from the front."""

    def rest(start):
        mark = "##" if start else ""
        ends = [e for e in range(start + 1, len(word) + 1) if mark + word[start:e] in pieces]
        return 0 if start == len(word) else min([1 + rest(e) for e in ends], default=99)

    return rest(0) if rest(0) < 99 else 0


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

    return rest(word, "") or ["[UNK]"]


def room(first, second, space):
    """Right, without a loop."""
    kept = truncate_pair(range(first), range(second), space)
    return len(kept[0]), len(kept[1])


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_gain, gain),
        (check_longest_match, longest),
        (check_merge, by_tables),
        (check_fewest_pieces, fewest),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_room, room, "truncate_pair"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_gain, lambda n, a, b, total: gain(n, a, b, total)
         + n * math.log(total / (total - n)),
         "You divide by the pieces that are left"),
        (check_gain, lambda n, a, b, total: gain(n, a, b, total) / math.log(10), "the base 10"),
        (check_room, lambda a, b, room: one_by_one(a, b, room), "as BERT's own program does"),
        (check_longest_match, lambda word, pieces: " ".join(longest(word, pieces)), "one string"),
    ],
)  # fmt: skip
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message


def one_by_one(first, second, room):
    while first + second > room:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    return first, second
