"""Exercises of Chapter 1: cosines, counts from the right, a row continued, averages of others."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_START, _END = "[SOS]", "[EOS]"
_ENDLESS = 1000
_RNG = np.random.default_rng(11)


def _lengths(v):
    return np.sqrt((v**2).sum(axis=1, keepdims=True))


def _degrees(cosines):
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def _cosines(v, *, length=_lengths, both=np.multiply, center=False, angle=as_it_is):
    v = v - v.mean(axis=1, keepdims=True) if center else v
    return angle(v @ v.T / both(length(v), length(v).T))


check_cosines = Exercise(
    "Compute the cosine similarity of every row with every row.",
    _cosines,
    cases=[
        (np.array([[1.0, 5.0], [1.0, 4.0], [5.0, 1.0]]),),
        (_RNG.standard_normal((4, 3)),),
        (_RNG.standard_normal((3, 5)),),
    ],
    forbidden=["a loop"],
    rtol=1e-5,
    mistakes=[
        Mistake({"both": lambda a, b: 1.0}, "These are the sums of products. A long vector gets a "
                "large one in any direction. By what do you divide?"),
        Mistake({"both": lambda a, b: a}, "You divide by one length only. Two vectors have two."),
        Mistake({"both": lambda a, b: b}, "You divide by one length only. Two vectors have two."),
        Mistake({"both": np.add}, "You divide by the sum of the two lengths. The formula has their "
                "product."),
        Mistake({"length": lambda v: _lengths(v) ** 2}, "You divide by squared lengths. Where is "
                "the square root?"),
        Mistake({"length": lambda v: abs(v).sum(axis=1, keepdims=True)}, "Your length is the sum "
                "of the numbers. It should be the root of the sum of their squares."),
        Mistake({"angle": lambda c: np.radians(_degrees(c))}, "That is an angle. The similarity is "
                "its cosine: 1 for the same direction."),
        Mistake({"angle": _degrees}, "That is an angle. The similarity is its cosine: 1 for the "
                "same direction."),
        Mistake({"center": True}, "You take the mean off each vector first. That is correlation, a "
                "relative of the cosine."),
        Mistake(lambda v: _cosines(v.T), "You compare columns with columns. The vectors are the "
                "rows."),
    ],
)  # fmt: skip


def _backward(sentences, *, marks=(_START, _END), forward=False, once=False, joined=False,
              swapped=False):  # fmt: skip
    """Count the word before each word."""
    rows = [" ".join(sentences)] if joined else sentences
    counts = {}
    for row in rows:
        words = [*marks[:1], *row.split(), *marks[1:]]
        if swapped:
            words[0], words[-1] = words[-1], words[0]
        for before, word in itertools.pairwise(words):
            outer, inner = (before, word) if forward else (word, before)
            options = counts.setdefault(outer, {})
            options[inner] = 1 if once else options.get(inner, 0) + 1
    return counts


def _under_pairs(sentences):
    counts = _backward(sentences)
    return {(word, b): n for word, options in counts.items() for b, n in options.items()}


def _without_zeros(counts):
    """Drop counts of 0, which a table may hold or not."""
    if not isinstance(counts, Mapping):
        return counts
    plain = {name: _without_zeros(count) for name, count in counts.items()}
    return {name: n for name, n in plain.items() if not (isinstance(n, int | dict) and not n)}


check_backward_counts = Exercise(
    "Count what stands before each word, for a model that reads from right to left.",
    _backward,
    cases=[(["one cat", "one dog", "the dog sees one cat"],), (["a bird", "a bird sings"],)],
    read=_without_zeros,
    mistakes=[
        Mistake({"forward": True}, "You counted what follows each word. This model wants to know "
                "what stands before it."),
        Mistake({"marks": ()}, "There are no [SOS] and [EOS] in your counts. How would this model "
                "start, and how would it stop?"),
        Mistake(lambda s: _backward([f"{x} {_END}" for x in s], marks=()), "The first word has a "
                "word before it too: the mark [SOS]. Where is it?"),
        Mistake({"marks": (_START,)}, "Where is [EOS]? A model that reads from the right starts "
                "there."),
        Mistake({"swapped": True}, "The words are turned round, the marks as well. [SOS] stands "
                "before the first word, from wherever you read."),
        Mistake(lambda s: _backward(s, joined=True, marks=()), "You joined the sentences: the last "
                "word of one now stands before the first word of the next."),
        Mistake({"joined": True}, "You joined the sentences: the last word of one now stands "
                "before the first word of the next."),
        Mistake(lambda s: _backward([" [EOS] [SOS] ".join(s)]), "You counted [EOS] before [SOS]: "
                "that pair crosses from one sentence into the next."),
        Mistake({"once": True}, "Each pair counts 1 in your table. What if it occurs twice?"),
        Mistake(_under_pairs, "The counts are right, but filed under pairs. File them under the "
                "word first, then under the word before it: counts[\"cat\"][\"one\"]."),
    ],
)  # fmt: skip


class _EndlessRowError(Exception):
    """The reader's loop has asked for the next word far too often."""


