"""Exercises of Chapter 15: a tensor out of bytes, what does not fit, sentence vectors."""

from __future__ import annotations

import json
import math
from operator import eq

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(15)


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


def _tensor(data, name, *, start=lambda length: 8 + length, kind="<f4", first=False, shape=tuple):
    """Read one tensor out of the bytes of a file."""
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + length])[name]
    place = start(length) + (0 if first else entry["data_offsets"][0])
    numbers = np.frombuffer(data[place : place + 4 * math.prod(entry["shape"])], kind)
    return numbers.reshape(shape(entry["shape"]))


def _by_columns(tensor):
    return tensor.ravel().reshape(tensor.shape, order="F")


_FILES = [
    {"bias": _RNG.normal(size=3), "weight": _RNG.normal(size=(3, 2))},
    {"a": _RNG.normal(size=(2, 2)), "b": _RNG.normal(size=(1, 4)), "c": _RNG.normal(size=2)},
]

check_tensor = Exercise(
    "Read one tensor out of the bytes of a safetensors file.",
    _tensor,
    cases=[(_file(tensors), name) for tensors in _FILES for name in tensors],
    mistakes=[
        Mistake({"start": lambda length: 0}, "You count the place from the beginning of the file. "
                "What stands before the numbers?"),
        Mistake({"start": lambda length: 8}, "You count the place from behind the first eight "
                "bytes. There the header begins; the numbers begin behind it."),
        Mistake({"start": lambda length: length}, "You are eight bytes too early: the length of "
                "the header does not count the eight bytes in which it is written."),
        Mistake({"kind": ">f4"}, "The place is right, the numbers are read from the wrong end. The "
                "least byte comes first."),
        Mistake({"kind": "<i4"}, "You read whole numbers. F32 is a number with a point, of 32 "
                "bits."),
        Mistake({"first": True}, "You always begin with the first tensor. Where does the one that "
                "is asked for begin?"),
        Mistake({"shape": lambda shape: -1}, "The numbers are right, in one row. What shape does "
                "the header give them?"),
        Mistake({"shape": lambda shape: tuple(shape)[::-1]}, "You turn the shape around. It stands "
                "in the header as it should be."),
        Mistake(lambda data, name: _by_columns(_tensor(data, name)), "You fill column by column. "
                "The first numbers are the first row."),
        Mistake(UnicodeDecodeError, "You decode numbers as if they were text, so the header is "
                "taken for longer than it is. In which order do the bytes of its length stand? The "
                "least comes first."),
        Mistake(json.JSONDecodeError, "What you read as the header is not only the header. It "
                "begins behind eight bytes and is as long as they say, least byte first."),
    ],
)  # fmt: skip


def _misfits(ours, theirs, *, same=eq, turned=False, unknown=lambda a, b: b - a,
             missing=lambda a, b: a - b, absent=False):  # fmt: skip
    """Name what is missing, what is unknown, and what has another shape."""
    ours, theirs = (theirs, ours) if turned else (ours, theirs)
    both = {name for name in ours if name in theirs}
    others = {name for name in both if not same(ours[name], theirs[name])}
    alone = missing({*ours}, {*theirs})
    return alone, unknown({*ours}, {*theirs}), others | alone if absent else others


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
    ],
    mistakes=[
        Mistake({"turned": True}, "Turned around: missing is what the model has and the file does "
                "not."),
        Mistake({"same": lambda a, b: math.prod(a) == math.prod(b)}, "You compare how many numbers "
                "there are. A transposed matrix has as many, and is another one."),
        Mistake({"same": lambda a, b: len(a) == len(b)}, "You compare how many sides there are, "
                "not how long they are."),
        *(Mistake({"same": lambda a, b, form=form: form(a) == form(b)}, "You compare the sides "
                  "without their order. A transposed matrix is another one.")
          for form in (sorted, set)),
        *(Mistake({"same": lambda a, b, end=end: a[end] == b[end]}, "You compare one side of the "
                  "shape. All sides count.") for end in (0, -1)),
        Mistake({"same": lambda a, b: a != b}, "Names are right; but you name the shapes that "
                "agree."),
        Mistake({"same": lambda a, b: a is b}, "Names are right. “is” asks whether it is one and "
                "the same object; two equal shapes may be two objects. Compare by !=."),
        Mistake(lambda a, b: (*_misfits(a, b)[:2], {name for one, name in zip(a, b) if a[one] !=
                b[name]}), "You compare pairs by their place. Look a shape up by its name."),
        Mistake(lambda a, b: (*_misfits(a, b)[:2], {n for n in b if a.get(n) != b[n]}), "A name "
                "that is unknown has no other shape. Count it once."),
        *(Mistake(lambda *case, turn=turn: [_misfits(*case)[i] for i in turn], "The three sets are "
                  "right, in another order: missing, unknown, of another shape.")
          for turn in ((2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 2, 0))),
        Mistake({"same": lambda a, b: True}, "Names are right. Nobody looks at the shapes."),
        Mistake({"unknown": lambda a, b: set()}, "What the model does not know is not harmless: it "
                "may be a weight under another name."),
        Mistake({"unknown": lambda a, b: a ^ b, "missing": lambda a, b: a ^ b}, "You name what "
                "only one of the two has. In which one is it?"),
        Mistake({"absent": True}, "A name that is missing has no other shape. Count it once."),
        Mistake(KeyError, "You look up the shape of a name that only one of the two has."),
        Mistake(lambda *case: _misfits(*case)[:2], "Missing and unknown names are there. The third "
                "set holds those of another shape."),
    ],
)  # fmt: skip


