"""Exercises of Chapter 15: a tensor out of bytes, what does not fit, sentence vectors, trust."""

from __future__ import annotations

import json

import numpy as np
from numpy.linalg import norm

from .exercise import Exercise

_RNG = np.random.default_rng(150)


def _file(tensors):
    """Write a safetensors file, its header filled up with spaces as the format allows."""
    header, numbers = {}, b""
    for name, tensor in tensors.items():
        places = len(numbers), len(numbers) + 4 * tensor.size
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": places}
        numbers += tensor.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + numbers


def _tensor(data, name):
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + length])[name]
    begin, end = (8 + length + at for at in entry["data_offsets"])
    return np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])


_FILES = [
    {"bias": _RNG.normal(size=3), "weight": _RNG.normal(size=(3, 2))},
    {
        f"bert.encoder.layer.{n}.attention.output.dense.weight": _RNG.normal(size=shape)
        for n, shape in enumerate([(2, 2), (1, 4), (2,)])
    },
]

check_tensor = Exercise(
    "Read one tensor out of the bytes of a safetensors file.",
    _tensor,
    cases=[(_file(tensors), name) for tensors in _FILES for name in tensors],
    mistakes={
        "8 + length + at → at": "You count the place from the beginning of the file. What stands "
            "before the numbers?",
        "8 + length + at → 8 + at": "You count the place from behind the first eight bytes. There "
            "the header begins; the numbers begin behind it.",
        "8 + length + at → length + at": "You are eight bytes too early: the length of the header "
            "does not count the eight bytes in which it is written.",
        "8 + length + at → 16 + length + at": "You are eight bytes too late: those of the length "
            "are counted once.",
        "<f4 → >f4": "The place is right, the numbers are read from the wrong end. The least byte "
            "comes first.",
        ("<f4 → <f8", "<f4 → <f2", "<f4 → u1"): "A number of 32 bits has four bytes. How many has "
            "one of yours? np.frombuffer takes 8, unless it is told.",
        "<f4 → <i4": "You read whole numbers. F32 is a number with a point, of 32 bits.",
        'in entry["data_offsets"] → in (0, 4 * int(np.prod(entry["shape"])))':
            "You always begin with the first tensor. Where does the one that is asked for begin?",
        'entry["shape"] → -1': "The numbers are right, in one row. What shape does the header give "
            "them?",
        'entry["shape"] → entry["shape"][::-1]': "You turn the shape around. It stands in the "
            "header as it should be.",
        'entry["shape"]) → entry["shape"], order="F")': "You fill column by column. The first "
            "numbers are the first row.",
        "begin:end → begin:": "You read to the end of the file. Where does the tensor end?",
        'data[begin:end], "<f4") → data[8 + length :], "<f4")[begin:end]||8 + length + at → at':
            "data_offsets count bytes, and you count numbers with them. How many bytes has one?",
        ("begin:end → begin : end - 1", "begin:end → begin : end + 1"):
            "Your slice ends a little too early or too late. It ends before the byte behind its "
            "colon.",
        "8 : 8 + length → :length": "The first eight bytes are no part of the header. Where does "
            "it begin, and where does it end?",
        "8 : 8 + length → 8:length": "You cut off the last eight bytes of the header. It begins "
            "behind eight bytes, so where does it end?",
        lambda data, name: _tensor(data[:1] + bytes(7) + data[8:], name):
            "Eight bytes hold the length of the header. You read the first one only.",
        KeyError: "Look into the header: it is a dict from the name of a tensor to its 'dtype', "
            "'shape' and 'data_offsets'.",
        UnicodeDecodeError: "You decode numbers as if they were text, so the header is taken for "
            "longer than it is. In which order do the bytes of its length stand? The least comes "
            "first.",
        json.JSONDecodeError: "What you read as the header is not only the header. It begins "
            "behind eight bytes and is as long as they say, least byte first.",
    },
)  # fmt: skip


_RNG_STATES = np.random.default_rng(15)


def _misfits(ours, theirs):
    missing = {name for name in ours if name not in theirs}
    unknown = {name for name in theirs if name not in ours}
    both = {name for name in ours if name in theirs}
    others = {name for name in both if ours[name] != theirs[name]}
    return missing, unknown, others


_PLAIN = {"dense.weight": (3, 2), "dense.bias": (3,), "query.weight": (4, 4)}

