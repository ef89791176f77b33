"""Exercises of Chapter 6: gain and one merge."""

import math
from collections import Counter
from itertools import pairwise

from bertbook.core.exercises.exercise import Exercise
from minibert.wordpiece import merge_gain, spell


def _gain(pair_count, left_count, right_count, total):
    before = -math.log(left_count / total) - math.log(right_count / total)
    after = -math.log(pair_count / total)
    return pair_count * (before - after)


check_gain = Exercise(
    "Compute how many nats a corpus saves when a pair of pieces becomes one.",
    _gain,
    cases=[(7, 7, 7, 26), (5, 5, 7, 26), (1, 1, 1, 26), (3, 40, 12, 100), (2, 30, 20, 100)],
    forbidden=["merge_gain"],
    mistakes={
        ("→ pair_count / (left_count * right_count) ¦ pair_count * total / (left_count * "
            "right_count)", "math.log → math.exp"): "Where is the logarithm?",
        "- math.log(right_count / total) →": "Two parts cost something: where is the right one?",
        "return pair_count * → return ¦ return pair_count / total * ¦ return left_count * ¦ return "
            "total * ¦ return (pair_count - 1) *": "At how many places is it?",
        "→ pair_count * math.log(pair_count * total / left_count * right_count)": "Put brackets.",
        "/ total →": "Each of the three counts is to become a probability.",
        "→ pair_count * math.log(pair_count * total / (left_count + right_count))": "Why a plus?",
        "before - after → after ¦ before": "Two parts cost something before, and the new piece "
            "costs something after.",
        "→ pair_count": "That is how often the two meet. What does one of these places save?",
        "before - after → before + after ¦ after - before ¦ before / after": "Saving is "
            "before minus after.",
        ") - math.log(right_count → ) * -math.log(right_count": "Surprises add.",
        "before - after → max(0, before - after)": "A gain may be negative. Leave it as it is.",
        "math.log → math.log2 ¦ math.log10": "Which logarithm gives nats?",
        "pair_count / total → pair_count / (total - pair_count)": "The gain holds all counts "
            "still.",
    },
)  # fmt: skip


_CORPORA = [
    {"cat": 3, "cats": 2, "hat": 2, "fox": 1},
    {"sing": 3, "singing": 2, "playing": 2, "plays": 3, "play": 4},
    {"cold": 3, "bear": 4, "tear": 1, "newer": 4, "eat": 5},
    {"aaaaa": 2, "aab": 1, "xy": 1}, {"ab": 9, "cab": 1}, {"chases": 3, "house": 6},
    {"paper": 6, "house": 6, "clouds": 7, "with": 1, "fire": 7},
]  # fmt: skip
_LATER = ([["c", "##at"], ["c", "##at", "##s"], ["h", "##at"], ["f", "##o", "##x"]], [3, 2, 2, 1])


def _glued(left, right):
    return left + right.removeprefix("##")


def _merge_in_word(word, pair, glue=_glued, leave=False, most=None):
    """Merge one pair in one spelled word, from the left; or leave its right half, or merge few."""
    merged = []
    for piece in word:
        is_left = most is None or merged.count(glue(*pair)) < most
        if merged and is_left and (merged[-1], piece) == pair:
            merged[-1:] = [glue(*pair), piece] if leave else [glue(*pair)]
        else:
            merged.append(piece)
    return merged


def _merge(spelled, counts, score=merge_gain):
    pieces, pairs = Counter(), Counter()
    for word, count in zip(spelled, counts):
        pieces.update({p: n * count for p, n in Counter(word).items()})
        pairs.update({p: n * count for p, n in Counter(pairwise(word)).items()})
    scores = {
        (a, b): round(score(n, pieces[a], pieces[b], pieces.total()), 9)
        for (a, b), n in pairs.items()
    }
    best = max(scores.values())
    pair = min(pair for pair in scores if scores[pair] == best)
    return [_merge_in_word(word, pair) for word in spelled]


check_merge = Exercise(
    "Merge the pair with the largest gain in all spelled words, and return the spellings.",
    _merge,
    cases=[
        *(([*map(spell, corpus)], [*corpus.values()]) for corpus in _CORPORA), _LATER,
        ([spell("banana"), spell("cab")], [2, 1]), ([["a", "##z"], ["ab", "##c"]], [1, 1]),
    ],
    forbidden=["learn_merges", "learn_vocabulary"],
    mistakes={
        "round(score(…), 9) → n": "You take the most frequent pair. How much does each pair gain?",
        "pair = min(…) → pair = max(pair for pair in scores if scores[pair] == best)":
            "Of equal gains the first in the alphabet wins.",
        "n * count for → n for": "A word that comes often counts often: where are its counts?",
        "(word, pair) for → (word, pair, most=1) for": "A word may hold the pair twice.",
        "(word, pair) for → (word, pair, leave=True) for": "Its right half is in the new piece.",
        "(word, pair) for → (word, pair, lambda a, b: a + b) for": "Which ## goes in a merge?",
        "max( → min(": "You take the smallest gain.",
        "pieces.total() → len(pieces) ¦ sum(counts) ¦ sum(map(len, spelled))":
            "How many pieces are there, counted wherever they stand?",
        "round( → float( || , 9) → )": "Equal gains may differ far behind the point: round them.",
        "in spelled] → in spelled if pair in pairwise(word)]": "Keep the rest.",
        "pair = min(…) → pair = min((…), key=lambda p: _glued(*p))": "Compare left pieces first.",
        "Counter(pairwise(word)) → Counter({*pairwise(word)}) || Counter(word) → Counter({*word})":
            "In “banana” the pair n, a meets twice.",
    },
)  # fmt: skip