def _over_each_row(means):
    return np.linalg.norm(means, axis=-1, keepdims=True)


def _unit(vectors):
    return vectors / _over_each_row(vectors)


def _sentence_vectors(states, mask, *, counted=as_it_is, length=_over_each_row, before=as_it_is):
    weights = counted(mask)[..., None]
    means = (before(states) * weights).sum(axis=1) / weights.sum(axis=1)
    return means / length(means)


def _first_only(mask):
    return mask * (np.arange(mask.shape[1]) == 0)


_SHORT = np.array([[[3.0, 0], [0, 4]], [[1, 2], [9, -9]]]), np.array([[1, 1], [1, 0]])

check_sentence_vectors = Exercise(
    "Average the tokens of each row, padding left out, and scale to length 1.",
    _sentence_vectors,
    cases=[
        _SHORT,
        (_RNG.normal(size=(3, 4, 5)), np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]])),
    ],
    mistakes=[
        Mistake({"counted": np.ones_like}, "Padding is averaged, too. Which argument tells what is "
                "padding?"),
        Mistake({"counted": _first_only}, "That is the vector of [CLS] alone. Take the mean over "
                "all tokens of a row."),
        Mistake({"counted": lambda mask: mask - _first_only(mask)}, "You leave out [CLS]. It is a "
                "token like the others, and a row may have no other one."),
        Mistake({"length": lambda means: 1}, "The means are right. Their length is not 1 yet."),
        Mistake({"counted": np.ones_like, "length": lambda means: 1}, "Padding is averaged, too, "
                "and the length is not 1."),
        *(Mistake({"length": length}, "The means are right; but divide each of them by its length, "
                  "the root of the sum of its squares.")
          for length in (lambda means: means.sum(axis=-1, keepdims=True),
                         lambda means: means.max(axis=-1, keepdims=True))),
        Mistake({"counted": lambda mask: mask * (mask.cumsum(axis=1) == mask.sum(axis=1)[:, None])},
                "That is the vector of the last token. Take the mean over all tokens of a row."),
        Mistake(lambda states, mask: (states * mask[..., None]).mean(axis=1), "You divide by all "
                "places, padding included, and the length is not 1 yet."),
        Mistake(lambda states, mask: _unit(np.where(mask[..., None] == 1, states, -np.inf).max(1)),
                "You take the largest numbers. Take the mean."),
        Mistake({"length": np.linalg.norm}, "You divide by the length of all vectors together. "
                "Each row has a length of its own."),
        Mistake({"length": lambda means: np.linalg.norm(means, axis=0)}, "You measure the columns. "
                "A vector is a row."),
        Mistake({"before": _unit, "length": lambda means: 1},
                "You scale the tokens and then take the mean. Scale the mean."),
        Mistake({"before": _unit}, "You scale the tokens before you take "
                "the mean. Only the mean is to be scaled."),
        Mistake({"length": lambda means: np.abs(means).sum(axis=-1, keepdims=True)},
                "You measure the length by adding up sizes. Add up squares, then take the root."),
        Mistake({"length": lambda means: _over_each_row(means) ** 2}, "You divide by the square of "
                "the length. Where is the root?"),
        Mistake({"counted": lambda mask: 1 - mask + (mask.min(axis=1, keepdims=True) > 0)},
                "That is the mean over the padding. A 1 in the mask is a token."),
        Mistake({"counted": lambda mask: 1 - mask}, "That is the mean over the padding. A 1 in the "
                "mask is a token."),
    ],
)  # fmt: skip
