"""Right answers to the exercises of Chapter 6, written in other ways, pass."""

import math
from functools import cache

import numpy as np
import pytest

from bertbook.checks.cuts import check_fewest_pieces, check_longest_match
from bertbook.checks.word_pieces import check_gain, check_merge
from minibert.wordpiece import merge_gain


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


def by_tables(spelled, counts, total=None, digits=9):
    """Right, with lists in place of counters; or with another number of pieces."""
    places = [(a, b, n) for word, n in zip(spelled, counts) for a, b in zip(word, word[1:])]
    pieces = [(piece, n) for word, n in zip(spelled, counts) for piece in word]

    def gain(pair):
        n = sum(m for a, b, m in places if (a, b) == pair)
        left, right = (sum(m for p, m in pieces if p == one) for one in pair)
        return round(float(merge_gain(n, left, right, total or sum(m for _, m in pieces))), digits)

    pair = max(sorted({(a, b) for a, b, _ in places}), key=gain)
    return [merged(word, pair) for word in spelled]


def fewest(word, pieces):
    """Right, with recursion from the front, and no rest is counted twice."""

    @cache
    def rest(start):
        mark = "##" if start else ""
        ends = [e for e in range(start + 1, len(word) + 1) if mark + word[start:e] in pieces]
        return 0 if start == len(word) else min([1 + rest(e) for e in ends], default=99)

    return rest(0) if rest(0) < 99 else 0


def longest(word, pieces, least=1):
    """Right, and written with recursion; or with a range that stops too early."""

    def rest(text, mark):
        if not text:
            return []
        for size in range(len(text), least - 1, -1):
            if mark + text[:size] in pieces:
                after = rest(text[size:], "##")
                return None if after is None else [mark + text[:size], *after]
        return None

    return rest(word, "") or ["[UNK]"]


def as_few_as_possible(word, pieces):
    """Cut from the front, and try the whole rest for each first piece."""

    @cache
    def rest(start):
        mark = "##" if start else ""
        ends = [e for e in range(start + 1, len(word) + 1) if mark + word[start:e] in pieces]
        cuts = [[mark + word[start:e], *rest(e)] for e in ends if rest(e) is not None]
        return min(cuts, key=len, default=None) if start < len(word) else []

    return rest(0) or ["[UNK]"]


def from_the_end(word, pieces):
    """Count the longest pieces, from the end."""
    count, end = 0, len(word)
    while end:
        starts = [i for i in range(end) if ("##" if i else "") + word[i:end] in pieces]
        if not starts:
            return 0
        count, end = count + 1, starts[0]
    return count


def from_the_front(word, pieces):
    cut = longest(word, pieces)
    return 0 if cut == ["[UNK]"] else len(cut)


def greedy_twice(word, pieces):
    counts = [from_the_front(word, pieces), from_the_end(word, pieces)]
    return min(filter(None, counts), default=0)


def once_a_word(spelled, counts):
    """Count pieces and pairs once in each word."""
    pieces = [(piece, n) for word, n in zip(spelled, counts) for piece in {*word}]
    pairs = [(pair, n) for word, n in zip(spelled, counts) for pair in {*zip(word, word[1:])}]

    def gain(pair):
        n = sum(m for other, m in pairs if other == pair)
        left, right = (sum(m for p, m in pieces if p == one) for one in pair)
        return round(float(merge_gain(n, left, right, sum(m for _, m in pieces))), 9)

    pair = max(sorted({pair for pair, _ in pairs}), key=gain)
    return [merged(word, pair) for word in spelled]


def by_new_piece(spelled, counts):
    """Decide a tie by the new piece."""
    best = by_tables(spelled, counts)
    for word, other in zip(spelled, best):
        if word != other == ["az"]:
            return [["a", "##z"], ["abc"]]
    return best


