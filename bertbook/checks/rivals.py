"""Exercise of Chapter 18: a rival of a head, one that reads no sentence."""

from __future__ import annotations

from functools import partial

import numpy as np

from .exercise import Exercise, Mistake

_RNG = np.random.default_rng(180)


def _cosines(pronoun, names):
    return names @ pronoun / np.linalg.norm(names, axis=1) / np.linalg.norm(pronoun)


def _rival(pronoun, names, *, alike=_cosines, pick=np.argmax, first=0):
    return pick(alike(np.asarray(pronoun), np.asarray(names))) + first


def _rival_case(names):
    rows = _RNG.normal(size=(names, 3)) * _RNG.choice([0.5, 1, 4], size=(names, 1))
    return np.round(_RNG.normal(size=3), 2), np.round(rows, 2)


check_rival = Exercise(
    "Return the number of the name whose row is most like the pronoun's.",
    _rival,
    cases=[*(_rival_case(names) for names in (2, 3, 4, 5, 5, 6, 7, 8)),
           (np.array([3.0, 1, -2]), np.array([[-3.0, 0, -2], [0, 0, 2], [-3, 1, -1], [-2, 1, 1]])),
           (np.array([3.0, 2, 2]), np.array([[2.0, 4, 1], [2, 0, 4], [0, 4, -4], [4, -1, 4]]))],
    mistakes=[
        Mistake({"alike": lambda pronoun, names: names @ pronoun}, "Then a long row is like "
                "everybody. The cosine divides by both lengths."),
        *(Mistake({"alike": lambda pronoun, names, by=by: -np.linalg.norm(names - pronoun, by,
                  axis=1)}, "That is the name at the smallest distance. A short row is near "
                  "everybody: take the cosine.") for by in (2, 1)),
        Mistake(partial(_rival, alike=lambda pronoun, names: np.linalg.norm(names - pronoun,
                axis=1)), "That is the name at the largest distance. Take the cosine, which is "
                "large where two rows are alike."),
        *(Mistake(partial(_rival, alike=alike), "You divide by the lengths of columns. A name is a "
                  "row: axis=1.") for alike in (
                  lambda pronoun, names: (names / np.linalg.norm(names, axis=0)) @ pronoun,
                  lambda pronoun, names: names @ pronoun / np.linalg.norm(names, axis=0))),
        Mistake(partial(_rival, alike=lambda pronoun, names: names @ pronoun / (names**2).sum(1)),
                "You divide by the square of the length. Where is the root?"),
        Mistake(partial(_rival, alike=lambda pronoun, names: np.corrcoef(pronoun, names)[0, 1:]),
                "That is a correlation, which takes the mean away first. The cosine does not."),
        *(Mistake(partial(_rival, alike=lambda pronoun, names, of=of: of(names, axis=1)), "You "
                  "look at the names alone. Where is the "
                  "pronoun?") for of in (np.linalg.norm, np.sum)),
        Mistake(partial(_rival, alike=lambda pronoun, names: names.T @ pronoun), "Each row of "
                "names is multiplied by the pronoun. Which axis does .T put last?"),
        Mistake(lambda pronoun, names: names[_rival(pronoun, names)], "That is the row. Which name "
                "has it?"),
        Mistake({"pick": np.argsort}, "That is the order of all names, from the least alike. Which "
                "one comes last?"),
        Mistake({"alike": lambda *rows: np.abs(_cosines(*rows))}, "A cosine near −1 is as unlike "
                "as can be. Leave its sign."),
        Mistake({"pick": np.argmin}, "That is the name which is least like the pronoun."),
        *(Mistake(lambda pronoun, names, by=by: _cosines(pronoun, names).max() * by(pronoun),
                  "That is the largest likeness. Which name has it?")
          for by in (lambda pronoun: 1, np.linalg.norm)),
        *(Mistake(partial(_rival, alike=lambda pronoun, names, by=by: names @ pronoun /
                  np.linalg.norm(names, by, axis=1)), "That is another length of a row. The length "
                  "is the root of the sum of all squares.") for by in (1, np.inf)),
        *(Mistake(lambda pronoun, names, by=by: _cosines(pronoun, names) * by(pronoun), "These are "
                  "the likenesses. Which name has the largest?")
          for by in (lambda pronoun: 1, np.linalg.norm)),
        Mistake({"first": 1}, "Names are counted from 0."),
    ],
)  # fmt: skip
