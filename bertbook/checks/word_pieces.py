"""Exercises of Chapter 6: gain, one merge, room for a pair."""

from __future__ import annotations

import math
from itertools import pairwise

from minibert.wordpiece import spell

from .exercise import Exercise, Mistake, as_it_is
from .pieces import (
    glued,
    merged_in_one,
    one_merge,
    pair_to_merge,
    room_of_both,
    room_one_by_one,
    saved_exactly,
)


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
        Mistake(lambda n, a, b, total: n / total * math.log(n * total / (a * b)), "You weigh one "
                "place by the share of the pair. At how many places does it stand?"),
        Mistake(lambda n, a, b, total: n * math.log(n * total / a * b), "a / b * c is (a / b) * c: "
                "put brackets around what stands below the line."),
        Mistake(lambda n, a, b, total: n * n * total / (a * b), "Where is the logarithm? What is "
                "saved at one place is a difference of surprises."),
        Mistake({"times": lambda n: 1}, "That is what one place saves. At how many places does the "
                "pair stand?"),
        Mistake({"cost": lambda n, a, b, total: math.log(n / (a * b))}, "Counts are no "
                "probabilities yet. By what must each count be divided?"),
        Mistake(lambda n, a, b, total: n * math.log(n * total / (a + b)), "Two surprises add, so "
                "two probabilities multiply. Which two?"),
        Mistake(lambda n, a, b, total: n * math.log(n / total / (a * b)), "You divide one of the "
                "counts by all pieces. Each of the three is to become a probability."),
        Mistake(lambda n, a, b, total: n * math.log(n / total) - a * math.log(a / total)
                - b * math.log(b / total), "You let each part pay wherever it stands. Nothing "
                "changes but at the places of the pair: how many are these?"),
        Mistake(saved_exactly, "You count the corpus again after the merge, and find what it saves "
                "exactly. The gain holds all counts still."),
        Mistake(lambda n, a, b, total: -math.log(n / total), "That is what the new piece costs at "
                "one place. What did its two parts cost, and at how many places?"),
        Mistake(lambda n, a, b, total: n, "That is how often the two meet. What does one of these "
                "places save?"),
        Mistake(lambda n, a, b, total: n * math.log(total**3 / (a * b * n)), "The new piece costs "
                "something, too. Saving is before minus after."),
        Mistake({"log": math.log2}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"log": math.log10}, "Your logarithm has the base 10. Which one gives nats?"),
        Mistake({"sign": -1}, "The sign is turned around: saving is before minus after."),
        Mistake(lambda n, a, b, total: n * math.log(total / n), "That is what the new piece costs "
                "after. What did its two parts cost before?"),
        Mistake(lambda n, a, b, total: n * math.log(total / a), "That is what the left piece cost "
                "before. And the right one, and the new piece?"),
        Mistake(lambda n, a, b, total: n * math.log(total / b), "That is what the right piece cost "
                "before. And the left one, and the new piece?"),
        Mistake({"new": 0}, "That is what the two parts cost before. What does the new piece cost "
                "after?"),
        Mistake({"new": None}, "You divide by the pieces that are left after gluing. This gain "
                "holds their number still, as the chapter does."),
    ],
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

