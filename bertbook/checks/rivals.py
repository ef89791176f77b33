"""Exercise of Chapter 18: a rival of a head, one that reads no sentence."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

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
    cases=[_rival_case(names) for names in (2, 3, 4, 5, 5, 6)],
    mistakes=[
        Mistake({"alike": lambda pronoun, names: names @ pronoun}, "Then a long row is like "
                "everybody. The cosine divides by both lengths."),
        Mistake({"alike": lambda pronoun, names: -np.linalg.norm(names - pronoun, axis=1)},
                "That is the name at the smallest distance. A short row is near everybody: take "
                "the cosine."),
        Mistake({"alike": lambda *rows: np.abs(_cosines(*rows))}, "A cosine near −1 is as unlike "
                "as can be. Leave its sign."),
        Mistake({"pick": np.argmin}, "That is the name which is least like the pronoun."),
        Mistake({"pick": np.max}, "That is the largest cosine. Which name has it?"),
        Mistake({"pick": as_it_is}, "These are the cosines. Which name has the largest?"),
        Mistake({"first": 1}, "Names are counted from 0."),
    ],
)  # fmt: skip
