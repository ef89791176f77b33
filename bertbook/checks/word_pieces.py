"""Exercises of Chapter 6: gain and one merge."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from minibert.wordpiece import merge_gain, spell

from .exercise import Exercise


def _saved_exactly(n, a, b, total):
    """Compute the saving with all pieces counted again."""
    more, less = (total, a - n, b - n, n), (a, b, total - n)
    return sum(x * math.log(x) for x in more if x) - sum(x * math.log(x) for x in less if x)


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
        "→ pair_count * total / (left_count * right_count)": "That is the ratio, without its "
            "logarithm. What is saved at one place is a difference of surprises.",
        "→ pair_count / (left_count * right_count)": "That is the ratio most texts print. It lacks "
            "the size of the corpus, the logarithm, and the number of places.",
        "return pair_count * → return pair_count / total *": "You weigh one place by the share of "
            "the pair. At how many places does it stand?",
        "→ pair_count * math.log(pair_count * total / left_count * right_count)": "a / b * c is (a "
            "/ b) * c: put brackets around what stands below the line.",
        "→ pair_count * pair_count * total / (left_count * right_count)": "Where is the logarithm? "
            "What is saved at one place is a difference of surprises.",
        "return pair_count * → return": "That is what one place saves. At how many places does the "
            "pair stand?",
        ("left_count / total → left_count || right_count / total → right_count || pair_count "
         "/ total → pair_count"): "Counts are no probabilities yet. By what must each count be "
            "divided?",
        "→ pair_count * math.log(pair_count * total / (left_count + right_count))": "Two surprises "
            "add, so two probabilities multiply. Which two?",
        "left_count / total → left_count || right_count / total → right_count": "You divide one of "
            "the counts by all pieces. Each of the three is to become a probability.",
        ("→ p, a, b = (n * math.log(n / total) for n in (pair_count, left_count, "
         "right_count)); return p - a - b"): "You let each part pay wherever it stands. Nothing "
            "changes but at the places of the pair: how many are these?",
        _saved_exactly: "You count the corpus again after the merge, and find what it saves "
            "exactly. The gain holds all counts still.",
        "→ -math.log(pair_count / total)": "That is what the new piece costs at one place. What "
            "did its two parts cost, and at how many places?",
        "→ pair_count": "That is how often the two meet. What does one of these places save?",
        "before - after → before + after": "The new piece costs something, too. Saving is before "
            "minus after.",
        ("-math.log(left_count / total) - math.log(right_count / total) → math.log(left_count / "
         "total) * math.log(right_count / total)"): "You multiply two surprises. Probabilities "
            "multiply; surprises add.",
        "return pair_count * (before - after) → return max(0, pair_count * (before - after))": "A "
            "gain may be negative: some pairs meet less often than by chance. Leave it as it is.",
        "math.log → math.log2": "Your unit is the bit. Which logarithm gives nats?",
        "math.log → math.log10": "Your logarithm has the base 10. Which one gives nats?",
        "before - after → after - before": "The sign is turned around: saving is before minus "
            "after.",
        "before - after → after": "That is what the new piece costs after. What did its two parts "
            "cost before?",
        "before - after → -math.log(left_count / total)": "That is what the left piece cost "
            "before. And the right one, and the new piece?",
        "before - after → -math.log(right_count / total)": "That is what the right piece cost "
            "before. And the left one, and the new piece?",
        "before - after → before": "That is what the two parts cost before. What does the new "
            "piece cost after?",
        "pair_count / total → pair_count / (total - pair_count)": "You divide by the pieces that "
            "are left after gluing. This gain holds their number still, as the chapter does.",
    },
)  # fmt: skip


_CORPORA = [
    {"cat": 3, "cats": 2, "hat": 2, "fox": 1},
    {"sing": 3, "singing": 2, "playing": 2, "plays": 3, "play": 4},
    {"cold": 3, "bear": 4, "tear": 1, "newer": 4, "eat": 5},
    {"aaaaa": 2, "aab": 1, "xy": 1},
    {"ab": 9, "cab": 1},
    {"paper": 6, "house": 6, "clouds": 7, "with": 1, "fire": 7},
    {"chases": 3, "house": 6},
]
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
        *(([spell(word) for word in corpus], [*corpus.values()]) for corpus in _CORPORA),
        _LATER,
        ([spell("banana"), spell("cab")], [2, 1]),
        ([["a", "##z"], ["ab", "##c"]], [1, 1]),
    ],
    forbidden=["learn_merges", "learn_vocabulary"],
    mistakes={
        "score(n, pieces[a], pieces[b], pieces.total()) → n": "You take the pair that occurs most "
            "often. That is another method; how much does each pair gain?",
        "score(n, pieces[a], pieces[b], pieces.total()) → n / (pieces[a] * pieces[b])": "You take "
            "the largest ratio, and so merge what is rare. Multiply what one place saves by the "
            "number of places.",
        "zip(spelled, counts) → zip(spelled, [1] * len(counts))": "You count every word once. How "
            "often does it occur?",
        "max( → min(": "You take the smallest gain.",
        "pieces.total() → pairs.total()": "You divide by the number of pairs. The probabilities "
            "are those of pieces: by how many is each count divided?",
        ("pieces.total() → len(pieces)", "pieces.total() → len(pairs)"): "You count different "
            "pieces, or different pairs. How many pieces are there if each counts as often as it "
            "occurs?",
        ("pieces.total() → sum(counts)", "pieces.total() → len(counts)",
         "pieces.total() → sum(map(len, spelled))"): "How many pieces has the corpus? Each word "
            "has several, and comes as often as it is counted.",
        ("score(n, pieces[a], pieces[b], pieces.total()) → n * math.log(n / (pieces[a] * "
         "pieces[b]))"): "The size of the corpus is missing in the gain. Counts are no "
            "probabilities yet.",
        "score( → _saved_exactly(": "You count the corpus again after each merge, and find what it "
            "saves exactly. The gain holds all counts still.",
        "round( → float( || , 9) → )": "You compare gains that are not rounded. Equal ones may "
            "differ far behind the point: round them to 9 digits.",
        "pair = min( → pair = max(": "Of several best pairs you take the last in alphabetical "
            "order. Take the first.",
        "_merge_in_word(word, pair) → _merge_in_word(word, pair, glue=str.__add__)": "Two ## stand "
            "in your piece. Which of them belongs to it?",
        ("_merge_in_word(word, pair) → _merge_in_word(word, pair, glue=lambda *pair: "
         "_glued(*pair).removeprefix('##'))"): "A piece inside a word keeps its ##.",
        "_merge_in_word(word, pair) → _merge_in_word(word, pair, leave=True)": "The right half of "
            "the pair still stands behind the new piece. Leave it out.",
        "_merge_in_word(word, pair) → _merge_in_word(word, pair, most=1)": "You merge the first of "
            "two places in a word. Merge the pair wherever it stands.",
        IndexError: "A word has one piece less after a merge. Does your loop still run over its "
            "old length?",
        "_merge_in_word(word, pair) → ([_glued(*pair)] if pair in pairwise(word) else word)":
            "Words that hold the pair lose their other pieces. Merge two, and keep the rest.",
        "for word in spelled] → for word in spelled[:1]] + spelled[1:]": "You merge in the first "
            "word only. The pair becomes one piece everywhere.",
        "[_merge_in_word(word, pair) for word in spelled] → _glued(*pair)": "That is the new "
            "piece. Return all spelled words, with the pair merged.",
        ("_merge_in_word(word, pair) → ' '.join(word).replace(' '.join(pair), "
         "_glued(*pair)).split()"): "You replace text. In “##a ##b” stands “a ##b” as well: "
            "compare whole pieces.",
        "min(pair for pair in scores if scores[pair] == best) → min((pair for pair in scores if "
            "scores[pair] == best), key=lambda pair: _glued(*pair))": "Of several best pairs you "
            "take the one whose new piece comes first. Compare the pairs: their left pieces, then "
            "their right ones.",
        "Counter(pairwise(word)) → Counter({*pairwise(word)}) || Counter(word) → Counter({*word})":
            "You count a piece once in each word. In “banana” the pair n, a meets twice.",
        "pair = min( → pair = next(": "Of several best pairs you take the one that you meet first. "
            "Take the first in alphabetical order.",
        "→ spelled": "Nothing is merged.",
        "→ [' '.join(word) for word in right(spelled, counts)]": "The right pieces, each word in "
            "one string. Return lists of pieces.",
        "[_merge_in_word(word, pair) for word in spelled] → pair": "That is the pair. Return all "
            "spelled words, with the pair merged.",
    },
)  # fmt: skip