check_merge = Exercise(
    "Merge the pair with the largest gain in all spelled words, and return the spellings.",
    one_merge,
    cases=[
        *(([spell(word) for word in corpus], [*corpus.values()]) for corpus in _CORPORA),
        _LATER,
        ([spell("banana"), spell("cab")], [2, 1]),
    ],
    forbidden=["learn_merges", "learn_vocabulary"],
    mistakes=[
        Mistake({"score": lambda n, a, b, total: n}, "You take the pair that occurs most often. "
                "That is another method; how much does each pair gain?"),
        Mistake({"score": lambda n, a, b, total: n / (a * b)}, "You take the largest ratio, and so "
                "merge what is rare. Multiply what one place saves by the number of places."),
        Mistake({"weighted": False}, "You count every word once. How often does it occur?"),
        Mistake({"best": 1}, "You take the smallest gain."),
        Mistake({"of": lambda pieces, pairs: pairs.total()}, "You divide by the number of pairs. "
                "The probabilities are those of pieces: by how many is each count divided?"),
        *(Mistake({"of": of}, "You count different pieces, or different pairs. How many pieces "
                  "are there if each counts as often as it occurs?")
          for of in (lambda pieces, pairs: len(pieces), lambda pieces, pairs: len(pairs))),
        *(Mistake(lambda spelled, counts, of=of: one_merge(spelled, counts, of=lambda *_: of(
            spelled, counts)), "How many pieces has the corpus? Each word has several, and comes "
            "as often as it is counted.")
          for of in (lambda s, c: sum(c), lambda s, c: len(c), lambda s, c: sum(map(len, s)))),
        Mistake({"score": lambda n, a, b, total: n * math.log(n / (a * b))}, "The size of the "
                "corpus is missing in the gain. Counts are no probabilities yet."),
        Mistake({"score": saved_exactly}, "You count the corpus again after each merge, and find "
                "what it saves exactly. The gain holds all counts still."),
        Mistake({"digits": 17}, "You compare gains that are not rounded. Equal ones may differ far "
                "behind the point: round them to 9 digits."),
        Mistake({"tie": -1}, "Of several best pairs you take the last in alphabetical order. Take "
                "the first."),
        Mistake({"join": lambda word, pair: merged_in_one(word, pair, lambda a, b: a + b)},
                "Two ## stand in your piece. Which of them belongs to it?"),
        Mistake({"join": lambda word, pair: merged_in_one(
            word, pair, lambda a, b: glued(a, b).removeprefix("##"))},
                "A piece inside a word keeps its ##."),
        Mistake({"join": lambda word, pair: merged_in_one(word, pair, leave=True)}, "The right "
                "half of the pair still stands behind the new piece. Leave it out."),
        Mistake({"join": lambda word, pair: merged_in_one(word, pair, most=1)}, "You merge the "
                "first of two places in a word. Merge the pair wherever it stands."),
        Mistake(IndexError, "A word has one piece less after a merge. Does your loop still run "
                "over its old length?"),
        Mistake({"join": lambda word, pair: [glued(*pair)] if pair in pairwise(word) else word},
                "Words that hold the pair lose their other pieces. Merge two, and keep the rest."),
        Mistake(lambda spelled, counts: [
            word if i else merged_in_one(word, pair_to_merge(spelled, counts))
            for i, word in enumerate(spelled)],
                "You merge in the first word only. The pair becomes one piece everywhere."),
        Mistake(lambda spelled, counts: glued(*pair_to_merge(spelled, counts)), "That is the new "
                "piece. Return all spelled words, with the pair merged."),
        Mistake({"join": lambda word, pair: " ".join(word).replace(" ".join(pair), glued(*pair))
                 .split()}, "You replace text. In “##a ##b” stands “a ##b” as well: compare whole "
                "pieces."),
        Mistake({"tie": None}, "Of several best pairs you take the one that you meet first. Take "
                "the first in alphabetical order."),
        Mistake(lambda spelled, counts: spelled, "Nothing is merged."),
        Mistake(lambda spelled, counts: [" ".join(word) for word in one_merge(spelled, counts)],
                "The right pieces, each word in one string. Return lists of pieces."),
        Mistake(pair_to_merge, "That is the pair. Return all spelled words, with the pair merged."),
    ],
)  # fmt: skip

check_room = Exercise(
    "Say how many pieces of each text of a pair stay when both must fit.",
    room_of_both,
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
        Mistake(lambda a, b, room: (min(a, room // 2), min(b, room - min(a, room // 2))), "You "
                "treat the first text as the shorter one, whichever it is."),
        Mistake(lambda a, b, room: (a, min(b, room - a)), "You cut the second text only. Which of "
                "the two is to be cut?"),
        Mistake(lambda a, b, room: (a, b), "Nothing is cut."),
        Mistake(lambda a, b, room: (min(a, b, room // 2), room - min(a, b, room // 2)),
                "You fill the room even where both texts fit, or the longer one comes first."),
        Mistake(lambda a, b, room: room_of_both(a, b, room)[::-1], "The two numbers have "
                "changed places."),
        Mistake(lambda a, b, room: room_of_both(a, b, room - 3), "The special tokens have "
                "their room already."),
        Mistake(lambda a, b, room: (a * room // (a + b), b * room // (a + b)), "You divide the "
                "room in proportion. Here the shorter text loses only what is above half of it."),
        Mistake({"half": lambda room: room / 2}, "Half a piece cannot stay. Round down."),
        Mistake(room_one_by_one, "You take one piece after another from the longer text, from the "
                "second if both are equal, as BERT's own program does. Here the longer one keeps "
                "the odd piece, and of two equally long texts the first counts as the shorter."),
        Mistake({"half": lambda room: (room + 1) // 2}, "Nearly: if the room is odd and both texts "
                "are cut, the longer one keeps one piece more."),
        Mistake(lambda a, b, room: (min(a, b, room // 2), room - min(a, b, room // 2))
                if a + b > room else (a, b), "You treat the first text as the shorter one, "
                "whichever it is."),
        Mistake(lambda a, b, room: (room // 2, room - room // 2) if a + b > room else (a, b), "You "
                "give each text half of the room, even if one needs less than that."),
        *(Mistake(wrong, "You divide the room even where both texts fit.") for wrong in (
            lambda a, b, room: room_of_both(a, b, room, always=True),
            lambda a, b, room: room_of_both(a, b, room) if a + b > room
            else (room // 2, room - room // 2))),
        Mistake(lambda a, b, room: (room // 2, room - room // 2) if room // 2 < min(a, b)
                else room_of_both(a, b, room), "Nearly: where both texts are cut, the longer one "
                "keeps the odd piece. Yours always goes to the second."),
        Mistake({"tie_first": False}, "Nearly: of two equally long texts, the first counts as the "
                "shorter."),
        Mistake({"half": lambda room: room}, "The shorter text may take everything. How much of "
                "the room should it keep at most?"),
    ],
)  # fmt: skip
