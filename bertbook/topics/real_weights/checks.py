"""Exercises of Chapter 15: a tensor out of bytes, what does not fit, sentence vectors, trust."""

import json

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise

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


_FILES = [{"bias": _RNG.normal(size=3), "weight": _RNG.normal(size=(3, 2))},
          {f"bert.encoder.layer.{n}.attention.output.dense.weight": _RNG.normal(size=shape)
           for n, shape in enumerate([(2, 2), (1, 4), (2,)])}]  # fmt: skip

check_tensor = Exercise(
    "Read one tensor out of the bytes of a safetensors file.",
    _tensor,
    cases=[(_file(tensors), name) for tensors in _FILES for name in tensors],
    mistakes={
        "8 + length + at → at ¦ 8 + at ¦ length + at": "The numbers begin behind the header. How "
            "many bytes stand before them?",
        "<f4 → >f4": "The least byte comes first.",
        "<f4 → <f8 ¦ <f2 ¦ u1": "A number of 32 bits has four bytes. How many has one of yours?",
        "<f4 → <i4": "You read integers. F32 is a floating-point number.",
        'in entry["data_offsets"] → in (0, 4 * np.prod(entry["shape"]))': "Where does it begin?",
        'entry["shape"] → -1': "Which shape does the header give?",
        "begin:end → begin:": "Where does the tensor end?",
        'data[begin:end], "<f4") → data[8 + length :], "<f4")[begin:end]||8 + length + at → at':
            "data_offsets count bytes, and you count numbers. How many bytes has one?",
        "8 : 8 + length → :length": "The first eight bytes are no part of the header.",
        "8 : 8 + length → 8:length": "The header begins behind eight bytes. Where does it end?",
        "data[:8] → data[:1]": "The length has eight bytes.",
        UnicodeDecodeError: "The least byte of the header's length comes first.",
    },
)  # fmt: skip


_RNG_STATES = np.random.default_rng(15)


def _misfits(ours, theirs):
    both = {*ours} & {*theirs}
    missing, unknown = {*ours} - both, {*theirs} - both
    others = {n for n in both if ours[n] != theirs[n]}
    return missing, unknown, others


_PLAIN = {"dense.weight": (3, 2), "dense.bias": (3,), "query.weight": (4, 4)}

check_misfits = Exercise(
    "Name everything in which a model and a file do not agree: three sets of names.",
    _misfits,
    cases=[(_PLAIN, _PLAIN), (_PLAIN,
           {"dense.weight": (2, 3), "dense.bias": (3,), "query.weight": (4, 4)}), (_PLAIN,
           {"dense.weight": (3, 2), "dense.beta": (3,), "query.weight": (4, 4, 1)}), (_PLAIN,
           {"dense.weight": (6, 1), "dense.bias": (4,), "pooler": (2,)}), (_PLAIN,
           {name: (*shape,) for name, shape in _PLAIN.items()}), ({"a": (3, 2), "b": (3, 2)},
           {"a": (5, 2), "b": (3, 5)}), ({"a": (1,), "b": (2,), "c": (3,)}, {"c": (3,)}),
           ({"a": (2,), "b": (3,)}, {"a": (3,), "b": (2,)})],
    mistakes={
        "missing, unknown, → unknown, missing,": "Turned around: the file lacks what is missing.",
        "ours[n] != theirs[n] → np.prod(ours[n]) != np.prod(theirs[n]) ¦ len(ours[n]) != "
            "len(theirs[n])": "You count numbers or sides. A transposed matrix has as many.",
        "ours[n] != theirs[n] → {*ours[n]} != {*theirs[n]}": "The order of the sides counts.",
        "!= → ==": "You name the shapes that agree.",
        "!= → is not": "“is” asks whether it is the same object. Compare by !=.",
        "!= theirs[n] → not in theirs.values()": "Look a shape up by its name.",
        "both … theirs[n] → ours … theirs.get(n)": "A missing or unknown name has no other shape.",
        "ours[n] != theirs[n] → False": "Nobody looks at the shapes.",
        "{*theirs} - both → {*[]}": "An unknown name may be that of a weight.",
        "return missing, unknown → return missing | unknown, missing | unknown":
            "In which of the two is each?",
        "unknown, others → unknown": "Where are the names of another shape?",
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
    cases=[_SHORT, (_RNG_STATES.normal(size=(3, 4, 5)),
           np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]]))],
    mistakes={
        "mask[ → np.ones_like(mask)[": "Which argument says what is padding?",
        "sums / counts → states[:, 0]": "That is one token. Take the mean over all tokens of a "
            "row.",
        ".sum(axis=1) → [:, 1:-1].sum(axis=1)": "[CLS] and [SEP] are tokens like the others.",
        ("mask[:, :, None] → mask", "[:, :, None] → [:, None]"): "Which axis does the mask lack?",
        "means / lengths → means": "Is its length 1?",
        "means / lengths → sums / mask.shape[1]": "Padding counts, and the length is not 1.",
        "norm(means, → np.sum(np.abs(means),": "The length is the root of the sum of all squares.",
        ", axis=1, keepdims=True →||/ counts → / counts": "Each row has a length of its own.",
        ", keepdims=True →": "The lengths have lost their axis. keepdims=True keeps it.",
        "1, keepdims → 0, keepdims||/ counts → / counts": "You measure columns, not rows.",
        "weights = → states = states / norm(states, axis=2, keepdims=True)\n    weights =||/ "
            "lengths →": "Only the mean is to be scaled.",
        "/ lengths → / lengths**2||/ counts → / counts ¦": "Where is the root of the length?",
        "mask[ → np.where(mask.min(axis=1, keepdims=True), mask, 1 - mask)[":
            "That is the mean over the padding. A 1 in the mask is a token.",
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
    cases=[(load, _SHAPES) for load in (_key_by_key, _turning, _passing_over, _crossing, _backwards,
           _by_columns)] + [(_backwards, {"LayerNorm.weight": (3,)}), (_passing_over,
           {"LayerNorm.weight": (3,), "query.weight": (2, 2)})],
    edges=[(_turning, {"dense.weight": (2, 3)}),
           (_crossing, {"query.weight": (2, 2), "key.weight": (2, 2)}),
           (_backwards, {"dense.weight": (2, 3), "query.weight": (1, 1)})],
    mistakes={
        "np.array_equal(…], tensors[name] → not np.isnan(target[name]).any(": "A loader that turns "
            "squares passes. Do you look for NaN alone, or are all numbers of your file equal?",
        "np.array_equal(…], tensors[name] → np.isclose(…].sum(), tensors[name].sum()": "Another "
            "order passes. You compare sums, or all numbers of a tensor are equal.",
        "return all → return not all": "Turned around: return True for a loader that can be "
            "trusted.",
        "in shapes) → in [*shapes][-1:])": "Does your loop return too early?",
        "rng.normal(size=shape) → np.indices(shape).sum(axis=0) * 1.0":
            "Are your squares the same when turned?",
        "np.array_equal(…], tensors[name]) → (…] == tensors[name]).any()":
            "One in its place is enough for you. All must be.",
        "return all → return list": "Join the answers for all tensors to one, by all().",
        "→ False": "You trust nobody. Do you call load, and with target first?",
    },
)  # fmt: skip
