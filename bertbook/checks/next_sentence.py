"""Exercises of Chapter 12: list the negatives of a pair, and compare two guessers."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(12)


def _words(text):
    return text.casefold().split()


def _negatives(documents, number, place, *, own=False, same=_words, avoid=1, once=False):
    avoided = same(documents[number][place + avoid])
    found = [
        sentence
        for other, document in enumerate(documents)
        if own or other != number
        for sentence in document
        if same(sentence) != avoided
    ]
    return list(dict.fromkeys(found)) if once else found


_STORIES = [
    ["a dog barks", "It rains", "the dog runs home"],
    ["a boy waits", "it  rains", "the dog runs home"],
    ["the sun sets", "a dog barks", "it rains"],
    ["a boy waits", "rains it"],
]

check_negatives = Exercise(
    "List all sentences that may stand as the negative example of a pair.",
    _negatives,
    cases=[(_STORIES, number, place) for number in range(3) for place in range(2)],
    mistakes=[
        Mistake({"own": True}, "You also take sentences of the same document. Take them from the "
                "others only."),
        Mistake({"same": lambda text: object()}, "Among them is the text of the true next "
                "sentence, from another document: a false negative."),
        Mistake({"own": True, "same": lambda text: object()}, "You take all sentences there are, "
                "even the true next one."),
        Mistake({"same": as_it_is}, "You compare letter by letter. A capital or a second space "
                "hides a false negative from you."),
        Mistake({"same": str.casefold}, "Spaces still count with you. Compare the words: split the "
                "text."),
        Mistake({"same": str.split}, "Capitals still count with you."),
        Mistake({"same": lambda text: {*_words(text)}}, "You compare sets of words. Their order "
                "makes the text as well."),
        Mistake({"avoid": 0}, "You avoid the first sentence of the pair. Which text must not stand "
                "as a wrong one?"),
        Mistake({"once": True}, "A sentence that stands in two documents may be drawn from both: "
                "list it twice."),
    ],
)  # fmt: skip


def _paired_error(first, second):
    return (first - second).std(ddof=1) / np.sqrt(len(first))


def _better(first, second, *, error=_paired_error, gap=np.subtract):
    """Measure by how much one guesser is better than another, on the same pairs."""
    first, second = first.astype(float), second.astype(float)
    return gap(first, second).mean(), error(first, second)


def _better_case(count, both, rest):
    shared = _RNG.random(count) < both
    return shared | (_RNG.random(count) < rest), shared | (_RNG.random(count) < 0.2)


check_better = Exercise(
    "Measure by how much one guesser is better than another, and the standard error of that.",
    _better,
    cases=[_better_case(12, 0.4, 0.5), _better_case(40, 0.5, 0.3), _better_case(300, 0.6, 0.1)],
    mistakes=[
        Mistake({"error": lambda a, b: np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / len(a))}, "You "
                "take the two scores for independent. Both guessers saw the same pairs, hard and "
                "easy ones: take the differences pair by pair."),
        Mistake({"error": lambda a, b: (a - b).std(ddof=1)}, "That is the spread of one pair. The "
                "mean of n pairs has a standard error smaller by the root of n."),
        Mistake({"error": lambda a, b: (a - b).std(ddof=1) / len(a)}, "You divide by n. The mean "
                "of n pairs has a standard error smaller by the root of n."),
        Mistake({"error": lambda a, b: (a - b).var(ddof=1) / len(a)}, "That is the variance of the "
                "mean. Its root is the standard error."),
        Mistake({"error": lambda a, b: (a - b).std() / np.sqrt(len(a))}, "Your standard deviation "
                "divides by n. Among so few pairs it matters: n - 1, ddof=1."),
        Mistake({"error": lambda a, b: abs(a - b).std(ddof=1) / np.sqrt(len(a))}, "You take the "
                "sizes of the differences. Whose they are matters: keep the sign."),
        Mistake({"gap": lambda a, b: b - a}, "The sign is turned around: above 0 if the first one "
                "is better."),
        Mistake({"gap": lambda a, b: abs(a - b)}, "That is how often the two disagree. By how much "
                "is one of them better?"),
        Mistake(TypeError, "numpy does not subtract True from True. Make numbers of them first: "
                ".astype(float)."),
        Mistake(lambda a, b: _better(a, b)[0], "That is the difference. Return its standard error "
                "as well: without it nobody can say whether it is luck."),
    ],
)  # fmt: skip
