"""Exercises of Chapter 6: gain, room for a pair, longest match, the first piece."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from minibert.wordpiece import merge_gain, spell

from .exercise import Exercise, Mistake, as_it_is


def _gain(n, a, b, total, *, times=as_it_is, log=math.log, sign=1, new=1, cost=None):
    """Compute how many nats are saved: the cost before, minus the cost after, at each place."""
    before = -log(a / total) - log(b / total)
    after = -log(n / (total - n if new is None else total)) if new != 0 else 0.0
    return sign * times(n) * (cost(n, a, b, total) if cost else before - after)


check_gain = Exercise(
    "Compute how many nats a corpus saves when a pair of pieces becomes one.",
    _gain,
    cases=[(7, 7, 7, 26), (5, 5, 7, 26), (1, 1, 1, 26), (3, 40, 12, 100), (2, 30, 20, 100)],
    forbidden=["merge_gain"],
    mistakes=[
        Mistake(lambda n, a, b, total: n * total / (a * b), "That is the ratio, without its "
                "logarithm. What is saved at one place is a difference of surprises."),
        Mistake(lambda n, a, b, total: n / (a * b), "That is the ratio most texts print. It lacks "
                "the size of the corpus, the logarithm, and the number of places."),
        Mistake({"times": lambda n: 1}, "That is what one place saves. At how many places does the "
                "pair stand?"),
        Mistake({"cost": lambda n, a, b, total: math.log(n / (a * b))}, "Counts are no shares yet. "
                "By what must each count be divided?"),
        Mistake({"log": math.log2}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"log": math.log10}, "Your logarithm has the base 10. Which one gives nats?"),
        Mistake({"sign": -1}, "The sign is turned around: saving is before minus after."),
        Mistake(lambda n, a, b, total: n * math.log(total / n), "That is what the new piece costs "
                "after. What did its two parts cost before?"),
        Mistake({"new": 0}, "That is what the two parts cost before. What does the new piece cost "
                "after?"),
        Mistake({"new": None}, "You divide by the pieces that are left after gluing. This gain "
                "holds their number still, as the chapter does."),
    ],
)  # fmt: skip


def _room(first, second, room, *, half=lambda room: room // 2, tie_first=True):
    """Give the shorter text at most half of the room, and the longer one the rest."""
    if first + second <= room:
        return first, second
    short = min(first, second, half(room))
    longer_first = first > second if tie_first else first >= second
    return (room - short, short) if longer_first else (short, room - short)


def _one_by_one(first, second, room):
    while first + second > room:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    return first, second


check_room = Exercise(
    "Say how many pieces of each text of a pair stay when both must fit.",
    _room,
    cases=[
        *((3, 4, 9), (9, 2, 6), (2, 9, 6), (8, 8, 5)),
        *((8, 8, 6), (5, 9, 7), (9, 5, 7), (4, 4, 0)),
    ],
    forbidden=["truncate_pair"],
    mistakes=[
        Mistake(lambda a, b, room: (min(a, room), max(0, min(b, room - a))), "You cut the second "
                "text only. Whose turn is it when it is the shorter one?"),
        Mistake(lambda a, b, room: (max(0, min(a, room - b)), min(b, room)), "You cut the first "
                "text only. Whose turn is it when it is the shorter one?"),
        Mistake(lambda a, b, room: (min(a, room // 2), min(b, room - room // 2)),
                "You give each text half of the room, even if one needs less than that."),
        Mistake(lambda a, b, room: (min(a, room // 2), min(b, room // 2)), "You give each text "
                "half of the room, even if one needs less than that."),
        Mistake(lambda a, b, room: (a, b), "Nothing is cut."),
        Mistake(_one_by_one, "You take one piece after another from the longer text, from the "
                "second if both are equal, as BERT's own program does. Here the longer one keeps "
                "the odd piece, and of two equally long texts the first counts as the shorter."),
        Mistake({"half": lambda room: (room + 1) // 2}, "Nearly: if the room is odd and both texts "
                "are cut, the longer one keeps one piece more."),
        Mistake({"tie_first": False}, "Nearly: of two equally long texts, the first counts as the "
                "shorter."),
        Mistake({"half": lambda room: room}, "The shorter text may take everything. How much of "
                "the room should it keep at most?"),
    ],
)  # fmt: skip

_PIECES = ["a", "b", "cat", "cats", "##s", "##a", "##b", "##ab", "un", "##aff", "##able", "able"]
_WORDS = ["cats", "catsa", "unaffable", "aab", "abab", "cat", "dog", "catx", "xcat", "able", "s"]


def _match(word, pieces, *, choose=0, mark="##", gap="whole"):
    """Cut a word greedily into the longest pieces that fit."""
    found, start = [], 0
    while start < len(word):
        tried = [(mark if start else "") + word[start:end] for end in range(len(word), start, -1)]
        fitting = [piece for piece in tried if piece in pieces]
        if not fitting and gap == "whole":
            return "[UNK]"
        if not fitting and gap == "stop":
            return " ".join([*found, "[UNK]"])
        found.append(fitting[choose] if fitting else "[UNK]")
        start += len(found[-1].removeprefix("##")) if fitting else 1
    return " ".join(found)


check_longest_match = Exercise(
    "Cut one word by greedy longest match; return the pieces in one string, or [UNK].",
    _match,
    cases=[(word, _PIECES) for word in _WORDS],
    forbidden=["longest_match"],
    mistakes=[
        Mistake({"choose": -1}, "You take the shortest piece that fits. Begin with the whole rest "
                "of the word, and shorten it."),
        Mistake({"mark": ""}, "You look up the rest of a word as if a word began there. What do "
                "pieces inside a word begin with?"),
        Mistake({"gap": "stop"}, "You keep the pieces found before the gap. One gap makes the "
                "whole word unknown."),
        Mistake({"gap": "step"}, "You put one [UNK] for each letter. One gap makes the whole word "
                "unknown."),
        Mistake(lambda word, pieces: word if word in pieces else "[UNK]", "You look up whole words "
                "only. If the word is not there, try its beginnings."),
        Mistake(lambda word, pieces: _match(word, pieces).split(), "These are the right pieces, in "
                "a list. Return one string: \" \".join(…)."),
        Mistake(lambda word, pieces: _match(word, pieces).replace("##", ""), "Pieces inside a word "
                "keep their ##."),
        Mistake(lambda word, pieces: _match(word, pieces).replace(" ", ""), "Separate the pieces "
                "by spaces."),
    ],
)  # fmt: skip

_COUNTS = [
    ({"cat": 3, "cats": 2, "hat": 2, "fox": 1},),
    ({"sing": 3, "singing": 2, "playing": 2, "plays": 3, "play": 4},),
    ({"cold": 3, "bear": 4, "tear": 1, "newer": 4, "eat": 5},),
    ({"aaa": 2, "aab": 1, "xy": 1},),
]


def _glued(left, right):
    return left + right.removeprefix("##")


def _all_pieces(pieces, pairs):
    return pieces.total()


def _first_piece(
    counts, *, score=merge_gain, weighted=True, best=-1, glue=_glued, of=_all_pieces, tie=0
):
    """Name the first piece learned by a score; of several best, the first in the alphabet."""
    pieces, pairs = Counter(), Counter()
    for word, count in counts.items():
        for piece in spell(word):
            pieces[piece] += count if weighted else 1
        for pair in pairwise(spell(word)):
            pairs[pair] += count if weighted else 1
    total = of(pieces, pairs)
    gains = {
        (a, b): best * round(float(score(n, pieces[a], pieces[b], total)), 9)
        for (a, b), n in pairs.items()
    }
    return glue(*sorted(p for p, gain in gains.items() if gain == min(gains.values()))[tie])


check_first_piece = Exercise(
    "Name the piece that is learned first from counted words.",
    _first_piece,
    cases=_COUNTS,
    forbidden=["learn_merges", "learn_vocabulary"],
    mistakes=[
        Mistake({"score": lambda n, a, b, total: n}, "You take the pair that occurs most often. "
                "That is another method; how much does each pair gain?"),
        Mistake({"score": lambda n, a, b, total: n / (a * b)}, "You take the largest ratio, and so "
                "glue what is rare. Multiply what one place saves by the number of places."),
        Mistake({"weighted": False}, "You count every word once. How often does it occur?"),
        Mistake({"best": 1}, "You take the smallest gain."),
        Mistake({"glue": lambda left, right: left + right}, "Two ## stand in your piece. Which of "
                "them belongs to it?"),
        Mistake({"glue": lambda left, right: _glued(left, right).removeprefix("##")},
                "Pieces inside a word keep their ##."),
        Mistake({"glue": lambda left, right: (left, right)}, "That is the pair. Which piece does "
                "it become?"),
        Mistake({"of": lambda pieces, pairs: pairs.total()}, "You divide by the number of pairs. "
                "The shares are those of pieces: by how many is each count divided?"),
        Mistake({"tie": -1}, "Of several best pairs you take the last in alphabetical order. Take "
                "the first."),
    ],
)  # fmt: skip
