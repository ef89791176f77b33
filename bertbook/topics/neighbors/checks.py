"""Exercises of Chapter 1: averages of others, cosines, a sentence that turns."""

import re
from collections.abc import Callable

import numpy as np

from bertbook.core.exercises.exercise import Exercise, attempt
from bertbook.core.exercises.verdict import Verdict

_RNG = np.random.default_rng(11)


def _cosines(vectors):
    lengths = np.sqrt((vectors**2).sum(axis=1))
    return vectors @ vectors.T / np.outer(lengths, lengths)


check_cosines = Exercise(
    "Compute the cosine similarity of every row with every row.",
    _cosines,
    cases=[(np.array([[1.0, 5.0], [1.0, 4.0], [5.0, 1.0]]),), (_RNG.standard_normal((4, 3)),),
           (_RNG.standard_normal((3, 5)),)],
    forbidden=["a loop"], rtol=1e-5,
    mistakes={
        "→ np.triu(right(vectors))": "A pair has a cosine in both orders. Fill both halves.",
        "/ np.outer(…) →": "Long vectors give large sums. By what do you divide?",
        ("np.outer(…) → lengths[:, None] ¦ lengths", "np.outer → np.add.outer"):
            "Divide each product by both lengths: of its row and of its column.",
        ("np.sqrt( → (", "sum(axis=1)) → sum(axis=1)) ** 0.5"): "How many roots has a length?",
        "sum → mean": "Your length is the root of a mean. It should be that of a sum.",
        ("axis=1 →", "→ v = vectors / np.linalg.norm(vectors, axis=0); return v @ v.T"):
            "Each row has a length of its own: along which axis do you sum?",
        "np.sqrt(…) → abs(vectors).sum(axis=1) ¦ vectors.sum(axis=1)": "Where is the root?",
        "→ np.arccos(right(vectors).clip(-1, 1)) ¦ np.degrees(np.arccos(right(vectors).clip(-1, "
            "1)))": "That is an angle. The similarity is its cosine.",
        "→ abs(right(vectors))": "You drop the signs. Opposite vectors have a negative cosine.",
        "→ np.linalg.norm(vectors[:, None] - vectors, axis=-1)": "That is a distance.",
        "→ np.corrcoef(vectors)": "You take the mean off each vector first: that is correlation.",
    },
)  # fmt: skip


def _averages(vectors):
    return (vectors.sum(axis=0) - vectors) / (len(vectors) - 1)


check_neighbor_averages = Exercise(
    "Average the vectors of the other words, for every word of a sentence at once.",
    _averages,
    cases=[(_RNG.standard_normal(shape),) for shape in [(4, 2), (3, 5), (6, 3)]],
    forbidden=["a loop"],
    mistakes={
        "→ 0 * vectors + vectors.mean(axis=0) ¦ vectors.mean(axis=0) ¦ 0 * vectors + "
            "vectors.sum(axis=0) / (len(vectors) - 1)": "Take each word itself off the sum.",
        "/ (len(vectors) - 1) →": "This is the sum of the others. Divide by how many they are.",
        "len(vectors) - 1 → len(vectors) ¦ vectors.shape[1]": "How many other words has the "
            "sentence?",
        "→ vectors.sum(axis=0) / (len(vectors) - 1) - vectors ¦ vectors.sum(axis=0) - vectors / "
            "(len(vectors) - 1)": "What is divided?",
        "→ vectors - vectors.mean(axis=0) ¦ vectors.mean(axis=0) - vectors / (len(vectors) - 1)":
            "Subtract before you average.",
        ("→ right(vectors.T).T", "axis=0 → axis=1, keepdims=True", "axis=0 →"): "Which axis holds "
            "the words?",
        "→ (np.roll(vectors, 1, axis=0) + np.roll(vectors, -1, axis=0)) / 2":
            "The others are all other words, not only the two beside it.",
        "→ right(vectors) - vectors ¦ -right(vectors)": "How often is the word taken off the sum?",
        "/ (len(vectors) - 1) → // (len(vectors) - 1)": "One / divides; two round down.",
        "→ vectors": "These are the static vectors. Nothing has been taken from the neighbors.",
    },
)  # fmt: skip

_OF_COMPUTERS = {"computer", "digital", "signal", "information"}


def check_sentence(function: Callable, static: dict) -> Verdict:
    """Check a sentence about a pie whose *light* leans toward *digital* when it is averaged.

    Args:
        function: Yours: it takes nothing and returns the sentence.
        static: The vector of each word of the tiny corpus; shape (dim,).

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    answer, problem = attempt(function)
    parts = [answer] if isinstance(answer, str) or not hasattr(answer, "__iter__") else answer
    words = re.findall(r"\w+", " ".join(map(str, parts)).lower())
    if problem := problem or _sentence_problem(words, static):
        return Verdict(False, problem)
    others = np.array([static[word] for word in words if word != "light"])
    near, far = (_cosine(others.mean(axis=0), static[word]) for word in ("cherry", "digital"))
    message = f"its light has cosine {near:.2f} with cherry and {far:.2f} with digital."
    if far > near:
        return Verdict(True, f"Right: {message}")
    return Verdict(False, f"Not yet: {message} Which harmless words stand with computer only?")


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
