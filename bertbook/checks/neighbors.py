"""Exercises of Chapter 1: averages of others, cosines, a sentence that turns, a guesser."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from bertbook.corpus import hundred_sentences

from .compare import short_text
from .exercise import Exercise, Mistake, as_it_is, attempt
from .slips import forbidden_way
from .verdict import Verdict

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
        Mistake({"both": lambda a, b: b * b}, "Each row is divided by the lengths of the columns, "
                "twice: broadcasting repeats a row. One of the two lengths must stand as a column, "
                "with keepdims=True."),
        Mistake({"length": lambda v: _lengths(v) ** 2}, "You divide by squared lengths. Where is "
                "the square root?"),
        Mistake({"length": lambda v: np.sqrt(_lengths(v))}, "You divide by roots of the lengths. "
                "One square root is enough: the product of two lengths needs no other."),
        Mistake({"length": lambda v: np.sqrt((v**2).mean(axis=1, keepdims=True))}, "Your length "
                "is the root of the mean of the squares. It should be the root of their sum."),
        Mistake({"length": lambda v: np.sqrt((v**2).sum(keepdims=True))}, "You took one length of "
                "the whole array. Each row has its own: along which axis do you sum?"),
        Mistake({"length": lambda v: abs(v).sum(axis=1, keepdims=True)}, "Your length is the sum "
                "of the numbers. It should be the root of the sum of their squares."),
        Mistake(lambda v: (v / np.sqrt((v**2).sum(axis=0))) @ (v / np.sqrt((v**2).sum(axis=0))).T,
                "Your lengths are those of the columns. The vectors are the rows: along which "
                "axis do you sum?"),
        Mistake({"angle": lambda c: np.radians(_degrees(c))}, "That is an angle. The similarity is "
                "its cosine: 1 for the same direction."),
        Mistake({"angle": _degrees}, "That is an angle. The similarity is its cosine: 1 for the "
                "same direction."),
        Mistake({"angle": lambda c: 1 - c}, "That is the distance, 1 minus the cosine. The same "
                "direction should give 1."),
        Mistake({"angle": lambda c: c.round(2)}, "You rounded. Rounding late is a good habit; here "
                "do not round at all."),
        Mistake({"angle": np.abs}, "You drop the signs. Vectors that point away from each other "
                "have a negative cosine."),
        Mistake({"angle": np.triu}, "You fill one half of the table. A pair has the same cosine in "
                "both orders, and both are asked for."),
        Mistake(lambda v: np.sqrt(((v[:, None] - v) ** 2).sum(axis=-1)), "That is how far apart "
                "the tips of the vectors are. The cosine compares directions: what is multiplied?"),
        Mistake({"center": True}, "You take the mean off each vector first. That is correlation, a "
                "relative of the cosine."),
        Mistake(lambda v: _cosines(v.T), "You compare columns with columns. The vectors are the "
                "rows."),
    ],
)  # fmt: skip


def _averages(v, *, others=1, axis=0, divided=True):
    total, count = v.sum(axis=axis, keepdims=True), v.shape[axis]
    return (total - others * v) / (count - others if divided else 1)


def _averages_of(n):
    """Divide the sum of the others by another number than there are of them."""
    return lambda v: _averages(v, divided=False) / n(v)


def _beside(v):
    """Average the words directly beside each word."""
    apart = abs(np.subtract.outer(np.arange(len(v)), np.arange(len(v)))) == 1
    return apart @ v / apart.sum(axis=1, keepdims=True)


check_neighbor_averages = Exercise(
    "Average the vectors of the other words, for every word of a sentence at once.",
    _averages,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4, 2), (3, 5), (6, 3)]],
    forbidden=["a loop"],
    mistakes=[
        Mistake(lambda v: 0 * v + v.mean(axis=0), "Every word gets the same vector. The average is "
                "over the others: leave the word itself out."),
        Mistake({"divided": False}, "This is the sum of the others. Divide by how many they are."),
        Mistake(_averages_of(len), "How many others are there? One "
                "fewer than words in the sentence."),
        Mistake(lambda v: _averages_of(len)(v) - 1, "Python divides before it "
                "subtracts: put brackets around len(…) - 1."),
        *(Mistake(_averages_of(n), "You divide by the size of a vector. How many other words are "
                  "there?") for n in (lambda v: v.shape[1], lambda v: v.shape[1] - 1)),
        *(Mistake(_averages_of(n), "How many others are there? One fewer than words in the "
                  "sentence.") for n in (lambda v: len(v) - 2, lambda v: len(v) + 1)),
        Mistake(lambda v: 0 * v + v.sum(axis=0) / (len(v) - 1), "The word itself is still in the "
                "sum. Take it off before you divide."),
        Mistake(lambda v: v.sum(axis=0) / (len(v) - 1) - v, "You divide before you take the word "
                "off. Put brackets around the sum less the word."),
        Mistake(lambda v: -_averages(v), "The signs are turned around. Take the word off the sum, "
                "not the sum off the word."),
        Mistake(lambda v: v.mean(axis=0) - v, "You take each word off the average of all. Take it "
                "off their sum, and then divide."),
        Mistake(lambda v: (v.sum() - v) / (len(v) - 1), "Your sum is one number for the whole "
                "array. Along which axis do the words lie?"),
        Mistake(lambda v: (np.roll(v, 1, axis=0) + np.roll(v, -1, axis=0)) / 2, "You average two "
                "words for each. Here all other words of the sentence are neighbors."),
        Mistake(_beside, "You average the words directly beside each word. Here all other words of "
                "the sentence are neighbors."),
        Mistake({"others": -1}, "You count the word itself twice. Leave it out."),
        Mistake(lambda v: v.sum(axis=0) - v / (len(v) - 1), "Python divides before it subtracts: "
                "put brackets around the sum less the word."),
        Mistake(lambda v: (v.sum(axis=1, keepdims=True) - v) / (len(v) - 1), "You add the numbers "
                "of one word. The words lie along the first axis."),
        Mistake({"axis": 1}, "You averaged over the numbers of one word. The words lie along the "
                "first axis."),
        Mistake(lambda v: v.mean(axis=0), "That is one vector for the whole sentence. Each word "
                "has an average of its own, over the others."),
        Mistake(lambda v: v, "These are the static vectors. Nothing has been taken from the "
                "neighbors."),
    ],
)  # fmt: skip

_OF_COMPUTERS = {"computer", "digital", "signal", "information"}


def check_sentence(function: Callable, static: dict) -> Verdict:
    """Check a sentence about a pie whose *light* leans toward *digital* when it is averaged."""
    answer, problem = attempt(function)
    if not problem:
        several = hasattr(answer, "__iter__") and not isinstance(answer, str)
        parts = answer if several else [answer]
        words = re.findall(r"\w+", " ".join(map(str, parts)).lower())
        problem = _sentence_problem(words, static)
    if problem:
        return Verdict(False, problem)
    others = np.array([static[word] for word in words if word != "light"])
    near, far = (_cosine(others.mean(axis=0), static[word]) for word in ("cherry", "digital"))
    told = f"its light has cosine {near:.2f} with cherry and {far:.2f} with digital."
    if far > near:
        return Verdict(True, f"Right: {told}")
    hint = "Which words were seen in the sentences with computer only, and seem harmless?"
    return Verdict(False, f"Not yet: {told} {hint}")


def _cosine(a, b):
    return np.dot(a, b) / np.sqrt(np.dot(a, a) * np.dot(b, b))


def _sentence_problem(words: list[str], static: dict) -> str:
    """Return which condition a sentence does not keep; empty if it keeps all."""
    if unknown := [word for word in words if word not in static]:
        return f"{unknown[0]!r} does not stand in the tiny corpus, so it has no vector."
    if banned := sorted(_OF_COMPUTERS & {*words}):
        return f"{banned[0]!r} is not allowed: that would be too easy."
    if words.count("light") != 1:
        return f"The sentence has light {words.count('light')} times; it should have it once."
    return "" if "pie" in words else "The sentence should be about a pie, and have the word."


_GOAL = 0.45


def check_guess(function: Callable) -> Verdict:
    """Check a guesser of hidden words on all sentences, each when it is new to it."""
    if way := forbidden_way(function, ["hundred_sentences"]):
        return Verdict(False, f"Only the 99 sentences may be used, and it asks for {way}.")
    sentences, hits, count = hundred_sentences(), 0, 0
    for left_out in sentences:
        others, words = [s for s in sentences if s != left_out], left_out.split()
        for i, word in enumerate(words):
            guess, problem = attempt(function, others, words[:i], words[i + 1 :])
            if not problem and not isinstance(guess, str):
                problem = f"It should return one word, a string; it returns {short_text(guess)}."
            if "IndexError" in problem:
                problem += " The first word has nothing to its left, the last nothing to its right."
            if problem:
                return Verdict(False, problem)
            hits, count = hits + (guess == word), count + 1
    return _rated(hits / count)


def _rated(rate: float) -> Verdict:
    told = f"right in {rate:.1%} of the cases."
    if rate >= _GOAL:
        return Verdict(True, f"Right: {told} The left neighbor alone reaches 41.1%.")
    if rate < 0.32:
        hint = "Whoever always says “the” reaches 31.2%. What do the neighbors tell?"
    elif rate < 0.42:
        hint = "One neighbor alone reaches about that. Use both."
    else:
        hint = "What does it do where the two neighbors were never seen around one word?"
    return Verdict(False, f"Not yet: {told} {hint}")
