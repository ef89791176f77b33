"""Exercises of Chapter 12: list the negatives of a pair, and compare two guessers."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(12)


def _negatives(documents, number, place):
    following = documents[number][place + 1].casefold().split()
    return [
        sentence
        for other, document in enumerate(documents)
        if other != number
        for sentence in document
        if sentence.casefold().split() != following
    ]


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
    mistakes={
        "if other != number →": "You also take sentences of the same document. Take them from the "
            "others only.",
        "if sentence.casefold().split() != following →": "Among them is the text of the true next "
            "sentence, from another document: a false negative.",
        "if other != number → || if sentence.casefold().split() != following →": "You take all "
            "sentences there are, even the true next one.",
        ".casefold().split() →": "You compare letter by letter. A capital or a second space hides "
            "a false negative from you.",
        ".split() →": "Spaces still count with you. Compare the words: split the text.",
        ".casefold() →": "Capitals still count with you.",
        ("sentence.casefold().split() != following → {*sentence.casefold().split()} != "
         "{*following}"): "You compare sets of words. Their order makes the text as well.",
        "place + 1 → place": "You avoid the first sentence of the pair. Which text must not stand "
            "as a wrong one?",
        "→ list(dict.fromkeys(right(documents, number, place)))": "A sentence that stands in two "
            "documents may be drawn from both: list it twice.",
    },
)  # fmt: skip


def _better(first, second):
    gaps = first.astype(float) - second.astype(float)
    return gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps))


def _better_case(count, both, rest):
    shared = _RNG.random(count) < both
    return shared | (_RNG.random(count) < rest), shared | (_RNG.random(count) < 0.2)


check_better = Exercise(
    "Measure by how much one guesser is better than another, and the standard error of that.",
    _better,
    cases=[_better_case(12, 0.4, 0.5), _better_case(40, 0.5, 0.3), _better_case(300, 0.6, 0.1)],
    mistakes={
        "gaps.std(ddof=1) → np.sqrt(first.var(ddof=1) + second.var(ddof=1))": "You take the two "
            "scores for independent. Both guessers saw the same pairs, hard and easy ones: take "
            "the differences pair by pair.",
        "/ np.sqrt(len(gaps)) →": "That is the spread of one pair. The mean of n pairs has a "
            "standard error smaller by the root of n.",
        "np.sqrt(len(gaps)) → len(gaps)": "You divide by n. The mean of n pairs has a standard "
            "error smaller by the root of n.",
        "gaps.std(ddof=1) / np.sqrt(len(gaps)) → gaps.var(ddof=1) / len(gaps)": "That is the "
            "variance of the mean. Its root is the standard error.",
        "ddof=1 →": "Your standard deviation divides by n. Among so few pairs it matters: n - 1, "
            "ddof=1.",
        "gaps.std → abs(gaps).std": "You take the sizes of the differences. Whose they are "
            "matters: keep the sign.",
        ("first.astype(float) - second.astype(float) → second.astype(float) - "
         "first.astype(float)"): "The sign is turned around: above 0 if the first one is better.",
        "gaps.mean → abs(gaps).mean": "That is how often the two disagree. By how much is one of "
            "them better?",
        TypeError: "numpy does not subtract True from True. Make numbers of them first: "
            ".astype(float).",
        ", gaps.std(ddof=1) / np.sqrt(len(gaps)) →": "That is the difference. Return its standard "
            "error as well: without it nobody can say whether it is luck.",
    },
)  # fmt: skip