check_misfits = Exercise(
    "Name everything in which a model and a file do not agree: three sets of names.",
    _misfits,
    cases=[
        (_PLAIN, _PLAIN),
        (_PLAIN, {"dense.weight": (2, 3), "dense.bias": (3,), "query.weight": (4, 4)}),
        (_PLAIN, {"dense.weight": (3, 2), "dense.beta": (3,), "query.weight": (4, 4, 1)}),
        (_PLAIN, {"dense.weight": (6, 1), "dense.bias": (4,), "pooler": (2,)}),
        (_PLAIN, {name: (*shape,) for name, shape in _PLAIN.items()}),
        ({"a": (3, 2), "b": (3, 2)}, {"a": (5, 2), "b": (3, 5)}),
        ({"a": (1,), "b": (2,), "c": (3,)}, {"c": (3,)}),
        ({"a": (2,), "b": (3,)}, {"a": (3,), "b": (2,)}),
    ],
    mistakes={
        "return missing, unknown → return unknown, missing": "Turned around: missing is what the "
            "model has and the file does not.",
        "ours[name] != theirs[name] → np.prod(ours[name]) != np.prod(theirs[name])":
            "You compare how many numbers there are. A transposed matrix has as many, and is "
            "another one.",
        "ours[name] != theirs[name] → len(ours[name]) != len(theirs[name])":
            "You compare how many sides there are, not how long they are.",
        ("ours[name] != theirs[name] → sorted(ours[name]) != sorted(theirs[name])",
            "ours[name] != theirs[name] → {*ours[name]} != {*theirs[name]}"):
            "You compare the sides without their order. A transposed matrix is another one.",
        ("ours[name] != theirs[name] → ours[name][0] != theirs[name][0]",
            "ours[name] != theirs[name] → ours[name][-1] != theirs[name][-1]"):
            "You compare one side of the shape. All sides count.",
        "!= → ==": "Names are right; but you name the shapes that agree.",
        "!= → is not": "Names are right. “is” asks whether it is one and the same object; two "
            "equal shapes may be two objects. Compare by !=.",
        "name in both if ours[name] → one, name in zip(ours, theirs) if ours[one]":
            "You compare pairs by their place. Look a shape up by its name.",
        ("in both if ours[name] != theirs[name] → in ours if ours[name] != theirs.get(name)",
            "in both if ours[name] → in theirs if ours.get(name)",
            "in both if ours[name] != theirs[name] → in {*ours, *theirs} if ours.get(name) != "
            "theirs.get(name)"): "A name that is missing, or unknown, has no other shape. Count it "
            "once.",
        "!= theirs[name] → not in theirs.values()": "You ask whether any tensor of the file has "
            "this shape. Look it up by its name.",
        "{name for name in both → {(name, theirs[name]) for name in both":
            "The third set holds names alone, without their shapes.",
        "name not in theirs → ours[name] != theirs.get(name)||name not in ours → theirs[name] != "
            "ours.get(name)": "You look for name and shape together. A name with another shape is "
            "neither missing nor unknown.",
        "if name not in theirs →": "You return all names of the model. Which of them has the other "
            "one not?",
        "if name not in ours →": "You return all names of the file. Which of them has the other "
            "one not?",
        ("missing, unknown, others → others, missing, unknown", "unknown, others → others, unknown",
            "missing, unknown, others → others, unknown, missing",
            "missing, unknown, others → unknown, others, missing"): "The three sets are right, in "
            "another order: missing, unknown, of another shape.",
        "ours[name] != theirs[name] → False": "Names are right. Nobody looks at the shapes.",
        "if name not in ours → if False": "What the model does not know is not harmless: it may be "
            "a weight under another name.",
        "missing, unknown, → {*ours} ^ {*theirs}, {*ours} ^ {*theirs},":
            "You name what only one of the two has. In which one is it?",
        KeyError: "You look up the shape of a name that only one of the two has.",
        "unknown, others → unknown": "Missing and unknown names are there. The third set holds "
            "those of another shape.",
    },
)  # fmt: skip


def _sentence_vectors(states, mask):
    weights = mask[:, :, None]
    sums, counts = (states * weights).sum(axis=1), weights.sum(axis=1)
    means = sums / counts
    lengths = norm(means, axis=1, keepdims=True)
    return means / lengths


_SHORT = np.array([[[3.0, 0, 0], [0, 4, 0]], [[1, 2, 2], [9, -9, 9]]]), np.array([[1, 1], [1, 0]])

