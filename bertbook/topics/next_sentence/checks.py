"""Exercises of Chapter 12: list the negatives of a pair, and compare two guessers."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise

_RNG = np.random.default_rng(12)


def _negatives(documents, number, place):
    following = documents[number][place + 1].casefold().split()
    others = [s for n, document in enumerate(documents) if n != number for s in document]
    return [s for s in others if s.casefold().split() != following]


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
    edges=[([*_STORIES, _STORIES[0]], 0, 0)],
    mistakes={
        ("if n != number →", "if n != number → || if s.casefold().split() != following →"): "Take "
            "sentences from the other documents only.",
        "if s.casefold().split() != following →": "One is a false negative.",
        "!= following → == following": "These are the ones that must not be drawn.",
        "if n != number → if n > number ¦ if n < number": "All other documents count.",
        "if n != number → if document != documents[number]": "Two documents may read alike. What "
            "tells them apart?",
        (".casefold().split() →", ".casefold() →", ".split() →"): "A capital or one more space "
            "makes no new text.",
        "s.casefold().split() != following → {*s.casefold().split()} != {*following} ¦ "
            "s.casefold().split()[0] != following[0] ¦ len(s.split()) != len(following)":
            "A text is all its words, in their order.",
        "→ list(dict.fromkeys(right(documents, number, place)))": "Repeat what repeats.",
        "place + 1 → place ¦ -1": "You leave out the text of another sentence. The one that must "
            "not be drawn is that of the next, documents[number][place + 1].",
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
        ("/ np.sqrt(len(gaps)) →", "np.sqrt(len(gaps)) → len(gaps) ¦ np.sqrt(len(gaps) - 1)",
            "gaps.std → gaps.var"): "Divide the standard deviation by the root of n.",
        "gaps.std(ddof=1) → np.sqrt(first.var(ddof=1) + second.var(ddof=1)) ¦ first.std(ddof=1)":
            "Both saw the same pairs: how do the differences spread?",
        "ddof=1 →": "Your spread divides by n. Among so few pairs it matters: n - 1, ddof=1.",
        "gaps.mean → gaps.sum ¦ abs(gaps).mean ¦ gaps[gaps != 0].mean":
            "Take the mean of all differences, with their sign.",
        TypeError: "numpy does not subtract True from True. Make numbers first: .astype(float).",
        ", gaps.std(…) / np.sqrt(len(gaps)) →": "Return the standard error as well. Is it luck?",
    },
)  # fmt: skip
