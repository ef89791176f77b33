"""Exercise of Chapter 15: whether a loader can be trusted."""

from __future__ import annotations

import math

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


def _counting(shapes):
    """Let a file count through all of its tensors, so that no number comes twice."""
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    numbers = np.split(np.arange(ends[-1], dtype=float), ends[:-1])
    return {name: n.reshape(shapes[name]) for name, n in zip(shapes, numbers)}


def _each_from_zero(shapes):
    return {n: np.arange(float(math.prod(s))).reshape(s) for n, s in shapes.items()}


def _is_trusted(load, shapes, *, file=_counting, equal=np.array_equal):
    """Load a file into a model of NaN, and compare."""
    target, tensors = {n: np.full(s, np.nan) for n, s in shapes.items()}, file(shapes)
    load(target, tensors)
    return all(equal(target[name], tensors[name]) for name in shapes)


_SHAPES = {"query.weight": (3, 3), "key.weight": (3, 3), "dense.weight": (2, 3),
           "LayerNorm.weight": (3,)}  # fmt: skip

check_trust = Exercise(
    "Say whether a loader brings every number of a file to its place.",
    _is_trusted,
    cases=[
        (load, _SHAPES)
        for load in (_key_by_key, _turning, _passing_over, _crossing, _backwards)
    ],
    edges=[(_turning, {"dense.weight": (2, 3)}), (_crossing, {"query.weight": (2, 2),
                                                              "key.weight": (2, 2)})],
    mistakes=[
        Mistake({"equal": lambda mine, theirs: not np.isnan(mine).any()}, "A loader that "
                "turns squares passes. Do you ask only whether each number was overwritten, or "
                "are all numbers of your file equal?"),
        Mistake({"file": _each_from_zero}, "Your tensors all begin with the same numbers. One of "
                "the loaders exchanges two of one shape, and passes."),
        Mistake({"equal": lambda mine, theirs: mine.sum() == theirs.sum()}, "You compare sums, or "
                "which numbers there are. The same numbers in another order pass."),
        Mistake({"equal": lambda mine, theirs: not np.array_equal(mine, theirs)}, "Turned around: "
                "return True for a loader that can be trusted."),
        Mistake(lambda load, shapes: True, "You trust everybody, or compare shapes, which say "
                "nothing about the numbers. Which of the loaders turns squares?"),
        Mistake(lambda load, shapes: False, "You trust nobody. One of the loaders is right."),
        Mistake(KeyError, "A loader asks for a name that is not there. Make a tensor for each "
                "name in shapes, in the target and in the file."),
    ],
)  # fmt: skip