class _Watched(dict):
    """Counts that notice when somebody never stops asking."""

    asked = 0

    def _notice(self):
        self.asked += 1
        if self.asked > _ENDLESS:
            raise _EndlessRowError

    def __getitem__(self, word):
        self._notice()
        return super().__getitem__(word)

    def get(self, word, default=None):
        self._notice()
        return super().get(word, default)


def _most_frequent(options):
    return max(options, key=options.get)


def _continued(counts, prompt, limit, *, choose=_most_frequent, prompted=True, extra=0,
               start=(), end=(), stops=True, skip=0):  # fmt: skip
    """Continue a prompt with the most frequent next word."""
    row = [_START, *prompt] if prompted else [_START]
    while len(row) - 1 < limit + extra * len(prompt):
        word = choose(counts[row[-1]])
        if word == _END and stops:
            return [*start, *row[1 + skip * len(prompt) :], *end]
        row.append(word)
    return [*start, *row[1 + skip * len(prompt) :]]


_ENDING = {
    _START: {"a": 2, "one": 1, "the": 3}, "the": {"dog": 2, "bird": 1, "cat": 4}, "a": {"dog": 2},
    "one": {"dog": 1}, "cat": {_END: 1, "sees": 2}, "dog": {"barks": 1, _END: 5},
    "sees": {"a": 3, "the": 1}, "barks": {_END: 1}, "bird": {_END: 1},
}  # fmt: skip
_CIRCLING = {_START: {"on": 1}, "on": {_END: 1, "and": 2}, "and": {"on": 3}}

check_continue = Exercise(
    "Continue a prompt with the most frequent next word, up to [EOS] or the limit.",
    _continued,
    cases=[
        (_ENDING, [], 20),
        (_ENDING, ["a"], 20),
        (_ENDING, ["the", "cat"], 9),
        (_CIRCLING, [], 7),
        (_CIRCLING, ["on", "and"], 5),
    ],
    given=lambda value: _Watched(value) if isinstance(value, dict) else value,
    mistakes=[
        Mistake(_EndlessRowError, f"Your loop never stops: it has asked {_ENDLESS} times for the "
                "next word. It must stop at [EOS], and also at the limit."),
        Mistake({"stops": False}, "You ask what follows [EOS]. Nothing does: stop there."),
        Mistake({"prompted": False}, "You begin at [SOS] every time. The prompt is the beginning: "
                "go on from its last word."),
        Mistake({"skip": 1}, "Return the whole row: the prompt, and then what you added."),
        Mistake({"start": [_START]}, "[SOS] is a mark, not a word. Leave it out of what you "
                "return."),
        Mistake({"end": [_END]}, "[EOS] is a mark, not a word. Leave it out of what you return."),
        Mistake({"choose": lambda options: min(options, key=options.get)}, "You take the rarest "
                "next word. Which one should it be?"),
        Mistake({"choose": lambda options: next(iter(options))}, "You take the next word that was "
                "counted first. Which one is the most frequent?"),
        Mistake({"choose": max}, "You take the last word of the alphabet. Whose count is largest?"),
        Mistake({"extra": 1}, "The limit is for the whole row, the prompt included."),
        Mistake(lambda *case: " ".join(_continued(*case)), "These are the right words, in one "
                "string. Return a list of words."),
    ],
)  # fmt: skip


def _averages(v, *, others=1, axis=0, divided=True):
    total, count = v.sum(axis=axis, keepdims=True), v.shape[axis]
    return (total - others * v) / (count - others if divided else 1)


check_neighbor_averages = Exercise(
    "Average the vectors of the other words, for every word of a sentence at once.",
    _averages,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4, 2), (3, 5), (6, 3)]],
    forbidden=["a loop"],
    mistakes=[
        Mistake(lambda v: 0 * v + v.mean(axis=0), "Every word gets the same vector. The average is "
                "over the others: leave the word itself out."),
        Mistake({"divided": False}, "This is the sum of the others. Divide by how many they are."),
        Mistake(lambda v: _averages(v, divided=False) / len(v), "How many others are there? One "
                "fewer than words in the sentence."),
        Mistake({"axis": 1}, "You averaged over the numbers of one word. The words lie along the "
                "first axis."),
        Mistake(lambda v: v.mean(axis=0), "That is one vector for the whole sentence. Each word "
                "has an average of its own, over the others."),
        Mistake(lambda v: v, "These are the static vectors. Nothing has been taken from the "
                "neighbors."),
    ],
)  # fmt: skip
