"""Checkers of Chapter 1: cosines, counts from the right, a row continued, averages of neighbors."""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .verdict import Mistake, Verdict, check

_START, _END = "[SOS]", "[EOS]"
_ENDLESS = 1000


def _lengths(vectors):
    return np.sqrt((vectors**2).sum(axis=1, keepdims=True))


def _cosines(vectors):
    return np.clip(vectors @ vectors.T / (_lengths(vectors) * _lengths(vectors).T), -1, 1)


def check_cosines(function: Callable) -> Verdict:
    """Check the cosine similarity of every word with every word.

    Parameters
    ----------
    function : callable
        Takes an array of shape (words, numbers), returns one of shape (words, words).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 1.
    """
    rng = np.random.default_rng(11)
    unit = "That is an angle. The similarity is its cosine: 1 for the same direction."
    return check(
        function,
        right=_cosines,
        cases=[
            (np.array([[1.0, 5.0], [1.0, 4.0], [5.0, 1.0]]),),
            (rng.standard_normal((4, 3)),),
            (rng.standard_normal((3, 5)),),
        ],
        mistakes=[
            Mistake(lambda v: v @ v.T, "These are the sums of products. A long vector gets a large "
                    "one in any direction. By what do you divide?"),
            Mistake(lambda v: v @ v.T / _lengths(v), "You divide by one length only. Two vectors "
                    "have two."),
            Mistake(lambda v: v @ v.T / _lengths(v).T, "You divide by one length only. Two vectors "
                    "have two."),
            Mistake(lambda v: v @ v.T / (_lengths(v) + _lengths(v).T), "You divide by the sum of "
                    "the two lengths. The formula has their product."),
            Mistake(lambda v: v @ v.T / (_lengths(v) * _lengths(v).T) ** 2, "You divide by squared "
                    "lengths. Where is the square root?"),
            Mistake(lambda v: v @ v.T / np.outer(abs(v).sum(1), abs(v).sum(1)), "Your length is "
                    "the sum of the numbers. It should be the root of the sum of their squares."),
            Mistake(lambda v: np.arccos(_cosines(v)), unit),
            Mistake(lambda v: np.degrees(np.arccos(_cosines(v))), unit),
            Mistake(lambda v: np.corrcoef(v), "You take the mean off each vector first. That is "
                    "correlation, a relative of the cosine."),
        ],
        rtol=1e-5,
    )  # fmt: skip


def _framed(sentence: str) -> list[str]:
    return [_START, *sentence.split(), _END]


def _backward(rows: Sequence[Sequence[str]], forward: bool = False, once: bool = False) -> dict:
    """Count the word before each word; a wrong variant counts forward, or each pair once."""
    counts: dict = {}
    for row in rows:
        for before, word in itertools.pairwise(row):
            outer, inner = (before, word) if forward else (word, before)
            options = counts.setdefault(outer, {})
            options[inner] = 1 if once else options.get(inner, 0) + 1
    return counts


def _pairs(sentences: Sequence[str]) -> dict:
    return {
        (word, before): count
        for word, options in _backward([_framed(s) for s in sentences]).items()
        for before, count in options.items()
    }


def _plain(counts: object) -> object:
    """See Counters, defaultdicts and numpy integers as plain dictionaries of whole numbers."""
    if isinstance(counts, Mapping):
        counts = {name: _plain(count) for name, count in counts.items()}
        return {name: count for name, count in counts.items() if count not in (0, {})}
    return counts


def check_backward_counts(function: Callable) -> Verdict:
    """Check the counts of a model that reads from right to left.

    Parameters
    ----------
    function : callable
        Takes a list of sentences, returns a dictionary: word, then the word before it, then how
        often.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 1.
    """
    marks = "The first word has a word before it too: the mark [SOS]. Where is it?"
    return check(
        _after(function, _plain),
        right=lambda s: _backward([_framed(x) for x in s]),
        cases=[(["one cat", "one dog", "the dog sees one cat"],), (["a bird", "a bird sings"],)],
        mistakes=[
            Mistake(lambda s: _backward([_framed(x) for x in s], forward=True), "You counted what "
                    "follows each word. This model wants to know what stands before it."),
            Mistake(lambda s: _backward([x.split() for x in s]), "There are no [SOS] and [EOS] in "
                    "your counts. How would this model start, and how would it stop?"),
            Mistake(lambda s: _backward([[*x.split(), _END] for x in s]), marks),
            Mistake(lambda s: _backward([[_START, *x.split()] for x in s]), "Where is [EOS]? A "
                    "model that reads from the right starts there."),
            Mistake(lambda s: _backward([" ".join(s).split()]), "You joined the sentences: the "
                    "last word of one now stands before the first word of the next."),
            Mistake(lambda s: _backward([_framed(" ".join(s))]), "You joined the sentences: the "
                    "last word of one now stands before the first word of the next."),
            Mistake(lambda s: _backward([_framed(" [EOS] [SOS] ".join(s))]), "You counted [EOS] "
                    "before [SOS]: that pair crosses from one sentence into the next."),
            Mistake(lambda s: _backward([_framed(x) for x in s], once=True), "Each pair counts 1 "
                    "in your table. What if it occurs twice?"),
            Mistake(_pairs, "The counts are right, but filed under pairs. File them under the word "
                    "first, then under the word before it: counts[\"cat\"][\"one\"]."),
        ],
    )  # fmt: skip


