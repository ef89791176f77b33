"""Checkers of Chapter 6: gain, the first merge, longest match, room for a pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from minibert.wordpiece import merge_gain, spell

from .verdict import Mistake, Verdict, check


def check_gain(function: Callable) -> Verdict:
    """Check the gain of gluing a pair of pieces.

    Parameters
    ----------
    function : callable
        Takes the count of the pair, of its left and of its right piece, and of all pieces.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 6.
    """
    mistakes = [
        Mistake(lambda n, a, b, total: n * total / (a * b), "That is the ratio, without its "
                "logarithm. What is saved at one place is a difference of surprises."),
        Mistake(lambda n, a, b, total: n / (a * b), "That is the ratio most texts print. It "
                "lacks the size of the corpus, the logarithm, and the number of places."),
        Mistake(lambda n, a, b, total: math.log(n * total / (a * b)), "That is what one place "
                "saves. At how many places does the pair stand?"),
        Mistake(lambda n, a, b, total: n * math.log(n / (a * b)), "Counts are no shares yet. By "
                "what must each count be divided?"),
        Mistake(lambda n, a, b, total: n * math.log2(n * total / (a * b)), "Your unit is the bit. "
                "Which logarithm gives nats?"),
        Mistake(lambda n, a, b, total: -n * math.log(n * total / (a * b)), "The sign is turned "
                "around: saving is before minus after."),
        Mistake(lambda n, a, b, total: n * math.log(total / n), "That is what the new piece "
                "costs after. What did its two parts cost before?"),
        Mistake(lambda n, a, b, total: n * math.log(total * total / (a * b)), "That is what the "
                "two parts cost before. What does the new piece cost after?"),
    ]  # fmt: skip
    cases = [(7, 7, 7, 26), (5, 5, 7, 26), (1, 1, 1, 26), (3, 40, 12, 100), (2, 30, 20, 100)]
    return check(function, right=merge_gain, cases=cases, mistakes=mistakes)


CORPORA = (
    {"cat": 3, "cats": 2, "hat": 2, "fox": 1},
    {"sing": 3, "singing": 2, "playing": 2, "plays": 3, "play": 4},
    {"low": 5, "lower": 2, "newer": 6, "wider": 3},
    {"aaa": 2, "aab": 1, "xy": 1},
)


def check_first_piece(function: Callable) -> Verdict:
    """Check which piece is learned first from counted words.

    Parameters
    ----------
    function : callable
        Takes a dictionary from word to count, returns the new piece.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 6.
    """
    mistakes = [
        Mistake(_first_by(lambda n, a, b, total: n), "You take the pair that occurs most often. "
                "That is another method; how much does each pair gain?"),
        Mistake(_first_by(lambda n, a, b, total: n / (a * b)), "You take the largest ratio, and "
                "so glue what is rare. Multiply what one place saves by the number of places."),
        Mistake(_first_by(merge_gain, weighted=False), "You count every word once. How often does "
                "it occur?"),
        Mistake(_first_by(merge_gain, worst=True), "You take the smallest gain."),
        Mistake(lambda counts: "".join(_first_pair(counts, merge_gain)), "Two ## stand in your "
                "piece. Which of them belongs to it?"),
        Mistake(lambda counts: _first_by(merge_gain)(counts).removeprefix("##"), "Pieces inside "
                "a word keep their ##."),
    ]  # fmt: skip
    cases = [(corpus,) for corpus in CORPORA]
    return check(function, right=_first_by(merge_gain), cases=cases, mistakes=mistakes)


PIECES = ("a", "b", "cat", "cats", "##s", "##a", "##b", "##ab", "un", "##aff", "##able", "able")
WORDS = ("cats", "catsa", "unaffable", "aab", "abab", "cat", "dog", "catx", "xcat", "able", "s")


def check_longest_match(function: Callable) -> Verdict:
    """Check the cutting of one word into pieces.

    Parameters
    ----------
    function : callable
        Takes a word and a list of pieces, returns pieces separated by spaces, or ``[UNK]``.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 6.
    """
    mistakes = [
        Mistake(_match(shortest=True), "You take the shortest piece that fits. Begin with the "
                "whole rest of the word, and shorten it."),
        Mistake(_match(prefix=""), "You look up the rest of a word as if a word began there. "
                "What do pieces inside a word begin with?"),
        Mistake(_match(keep=True), "You keep the pieces found before the gap. One gap makes the "
                "whole word unknown."),
        Mistake(_match(keep=True, skip=True), "You put one [UNK] for each letter. One gap makes "
                "the whole word unknown."),
        Mistake(lambda word, pieces: word if word in pieces else "[UNK]", "You look up whole "
                "words only. If the word is not there, try its beginnings."),
    ]  # fmt: skip
    cases = [(word, list(PIECES)) for word in WORDS]
    return check(function, right=_match(), cases=cases, mistakes=mistakes)


def check_room(function: Callable) -> Verdict:
    """Check how many pieces of each text of a pair stay when both must fit.

    Parameters
    ----------
    function : callable
        Takes the lengths of both texts and the room, returns two numbers.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 6.
    """
    mistakes = [
        Mistake(lambda a, b, room: (min(a, room), max(0, min(b, room - a))), "You cut the second "
                "text only. Whose turn is it when it is the shorter one?"),
        Mistake(lambda a, b, room: (max(0, min(a, room - b)), min(b, room)), "You cut the first "
                "text only. Whose turn is it when it is the shorter one?"),
        Mistake(lambda a, b, room: (min(a, room // 2), min(b, room - room // 2)), "You give each "
                "text half of the room, even if one needs less than that."),
        Mistake(lambda a, b, room: (a, b), "Nothing is cut."),
        Mistake(lambda a, b, room: _cut(a, b, room, odd_to_longer=False), "Nearly: if the room is "
                "odd and both texts are cut, the longer one keeps one piece more."),
        Mistake(lambda a, b, room: _cut(b, a, room)[::-1], "Nearly: of two equally long texts, "
                "the first counts as the shorter."),
    ]  # fmt: skip
    cases = [(3, 4, 9), (9, 2, 6), (2, 9, 6), (8, 8, 5), (8, 8, 6), (5, 9, 7), (9, 5, 7), (4, 4, 0)]
    return check(function, right=_cut, cases=cases, mistakes=mistakes)


def _first_pair(
    word_counts: dict, score: Callable, weighted: bool = True, worst: bool = False
) -> tuple[str, str]:
    """Find the pair with the best score, the first in alphabetical order if several have it."""
    pieces, pairs = Counter(), Counter()
    for word, count in word_counts.items():
        spelled = spell(word)
        for piece in spelled:
            pieces[piece] += count if weighted else 1
        for pair in pairwise(spelled):
            pairs[pair] += count if weighted else 1
    scores = {
        (a, b): round(float(score(n, pieces[a], pieces[b], pieces.total())), 9)
        for (a, b), n in pairs.items()
    }
    sign = 1 if worst else -1
    return min(scores, key=lambda pair: (sign * scores[pair], pair))


def _first_by(score: Callable, **how: bool) -> Callable:
    """Build a function that names the first piece learned by a score."""

    def first(word_counts: dict) -> str:
        left, right = _first_pair(word_counts, score, **how)
        return left + right.removeprefix("##")

    return first


def _match(
    shortest: bool = False, prefix: str = "##", keep: bool = False, skip: bool = False
) -> Callable:
    """Build a way to cut words; the right one, or with a usual mistake."""

    def match(word: str, pieces: Sequence[str]) -> str:
        found, start = [], 0
        while start < len(word):
            ends = range(len(word), start, -1)
            candidates = [(prefix if start else "") + word[start:end] for end in ends]
            fitting = [piece for piece in candidates if piece in pieces]
            if not fitting:
                if not keep:
                    return "[UNK]"
                found.append("[UNK]")
                if not skip:
                    break
                start += 1
                continue
            found.append(fitting[-1] if shortest else fitting[0])
            start += len(found[-1].removeprefix("##"))
        return " ".join(found)

    return match


def _cut(first: int, second: int, room: int, odd_to_longer: bool = True) -> tuple[int, int]:
    """Give the shorter text at most half of the room, and the longer one the rest."""
    if first + second <= room:
        return first, second
    half = room // 2 if odd_to_longer else (room + 1) // 2
    short = min(first, second, half)
    return (room - short, short) if first > second else (short, room - short)
