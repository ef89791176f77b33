"""Right answers to the exercises of Chapter 15, written in other ways, pass."""

import json
import struct

import numpy as np
from kinds_of_answers import right_answers

from bertbook.checks.real_weights import (
    check_misfits,
    check_sentence_vectors,
    check_tensor,
    check_trust,
)


def tensor(data, name, skip=8, kind="f", first=False, order="<"):
    """Right, and written with struct."""
    (length,) = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8 : 8 + length])[name]
    begin, end = entry["data_offsets"]
    count = (end - begin) // 4
    begin = (0 if first else begin) + (length + 8 if skip == 8 else skip(length))
    numbers = struct.unpack_from(f"{order}{count}{kind}", data, begin)
    return np.array(numbers).reshape(entry["shape"])


def misfits(ours, theirs, same=lambda a, b: a == b):
    """Right, and written with loops; as lists, which count as sets."""
    missing = [name for name in ours if name not in theirs]
    unknown = [name for name in theirs if name not in ours]
    others = [n for n in ours if n in theirs and not same(ours[n], theirs[n])]
    return missing, unknown, others


def sentence_vectors(hidden_states, attention_mask):
    """Right, and written row by row; the length hides any common factor."""
    sums = [h[m == 1].sum(axis=0) for h, m in zip(hidden_states, attention_mask, strict=True)]
    return np.array([s / np.sqrt(s @ s) for s in sums])


def trust(load, shapes):
    """Right, and written with random numbers."""
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    target = {name: np.full(shape, np.inf) for name, shape in shapes.items()}
    load(target, tensors)
    return np.all([(target[name] == tensors[name]).all() for name in shapes])


test_right_answers_pass_however_they_are_written = right_answers(
    (check_tensor, tensor),
    (check_misfits, misfits),
    (check_misfits, lambda a, b: tuple(map(set, misfits(a, b)))),
    (check_sentence_vectors, sentence_vectors),
    (check_sentence_vectors, lambda *given: list(sentence_vectors(*given))),
    (check_sentence_vectors, lambda *given: sentence_vectors(*given).tolist()),
    (check_trust, trust),
    (check_trust, lambda *given: bool(trust(*given))),
)