def _after(function: Callable, convert: Callable) -> Callable:
    """Let a reader's function answer in another form; keep its name, and what is no answer yet."""

    @functools.wraps(function)
    def converted(*arguments):
        answer = function(*arguments)
        return answer if answer is None or answer is Ellipsis else convert(answer)

    return converted


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


def _continued(choose: Callable = max, prompted: bool = True, extra: int = 0) -> Callable:
    """Build a generator; a wrong one chooses otherwise, forgets the prompt, or stops too late."""

    def generate(counts, prompt, limit):
        row = [_START, *prompt] if prompted else [_START]
        while len(row) - 1 < limit + extra * len(prompt):
            options = counts[row[-1]]
            word = choose(options, key=options.get)
            if word == _END:
                break
            row.append(word)
        return " ".join(row[1:])

    return generate


def _with_end(counts, prompt, limit):
    text = _continued()(counts, prompt, limit)
    return text if len(text.split()) >= limit else f"{text} {_END}"


def _generation_problem(function: Callable, counts: dict, prompt: list, limit: int) -> str:
    """Say what is wrong before words are compared: an endless row, or counts that changed."""
    name, before = getattr(function, "__name__", "your function"), copy.deepcopy(counts)
    watched = _Watched(counts)
    try:
        answer = function(watched, prompt, limit)
    except _EndlessRowError:
        return (
            f"{name} never stops: it has asked for the next word {_ENDLESS} times, with a limit of "
            f"{limit} words. It must stop at {_END}, and also at the limit."
        )
    except KeyError as error:
        went_on = error.args == (_END,)
        return f"{name} asks what follows {_END}. Nothing does: stop there." if went_on else ""
    except Exception:  # the comparison that follows explains it
        return ""
    if dict(watched) != before:
        return (
            f"{name} changes the counts while it generates. Counting is training; generating only "
            "reads."
        )
    if isinstance(answer, str):
        return f"{name} returns one string; return a list of words."
    return ""


def check_continue(function: Callable) -> Verdict:
    """Check a generator that continues a prompt with the most frequent next word.

    Parameters
    ----------
    function : callable
        Takes counts (word, next word, how often), a prompt (list of words), and a limit; returns
        the prompt and its continuation, at most ``limit`` words in all, without marks.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 1.
    """
    ending = {
        _START: {"a": 2, "one": 1, "the": 3}, "the": {"dog": 2, "bird": 1, "cat": 4},
        "a": {"dog": 2}, "one": {"dog": 1}, "cat": {_END: 1, "sees": 2},
        "dog": {"barks": 1, _END: 5}, "sees": {"a": 3, "the": 1}, "barks": {_END: 1},
        "bird": {_END: 1},
    }  # fmt: skip
    circling = {_START: {"on": 1}, "on": {_END: 1, "and": 2}, "and": {"on": 3}}
    cases = [(ending, [], 20), (ending, ["a"], 20), (ending, ["the", "cat"], 9)]
    cases += [(circling, [], 7), (circling, ["on", "and"], 5)]
    for case in cases:
        problem = _generation_problem(function, *copy.deepcopy(case))
        if problem:
            return Verdict(False, problem)
    return check(
        _after(function, " ".join),
        right=_continued(),
        cases=cases,
        mistakes=[
            Mistake(_continued(prompted=False), "You begin at [SOS] every time. The prompt is the "
                    "beginning: go on from its last word."),
            Mistake(lambda c, p, n: " ".join(_continued()(c, p, n).split()[len(p):]), "Return the "
                    "whole row: the prompt, and then what you added."),
            Mistake(lambda c, p, n: f"{_START} {_continued()(c, p, n)}", "[SOS] is a mark, not a "
                    "word. Leave it out of what you return."),
            Mistake(_with_end, "[EOS] is a mark, not a word. Leave it out of what you return."),
            Mistake(lambda c, p, n: f"{_START} {_with_end(c, p, n)}", "[SOS] and [EOS] are marks, "
                    "not words. Leave them out of what you return."),
            Mistake(_continued(choose=min), "You take the rarest next word. Which one should it "
                    "be?"),
            Mistake(_continued(choose=lambda options, **_: next(iter(options))), "You take the "
                    "next word that was counted first. Which one is the most frequent?"),
            Mistake(_continued(extra=1), "The limit is for the whole row, the prompt included."),
        ],
    )  # fmt: skip


def check_neighbor_averages(function: Callable) -> Verdict:
    """Check the average of the other words' vectors, for every word of a sentence at once.

    Parameters
    ----------
    function : callable
        Takes an array of shape (words, numbers), returns one of the same shape.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 1.
    """
    rng = np.random.default_rng(14)

    def others(v):
        return v.sum(axis=0) - v

    return check(
        function,
        right=lambda v: others(v) / (len(v) - 1),
        cases=[(rng.standard_normal(shape),) for shape in [(4, 2), (3, 5), (6, 3)]],
        mistakes=[
            Mistake(lambda v: 0 * v + v.mean(axis=0), "Every word gets the same vector. The "
                    "average is over the others: leave the word itself out."),
            Mistake(others, "This is the sum of the others. Divide by how many they are."),
            Mistake(lambda v: others(v) / len(v), "How many others are there? One fewer than words "
                    "in the sentence."),
            Mistake(lambda v: (v.sum(axis=1, keepdims=True) - v) / (v.shape[1] - 1), "You averaged "
                    "over the numbers of one word. The words lie along the first axis."),
            Mistake(lambda v: v, "These are the static vectors. Nothing has been taken from the "
                    "neighbors."),
        ],
    )  # fmt: skip
