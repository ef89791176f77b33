"""Exercise of Chapter 15: a tensor out of the bytes of a file."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np

from .exercise import Exercise, Mistake

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


def _tensor(data, name, *, start=lambda length: 8 + length, kind="<f4", first=False, shape=tuple):
    """Read one tensor out of the bytes of a file."""
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + length])[name]
    place = start(length) + (0 if first else entry["data_offsets"][0])
    numbers = np.frombuffer(data[place : place + 4 * math.prod(entry["shape"])], kind)
    return numbers.reshape(shape(entry["shape"]))


def _length(data):
    return int.from_bytes(data[:8], "little")


def _as_array(data, name, end):
    """Read up to another end than that of the tensor; None is that of the file."""
    entry, header = json.loads(data[8 : 8 + _length(data)])[name], 8 + _length(data)
    first, last = (header + offset for offset in entry["data_offsets"])
    numbers = data[first : last + end if end is not None else None]
    return np.frombuffer(numbers, "<f4").reshape(entry["shape"])


def _by_numbers(data, name):
    """Take offsets for numbers of entries."""
    entry = json.loads(data[8 : 8 + _length(data)])[name]
    numbers = np.frombuffer(data[8 + _length(data) :], "<f4")
    return numbers[slice(*entry["data_offsets"])].reshape(entry["shape"])


def _by_columns(tensor):
    return tensor.ravel().reshape(tensor.shape, order="F")


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
    mistakes=[
        Mistake({"start": lambda length: 0}, "You count the place from the beginning of the file. "
                "What stands before the numbers?"),
        Mistake({"start": lambda length: 8}, "You count the place from behind the first eight "
                "bytes. There the header begins; the numbers begin behind it."),
        Mistake({"start": lambda length: length}, "You are eight bytes too early: the length of "
                "the header does not count the eight bytes in which it is written."),
        Mistake({"start": lambda length: 16 + length}, "You are eight bytes too late: those of the "
                "length are counted once."),
        Mistake({"kind": ">f4"}, "The place is right, the numbers are read from the wrong end. The "
                "least byte comes first."),
        *(Mistake({"kind": kind}, "A number of 32 bits has four bytes. How many has one of yours? "
                  "np.frombuffer takes 8, unless it is told.") for kind in ("<f8", "<f2", "u1")),
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
        Mistake(partial(_as_array, end=None), "You read to the end of the file. Where does the "
                "tensor end?"),
        Mistake(_by_numbers, "data_offsets count bytes, and you count numbers with them. How many "
                "bytes has one?"),
        *(Mistake(partial(_as_array, end=end), "Your slice ends a little too early or too late. It "
                  "ends before the byte behind its colon.") for end in (-1, 1)),
        *(Mistake(lambda data, name, at=at: json.loads(data[at(data)]), hint) for at, hint in (
            (lambda data: slice(_length(data)), "The first eight bytes are no part of the header. "
             "Where does it begin, and where does it end?"),
            (lambda data: slice(8, _length(data)), "You cut off the last eight bytes of the "
             "header. It begins behind eight bytes, so where does it end?"))),
        Mistake(lambda data, name: _tensor(data[:1] + bytes(7) + data[8:], name), "Eight bytes "
                "hold the length of the header. You read the first one only."),
        Mistake(KeyError, "Look into the header: it is a dict from the name of a tensor to its "
                "'dtype', 'shape' and 'data_offsets'."),
        Mistake(UnicodeDecodeError, "You decode numbers as if they were text, so the header is "
                "taken for longer than it is. In which order do the bytes of its length stand? The "
                "least comes first."),
        Mistake(json.JSONDecodeError, "What you read as the header is not only the header. It "
                "begins behind eight bytes and is as long as they say, least byte first."),
    ],
)  # fmt: skip
