"""Exercise of Chapter 15: whether a loader can be trusted."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial

import numpy as np

from .exercise import Exercise, Mistake


def _key_by_key(target, tensors):
    for name in target:
        target[name][...] = tensors[name]


def _turning(target, tensors):
    for name, tensor in tensors.items():
        fits = tensor.ndim == 2 and tensor.T.shape == target[name].shape
        target[name][...] = tensor.T if fits else tensor


def _passing_over(target, tensors):
    for name in target:
        if "LayerNorm" not in name:
            target[name][...] = tensors[name]


def _crossing(target, tensors):
    other = {"query.weight": "key.weight", "key.weight": "query.weight"}
    for name in target:
        target[name][...] = tensors[other.get(name, name)]


def _backwards(target, tensors):
    for name in target:
        target[name].flat = tensors[name].flat[::-1]


def _by_columns(target, tensors):
    for name, tensor in tensors.items():
        target[name].flat = tensor.ravel(order="F")


def _counting(shapes):
    """Let a file count through all of its tensors, so that no number comes twice."""
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    numbers = np.split(np.arange(ends[-1], dtype=float), ends[:-1])
    return {name: n.reshape(shapes[name]) for name, n in zip(shapes, numbers)}


def _each_from_zero(shapes):
    return {n: np.arange(float(math.prod(s))).reshape(s) for n, s in shapes.items()}


def _alike_when_turned(shapes):
    return {n: np.indices(s).sum(axis=0) * 1.0 for n, s in shapes.items()}


def _plus_turned(shapes):
    """Let each square of the file be equal to its transpose."""
    return {n: t + t.T if {*t.shape} == {t.shape[0]} else t for n, t in _counting(shapes).items()}


def _empty(tensors):
    return {name: np.full_like(tensor, np.nan) for name, tensor in tensors.items()}


def _ends(tensor):
    return tensor.flat[0], tensor.flat[-1]


def _is_trusted(load, shapes, *, file=_counting, equal=np.array_equal, model=_empty,
                which: Callable = list, many=all):  # fmt: skip
    """Load a file into a model of NaN, and compare."""
    tensors = file(shapes)
    target = model(tensors)
    load(target, tensors)
    return many([equal(target[name], tensors[name]) for name in which(shapes)])


_SHAPES = {"query.weight": (3, 3), "key.weight": (3, 3), "dense.weight": (2, 3),
           "LayerNorm.weight": (3,)}  # fmt: skip

check_trust = Exercise(
    "Say whether a loader brings every number of a file to its place.",
    _is_trusted,
    cases=[
        (load, _SHAPES)
        for load in (_key_by_key, _turning, _passing_over, _crossing, _backwards, _by_columns)
    ] + [(_backwards, {"LayerNorm.weight": (3,)}),
         (_passing_over, {"LayerNorm.weight": (3,), "query.weight": (2, 2)})],
    edges=[(_turning, {"dense.weight": (2, 3)}), (_crossing, {"query.weight": (2, 2),
                                                              "key.weight": (2, 2)}),
           (_backwards, {"dense.weight": (2, 3), "query.weight": (1, 1)})],
    mistakes=[
        Mistake({"equal": lambda mine, theirs: not np.isnan(mine).any()}, "A loader that "
                "turns squares passes. Do you ask only whether each number was overwritten, or "
                "are all numbers of your file equal?"),
        Mistake({"file": _each_from_zero}, "Your tensors all begin with the same numbers. One of "
                "the loaders exchanges two of one shape, and passes."),
        Mistake({"equal": lambda mine, theirs: mine.sum() == theirs.sum()}, "You compare sums, or "
                "which numbers there are, or all numbers of a tensor are equal. The same numbers "
                "in another order pass."),
        Mistake({"equal": lambda mine, theirs: not np.array_equal(mine, theirs)}, "Turned around: "
                "return True for a loader that can be trusted."),
        Mistake(partial(_is_trusted, model=copy.deepcopy), "A loader that passes over LayerNorms "
                "is trusted. Does your target hold the right numbers from the start?"),
        Mistake(partial(_is_trusted, which=lambda shapes: [n for n in shapes if len(shapes[n]) ==
                2]), "You look at matrices alone. A loader may spoil a vector."),
        *(Mistake(partial(_is_trusted, which=lambda shapes, at=at: [*shapes][at]), f"You look at "
                  f"one tensor, the {place}. Does the return stand where all have been seen?")
          for place, at in (("first", slice(1)), ("last", slice(-1, None)))),
        *(Mistake(partial(_is_trusted, file=file), "A loader that turns squares passes. Are yours "
                  "the same when turned?") for file in (_plus_turned, _alike_when_turned)),
        Mistake(partial(_is_trusted, equal=lambda a, b: (a == b).any()), "One number in its place "
                "is enough for you. All of them must be."),
        Mistake(partial(_is_trusted, many=list), "These are the answers for all tensors. Join them "
                "to one, by all()."),
        Mistake(partial(_is_trusted, many=any), "One tensor in its place is enough for you. All of "
                "them must be."),
        *(Mistake(partial(_is_trusted, equal=lambda a, b, at=at: _ends(a)[:at] == _ends(b)[:at]),
                  "You compare numbers at the ends. In a turned matrix they keep their places.")
          for at in (1, 2)),
        Mistake(partial(_is_trusted, which=lambda shapes: [
                n for n in shapes if len({*shapes[n]}) == 1]), "You look at squares alone. A "
                "loader may spoil the others."),
        Mistake(lambda load, shapes: not _is_trusted(load, shapes), "Turned around: return True "
                "for a loader that can be trusted."),
        Mistake(lambda load, shapes: True, "You trust everybody, or compare shapes, which say "
                "nothing about the numbers. Which of the loaders turns squares?"),
        Mistake(lambda load, shapes: False, "You trust nobody. One of the loaders is right. Do you "
                "call load, and with target first?"),
        Mistake(KeyError, "A loader asks for a name that is not there. Make a tensor for each "
                "name in shapes, in the target and in the file."),
    ],
)  # fmt: skip
