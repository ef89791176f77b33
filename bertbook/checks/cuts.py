"""Exercises of Chapter 6 on cutting a word: longest match, fewest pieces."""

from __future__ import annotations

from functools import partial

from minibert.wordpiece import spell

from .exercise import Exercise, Mistake
from .pieces import (
    count_of_ways,
    fewest,
    length_of,
    match,
    match_backward,
    match_fewest,
)

_PIECES = "a b cat cats ##s ##a ##b ##ab ##ba un ##aff ##able able".split()
_LONG = "misunderstanding"  # each greedy way takes more pieces than it needs
_ITS_PIECES = "misu ##nder ##stan ##ding misun ##nders ##nding ##rstan ##d ##e ##t ##a".split()
_WORDS = ["cats", "catsa", "unaffable", "aab", "abab", "cat", "dog", "catx", "xcat", "able", "s"]

check_longest_match = Exercise(
    "Cut one word by greedy longest match; return the list of its pieces, or [UNK] alone.",
    match,
    cases=[*((word, _PIECES) for word in _WORDS), (_LONG, _ITS_PIECES)],
    forbidden=["longest_match"],
    mistakes=[
        Mistake(lambda word, pieces: match(word, {*pieces} - {word}), "A whole word can be one "
                "piece. Does your loop begin with all the letters that are left?"),
        Mistake({"choose": -1}, "You take the shortest piece that fits. Begin with the whole rest "
                "of the word, and shorten it."),
        Mistake({"mark": ""}, "You look up the rest of a word as if a word began there. What do "
                "pieces inside a word begin with?"),
        Mistake({"gap": "stop"}, "You keep the pieces found before the gap. One gap makes the "
                "whole word unknown."),
        Mistake({"gap": "step"}, "You put one [UNK] for each letter. One gap makes the whole word "
                "unknown."),
        Mistake(lambda word, pieces: [word if word in pieces else "[UNK]"], "You look up whole "
                "words only. If the word is not there, try its beginnings."),
        Mistake(lambda word, pieces: " ".join(match(word, pieces)), "These are the right pieces, "
                "in one string. Return a list."),
        Mistake(lambda word, pieces: [p.removeprefix("##") for p in match(word, pieces)], "Pieces "
                "inside a word keep their ##."),
        Mistake(lambda word, pieces: [p for p in match(word, pieces) if p != "[UNK]"], "For a "
                "word that cannot be cut you return an empty list. Its one token is [UNK]."),
        Mistake(lambda word, pieces: match(word, pieces)[:1], "You stop after the first piece. "
                "Go on with the rest of the word."),
        *(Mistake(wrong, "These are its letters. Look for the longest piece that is known.")
          for wrong in (lambda word, pieces: spell(word), lambda word, pieces: [*word])),
        Mistake(lambda word, pieces: [*match(word, pieces), ""], "Behind the last piece you append "
                "an empty one. When is there no rest?"),
        Mistake(lambda word, pieces: match(word, pieces)[::-1], "The right pieces, from the last "
                "to the first."),
        Mistake(match_backward, "You cut from the end of the word. Its beginning comes first."),
        Mistake(match_fewest, "You cut into as few pieces as possible. Greedy is simpler: at each "
                "place the longest piece that fits, whatever comes after it."),
        Mistake(partial(match, least=2), "A piece of a single letter is not found. Where does your "
                "loop over the end of a piece stop?"),
        Mistake(partial(match, most=1), "The last letter of the word is never looked at. A slice "
                "stops before its end: where does your loop begin?"),
        Mistake({"gap": "keep"}, "You return the pieces found before the gap. One gap makes the "
                "whole word unknown: [UNK] alone."),
        Mistake(lambda word, pieces: match(word, {*pieces, *(p.removeprefix("##") for p in pieces)},
                                           mark=""), "You take the ## off the pieces. In the "
                "middle of a word only a piece with ## fits, and at its start only one without."),
        Mistake(lambda word, pieces: sorted(match(word, pieces)), "These are the right pieces in "
                "the order of the alphabet. Return them in that of the word."),
    ],
)  # fmt: skip

_FILES = ["file", "files", "need", "needles"]
_FILES += "##systems ##yst ##em ##s ##less ##ly ##sl ##y ##lessly ##e".split()


def _greedy_twice(word, pieces):
    """Cut greedily from both ends, and count the better way."""
    counts = [length_of(cut)(word, pieces) for cut in (match, match_backward)]
    return min(filter(None, counts), default=0)


check_fewest_pieces = Exercise(
    "Count the fewest pieces that make up a word; 0 if no pieces do.",
    fewest,
    cases=[
        *(("filesystems", _FILES), ("needlessly", _FILES), ("needles", _FILES), ("file", _FILES)),
        *(("filesx", _FILES), ("abcd", ["ab", "abc", "##cd"]), ("less", _FILES)),
        *(("filesystemss", _FILES), ("abcd", ["ab", "##c", "##d", "##bcd"]), (_LONG, _ITS_PIECES)),
    ],
    mistakes=[
        Mistake(length_of(match), "You take the longest piece first. A shorter beginning may leave "
                "a rest that needs fewer pieces."),
        Mistake(length_of(match_backward), "You take the longest piece at the end first. A shorter "
                "end may leave a rest that needs fewer pieces."),
        Mistake(_greedy_twice, "You take the best of a few greedy ways, such as from both ends. "
                "Any piece may have to be shorter than it could be."),
        Mistake(length_of(partial(match, choose=-1)), "You take the shortest piece that fits. "
                "Which of all ways has the fewest pieces?"),
        Mistake(lambda word, pieces: len(match(word, pieces)), "You count the pieces of the "
                "longest match. A shorter beginning may leave a rest that needs fewer."),
        Mistake({"choose": max}, "That is the largest number of pieces."),
        Mistake({"mark": ""}, "You look up the rest of a word as if a word began there. What do "
                "pieces inside a word begin with?"),
        Mistake({"none": 99}, "For a word that no pieces make up, return 0."),
        Mistake(count_of_ways, "You count in how many ways the word can be cut. How many "
                "pieces has the best of them?"),
        Mistake({"none": -1}, "For a word that no pieces make up, return 0."),
        Mistake({"none": float("inf")}, "For a word that no pieces make up, return 0."),
        Mistake({"none": 1}, "For a word that no pieces make up, return 0: [UNK] is no piece of "
                "it."),
        Mistake(lambda word, pieces: len(word) if fewest(word, pieces) else 0, "You count "
                "letters."),
        Mistake(lambda word, pieces: len(word), "You count letters."),
        Mistake(lambda word, pieces: max(0, fewest(word, pieces) - 1), "You count the places "
                "between the pieces. One more."),
    ],
)  # fmt: skip