def instead_of_unknown(make):
    """Give something else for a word that cannot be cut."""

    def cut(word, pieces):
        found = longest(word, pieces)
        return make(word, pieces) if found == ["[UNK]"] else found

    return cut


def gap_marked(word, pieces):
    found = [longest(word[:n], pieces) for n in range(len(word), 0, -1)]
    begun = next((cut for cut in found if cut != ["[UNK]"]), [])
    return [*begun, "##[UNK]" if begun else "[UNK]"]


def all_inside(word, pieces):
    found = [piece for piece in pieces if piece.removeprefix("##") in word]
    return sorted(found, key=len, reverse=True) or ["[UNK]"]


def one_cut(word, pieces):
    cuts = [n for n in range(1, len(word)) if word[:n] in pieces and "##" + word[n:] in pieces]
    return 1 if word in pieces else 2 if cuts else 0


def without_marks(word, pieces):
    bare = {piece.removeprefix("##") for piece in pieces}
    return fewest(word, bare | {"##" + piece for piece in bare})


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_gain, gain),
        (check_longest_match, longest),
        (check_merge, by_tables),
        (check_fewest_pieces, fewest),
        (check_gain, lambda *case: np.float32(gain(*case))),
        (check_longest_match, lambda word, pieces: iter(longest(word, pieces))),
        (check_merge, lambda *case: map(tuple, by_tables(*case))),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_gain, lambda n, a, b, total: gain(n, a, b, total)
         + n * math.log(total / (total - n)),
         "The gain holds all counts still."),
        (check_gain, lambda n, a, b, total: gain(n, a, b, total) / math.log(10), "Which logarithm"),
        (check_longest_match, lambda word, pieces: " ".join(longest(word, pieces)), "one string"),
        (check_gain, lambda n, a, b, total: gain(n, a, b, total) / total, "At how many"),
        (check_gain, lambda n, a, b, total: n * math.log(n * total / a * b), "Put brackets"),
        (check_merge, lambda s, c: by_tables(s, c, len({p for w in s for p in w})), "counted"),
        (check_merge, lambda s, c: by_tables(s, c, sum(c)), "How many pieces are there,"),
        (check_merge, lambda s, c: by_tables(s, c, sum(map(len, s))), "How many pieces are"),
        (check_gain, lambda n, a, b, total: max(0, gain(n, a, b, total)), "may be negative"),
        (check_gain, lambda n, a, b, total: n * (math.log(a / total) * math.log(b / total)
         - math.log(n / total)), "Surprises add."),
        (check_merge, once_a_word, "In “banana” the"),
        (check_merge, by_new_piece, "Compare left pieces first"),
        (check_longest_match, all_inside, "all known pieces that occur"),
        (check_longest_match, instead_of_unknown(lambda word, _: [word]), "What stands for an"),
        (check_longest_match, instead_of_unknown(gap_marked), "One gap makes the"),
        (check_fewest_pieces, one_cut, "You try one cut"),
        (check_fewest_pieces, without_marks, "Only at its beginning"),
        (check_fewest_pieces, lambda word, pieces: as_few_as_possible(word, pieces)
         if fewest(word, pieces) else [], "Return their number"),
        (check_fewest_pieces, lambda word, pieces: sum(
            piece.removeprefix("##") in word for piece in pieces), "Which of them make it"),
        (check_merge, lambda s, c: by_tables(s, c, digits=17), "Equal gains may differ far"),
        (check_longest_match, as_few_as_possible, "as few pieces as possible"),
        (check_longest_match, lambda word, pieces: longest(word, pieces, least=2), "Does your"),
        (check_longest_match, lambda word, pieces: sorted(longest(word, pieces)), "Keep the word"),
        (check_fewest_pieces, from_the_front, "A shorter piece may do better than"),
        (check_fewest_pieces, from_the_end, "A shorter piece may do better than"),
        (check_fewest_pieces, greedy_twice, "Both ways are greedy"),
    ],
)  # fmt: skip
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message
