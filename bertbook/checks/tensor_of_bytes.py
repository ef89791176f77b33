"""Exercise of Chapter 15: a tensor out of the bytes of a file."""

from __future__ import annotations

import json

import numpy as np

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
        'int.from_bytes(data[:8], "little") → data[0]': "Eight bytes hold the length of the "
            "header. You read the first one only.",
        KeyError: "Look into the header: it is a dict from the name of a tensor to its 'dtype', "
            "'shape' and 'data_offsets'.",
        UnicodeDecodeError: "You decode numbers as if they were text, so the header is taken for "
            "longer than it is. In which order do the bytes of its length stand? The least comes "
            "first.",
        json.JSONDecodeError: "What you read as the header is not only the header. It begins "
            "behind eight bytes and is as long as they say, least byte first.",
    },
)  # fmt: skip