check_sentence_vectors = Exercise(
    "Average the tokens of each row, padding left out, and scale to length 1.",
    _sentence_vectors,
    cases=[
        _SHORT,
        (_RNG_STATES.normal(size=(3, 4, 5)), np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]])),
    ],
    mistakes={
        "mask[ → np.ones_like(mask)[": "Padding is averaged, too. Which argument tells what is "
            "padding?",
        "sums / counts → states[:, 0]": "That is the vector of [CLS] alone. Take the mean over all "
            "tokens of a row.",
        ".sum(axis=1) → [:, 1:].sum(axis=1)": "You leave out [CLS]. It is a token like the others, "
            "and a row may have no other one.",
        "mask[ → np.pad(mask[:, 1:], ((0, 0), (0, 1)))[": "You leave out [SEP]. It is a token like "
            "the others, and a row may have no other one.",
        (".sum(axis=1) → [:, 1:-1].sum(axis=1)", "mask[ → np.pad(mask[:, 2:], ((0, 0), (1, 1)))["):
            "You leave out [CLS] and [SEP]. They are tokens like the others, and a row may have no "
            "other ones.",
        ("mask[:, :, None] → mask", "[:, :, None] → [:, None]"): "The mask lacks an axis for the "
            "numbers of each vector, at its end: attention_mask[:, :, None].",
        ", keepdims=True →": "The lengths have lost their axis. keepdims=True keeps it.",
        "/ lengths →": "The means are right. Their length is not 1 yet.",
        "mask[ → np.ones_like(mask)[||/ lengths →": "Padding is averaged, too, and the length is "
            "not 1.",
        ("norm(means, → np.sum(means,", "norm(means, → np.max(means,"):
            "The means are right; but divide each of them by its length, the root of the sum of "
            "its squares.",
        "sums / counts → states[range(len(mask)), mask.sum(axis=1) - 1]":
            "That is the vector of the last token. Take the mean over all tokens of a row.",
        "return means / lengths → return sums / mask.shape[1]": "You divide by all places, padding "
            "included, and the length is not 1 yet.",
        ("sums / counts → np.where(weights, states, -np.inf).max(axis=1)",
            "sums / counts → np.where(weights, states, 0).max(axis=1)"):
            "You take the largest numbers. Take the mean.",
        ("means, axis=1, keepdims=True → means",
            "/ counts →||means, axis=1, keepdims=True → means"): "You divide by the length of all "
            "vectors together. Each row has a length of its own.",
        ("axis=1, keepdims → axis=0, keepdims", "/ counts →||axis=1, keepdims → axis=0, keepdims"):
            "You measure the columns. A vector is a row.",
        ("means / lengths → sums", "means / lengths → sums / weights.sum()"):
            "The tokens are added up as they should be. The length is not 1 yet.",
        "/ lengths → / np.sqrt(means.shape[1])": "You divide by the root of how many numbers there "
            "are. The length is the root of the sum of their squares.",
        ("→ states[mask == 1].mean(axis=0)",
            "→ means = states[mask == 1].mean(axis=0)\nreturn means / norm(means)"):
            "You take one mean over all rows. Each has a vector of its own.",
        ("sums / counts → (states * weights).sum(axis=0)",
            "sums / counts → (states * weights).sum(axis=2)"): "You add up along another axis. "
            "Which of (batch, seq, hidden) counts the tokens?",
        "return means / lengths → return means / lengths @ (means / lengths).T":
            "These are the cosines of all pairs. Return the vectors.",
        "weights = → states = states / norm(states, axis=2, keepdims=True)\n    weights =||/ "
            "lengths →": "You scale the tokens and then take the mean. Scale the mean.",
        "weights = → states = states / norm(states, axis=2, keepdims=True)\n    weights =":
            "You scale the tokens before you take the mean. Only the mean is to be scaled.",
        "norm(means, → np.sum(np.abs(means),": "You measure the length by adding up sizes. Add up "
            "squares, then take the root.",
        ("/ lengths → / lengths**2", "/ counts →||/ lengths → / lengths**2"):
            "You divide by the square of the length. Where is the root?",
        "mask[ → np.where(mask.min(axis=1, keepdims=True), mask, 1 - mask)[":
            "That is the mean over the padding. A 1 in the mask is a token.",
        "mask[ → (1 - mask)[": "That is the mean over the padding. A 1 in the mask is a token.",
    },
)  # fmt: skip


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
