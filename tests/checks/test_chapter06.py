"""Right answers to the exercises of Chapter 6, written in other ways, pass."""

import math
import re

import pytest

from minibert.checks.chapter06 import check_first_piece, check_gain, check_longest_match, check_room
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


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_gain, gain),
        (check_longest_match, longest),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_first_piece, first_piece, "learn_merges"),
        (check_room, room, "truncate_pair"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
