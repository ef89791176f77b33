"""Exercise of Chapter 18: a rival of a head, one that reads no sentence."""

from __future__ import annotations

import numpy as np
from numpy.linalg import norm

from .exercise import Exercise

_RNG = np.random.default_rng(180)


def _rival(pronoun, names):
    cosines = names @ pronoun / norm(names, axis=1)
    return cosines.argmax()  # the pronoun's length is the same for all


def _rival_case(names):
    rows = _RNG.normal(size=(names, 3)) * _RNG.choice([0.5, 1, 4], size=(names, 1))
    return np.round(_RNG.normal(size=3), 2), np.round(rows, 2)


check_rival = Exercise(
    "Return the number of the name whose row is most like the pronoun's.",
    _rival,
    cases=[*(_rival_case(names) for names in (2, 3, 4, 5, 5, 6, 7, 8)),
           (np.array([3.0, 1, -2]), np.array([[-3.0, 0, -2], [0, 0, 2], [-3, 1, -1], [-2, 1, 1]])),
           (np.array([3.0, 2, 2]), np.array([[2.0, 4, 1], [2, 0, 4], [0, 4, -4], [4, -1, 4]]))],
    mistakes={
        "/ norm(names, axis=1) →": "Then a long row is like everybody. The cosine divides by both "
            "lengths.",
        ("names @ pronoun / norm(names, → -norm(names - pronoun,",
            "names @ pronoun / norm(names, → -norm(names - pronoun, 1,"):
            "That is the name at the smallest distance. A short row is near everybody: take the "
            "cosine.",
        "names @ pronoun / norm(names, → norm(names - pronoun,": "That is the name at the largest "
            "distance. Take the cosine, which is large where two rows are alike.",
        ("names @ pronoun / norm(names, axis=1) → names / norm(names, axis=0) @ pronoun",
            "axis=1 → axis=0"): "You divide by the lengths of columns. A name is a row: axis=1.",
        "axis=1) → axis=1) ** 2": "You divide by the square of the length. Where is the root?",
        "names @ pronoun / norm(names, axis=1) → np.corrcoef(pronoun, names)[0, 1:]":
            "That is a correlation, which takes the mean away first. The cosine does not.",
        ("names @ pronoun / →", "names @ pronoun / norm(names, axis=1) → names.sum(axis=1)"):
            "You look at the names alone. Where is the pronoun?",
        "names @ pronoun / norm(names, axis=1) → names.T @ pronoun": "Each row of names is "
            "multiplied by the pronoun. Which axis does .T put last?",
        "cosines.argmax() → names[cosines.argmax()]": "That is the row. Which name has it?",
        "argmax → argsort": "That is the order of all names, from the least alike. Which one comes "
            "last?",
        "cosines.argmax → abs(cosines).argmax": "A cosine near −1 is as unlike as can be. Leave "
            "its sign.",
        "argmax → argmin": "That is the name which is least like the pronoun.",
        ("argmax() → max()", "argmax() → max() / norm(pronoun)"): "That is the largest likeness. "
            "Which name has it?",
        ("names, axis → names, 1, axis", "names, axis → names, np.inf, axis"):
            "That is another length of a row. The length is the root of the sum of all squares.",
        (".argmax() →", ".argmax() → / norm(pronoun)"): "These are the likenesses. Which name has "
            "the largest?",
        "argmax() → argmax() + 1": "Names are counted from 0.",
    },
)  # fmt: skip
