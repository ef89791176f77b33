"""Exercises of Chapter 1: averages of others, cosines, a sentence that turns."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .exercise import Exercise, attempt
from .verdict import Verdict

_RNG = np.random.default_rng(11)


def _cosines(vectors):
    lengths = np.sqrt((vectors**2).sum(axis=1))
    return vectors @ vectors.T / np.outer(lengths, lengths)


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
    mistakes={
        "/ np.outer(lengths, lengths) →": "These are the sums of products. A long vector gets a "
            "large one in any direction. By what do you divide?",
        ("np.outer(lengths, lengths) → lengths[:, None]", "np.outer(lengths, lengths) → lengths"):
            "You divide by one length only. Two vectors have two.",
        "np.outer → np.add.outer": "You divide by the sum of the two lengths. The formula has "
            "their product.",
        "np.outer(lengths, lengths) → lengths**2": "Each row is divided by the lengths of the "
            "columns, twice: broadcasting repeats a row. One of the two lengths must stand as a "
            "column, with keepdims=True.",
        "np.sqrt( → (": "You divide by squared lengths. Where is the square root?",
        ".sum(axis=1)) → .sum(axis=1)) ** 0.5": "You divide by roots of the lengths. One square "
            "root is enough: the product of two lengths needs no other.",
        "sum → mean": "Your length is the root of the mean of the squares. It should be the root "
            "of their sum.",
        "axis=1 →": "You took one length of the whole array. Each row has its own: along which "
            "axis do you sum?",
        "np.sqrt((vectors**2).sum(axis=1)) → abs(vectors).sum(axis=1)": "Your length is the sum of "
            "the numbers. It should be the root of the sum of their squares.",
        "→ v = vectors / np.sqrt((vectors**2).sum(axis=0)); return v @ v.T": "Your lengths are "
            "those of the columns. The vectors are the rows: along which axis do you sum?",
        ("→ np.arccos(np.clip(right(vectors), -1, 1))",
         "→ np.degrees(np.arccos(np.clip(right(vectors), -1, 1)))"): "That is an angle. The "
            "similarity is its cosine: 1 for the same direction.",
        "→ 1 - right(vectors)": "That is the distance, 1 minus the cosine. The same direction "
            "should give 1.",
        "→ right(vectors).round(2)": "You rounded. Rounding late is a good habit; here do not "
            "round at all.",
        "→ abs(right(vectors))": "You drop the signs. Vectors that point away from each other have "
            "a negative cosine.",
        "→ np.triu(right(vectors))": "You fill one half of the table. A pair has the same cosine "
            "in both orders, and both are asked for.",
        "→ np.sqrt(((vectors[:, None] - vectors) ** 2).sum(axis=-1))": "That is how far apart the "
            "tips of the vectors are. The cosine compares directions: what is multiplied?",
        "→ right(vectors - vectors.mean(axis=1, keepdims=True))": "You take the mean off each "
            "vector first. That is correlation, a relative of the cosine.",
        "→ right(vectors) ** 2": "These are the squares of the cosines. Which of your numbers is "
            "squared once too often?",
        "→ right(vectors) - np.identity(len(vectors))": "You left 0 for a vector with itself. Its "
            "cosine with itself belongs into the table as well: what is it?",
        "→ right(vectors.T)": "You compare columns with columns. The vectors are the rows.",
    },
)  # fmt: skip


def _averages(vectors):
    return (vectors.sum(axis=0) - vectors) / (len(vectors) - 1)


def _beside(vectors):
    """Average the words directly beside each word."""
    apart = abs(np.subtract.outer(np.arange(len(vectors)), np.arange(len(vectors)))) == 1
    return apart @ vectors / apart.sum(axis=1, keepdims=True)


def _to_the_left(vectors):
    """Average the words before each word; before the first there is none."""
    before = np.tril(np.ones((len(vectors), len(vectors))), -1)
    return before @ vectors / np.maximum(before.sum(axis=1, keepdims=True), 1)


check_neighbor_averages = Exercise(
    "Average the vectors of the other words, for every word of a sentence at once.",
    _averages,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4, 2), (3, 5), (6, 3)]],
    forbidden=["a loop"],
    mistakes={
        "→ 0 * vectors + vectors.mean(axis=0)": "Every word gets the same vector. The average is "
            "over the others: leave the word itself out.",
        "/ (len(vectors) - 1) →": "This is the sum of the others. Divide by how many they are.",
        ("(len(vectors) - 1) → len(vectors)", "len(vectors) - 1 → len(vectors) - 2",
         "len(vectors) - 1 → len(vectors) + 1"): "How many others are there? One fewer than words "
            "in the sentence.",
        "(len(vectors) - 1) → len(vectors) - 1": "Python divides before it subtracts: put brackets "
            "around len(…) - 1.",
        ("len(vectors) - 1 → vectors.shape[1]", "len(vectors) → vectors.shape[1]"): "You divide by "
            "the size of a vector. How many other words are there?",
        "→ 0 * vectors + vectors.sum(axis=0) / (len(vectors) - 1)": "The word itself is still in "
            "the sum. Take it off before you divide.",
        "→ vectors.sum(axis=0) / (len(vectors) - 1) - vectors": "You divide before you take the "
            "word off. Put brackets around the sum less the word.",
        "→ -right(vectors)": "The signs are turned around. Take the word off the sum, not the sum "
            "off the word.",
        "→ vectors.mean(axis=0) - vectors": "You take each word off the average of all. Take it "
            "off their sum, and then divide.",
        "axis=0 →": "Your sum is one number for the whole array. Along which axis do the words "
            "lie?",
        "→ (np.roll(vectors, 1, axis=0) + np.roll(vectors, -1, axis=0)) / 2": "You average two "
            "words for each. Here all other words of the sentence are neighbors.",
        _beside: "You average the words directly beside each word. Here all other words of the "
            "sentence are neighbors.",
        "- vectors) / (len(vectors) - 1) → + vectors) / (len(vectors) + 1)": "You count the word "
            "itself twice. Leave it out.",
        "→ vectors.sum(axis=0) - vectors / (len(vectors) - 1)": "Python divides before it "
            "subtracts: put brackets around the sum less the word.",
        "axis=0 → axis=1, keepdims=True": "You add the numbers of one word. The words lie along "
            "the first axis.",
        "→ right(vectors.T).T": "You averaged over the numbers of one word. The words lie along "
            "the first axis.",
        "→ vectors.mean(axis=0)": "That is one vector for the whole sentence. Each word has an "
            "average of its own, over the others.",
        "→ right(vectors) - vectors": "You take the word off a second time, after the division. "
            "Leave it out of the sum, and nothing more.",
        "len(vectors) - 1 → vectors.size - 1": "vectors.size counts all numbers of all vectors. "
            "How many words are there?",
        _to_the_left: "You average the words to the left. The words to the right are neighbors, "
            "too.",
        "→ right(vectors) / np.sqrt((right(vectors) ** 2).sum(axis=1, keepdims=True))": "You "
            "scaled each average to length 1. The average itself is wanted.",
        "→ right(vectors).T": "Your table is turned on its side: one row for each word is wanted.",
        "→ right(vectors)[0]": "You return the average for one word only. Which vectors must be "
            "taken off, so that each row loses its own?",
        "→ vectors": "These are the static vectors. Nothing has been taken from the neighbors.",
    },
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
