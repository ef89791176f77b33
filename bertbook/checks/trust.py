"""Exercise of Chapter 15: whether a loader can be trusted."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise


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


def _is_trusted(load, shapes):
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    target = {name: np.full(shape, np.nan) for name, shape in shapes.items()}
    load(target, tensors)
    return all(np.array_equal(target[name], tensors[name]) for name in shapes)


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
    mistakes={
        "np.array_equal(target[name], tensors[name]) → not np.isnan(target[name]).any()":
            "A loader that turns squares passes. Do you ask only whether each number was "
            "overwritten, or are all numbers of your file equal?",
        "rng.normal(size=shape) → np.arange(np.prod(shape)).reshape(shape)":
            "Your tensors all begin with the same numbers. One of the loaders exchanges two of one "
            "shape, and passes.",
        "np.array_equal(target[name], tensors[name]) → np.isclose(target[name].sum(), "
            "tensors[name].sum())": "You compare sums, or which numbers there are, or all numbers "
            "of a tensor are equal. The same numbers in another order pass.",
        "np.array_equal → not np.array_equal": "Turned around: return True for a loader that can "
            "be trusted.",
        "np.full(shape, np.nan) for name, shape in shapes.items() → tensor.copy() for name, tensor "
            "in tensors.items()": "A loader that passes over LayerNorms is trusted. Does your "
            "target hold the right numbers from the start?",
        "name in shapes) → name in shapes if len(shapes[name]) == 2)": "You look at matrices "
            "alone. A loader may spoil a vector.",
        "name in shapes) → name in [*shapes][:1])": "You look at one tensor, the first. Does the "
            "return stand where all have been seen?",
        "name in shapes) → name in [*shapes][-1:])": "You look at one tensor, the last. Does the "
            "return stand where all have been seen?",
        ("target = → tensors = {n: t + t.T if len({*t.shape}) < t.ndim else t for n, t in "
            "tensors.items()}\n    target =",
            "rng.normal(size=shape) → np.indices(shape).sum(axis=0) * 1.0"):
            "A loader that turns squares passes. Are yours the same when turned?",
        "np.array_equal(target[name], tensors[name]) → (target[name] == tensors[name]).any()":
            "One number in its place is enough for you. All of them must be.",
        "return all → return list": "These are the answers for all tensors. Join them to one, by "
            "all().",
        "return all → return any": "One tensor in its place is enough for you. All of them must "
            "be.",
        ("target[name], tensors[name] → target[name].flat[0], tensors[name].flat[0]",
            "target[name], tensors[name] → target[name].flat[[0, -1]], tensors[name].flat[[0, "
            "-1]]"): "You compare numbers at the ends. In a turned matrix they keep their places.",
        "name in shapes) → name in shapes if len({*shapes[name]}) == 1)":
            "You look at squares alone. A loader may spoil the others.",
        "return all → return not all": "Turned around: return True for a loader that can be "
            "trusted.",
        "→ True": "You trust everybody, or compare shapes, which say nothing about the numbers. "
            "Which of the loaders turns squares?",
        "→ False": "You trust nobody. One of the loaders is right. Do you call load, and with "
            "target first?",
        KeyError: "A loader asks for a name that is not there. Make a tensor for each name in "
            "shapes, in the target and in the file.",
    },
)  # fmt: skip
