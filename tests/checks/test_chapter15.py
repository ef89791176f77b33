"""Planted wrong answers to the exercises of Chapter 15 get the right hint."""

import json
import struct

import numpy as np
import pytest

from minibert.checks.chapter15 import (
    check_misfits,
    check_nearest,
    check_sentence_vectors,
    check_tensor,
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


def nearest(query, vectors, count):
    """Right, and written as sorting."""

    def cosine(number):
        vector = vectors[number]
        return vector @ query / np.sqrt((vector @ vector) * (query @ query))

    return sorted(range(len(vectors)), key=cosine, reverse=True)[:count]


def test_right_answers_pass():
    assert check_tensor(tensor).passed
    assert check_misfits(misfits).passed
    assert check_misfits(lambda a, b: tuple(map(set, misfits(a, b)))).passed
    assert check_sentence_vectors(sentence_vectors).passed
    assert check_nearest(nearest).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda d, n: tensor(d, n, skip=lambda length: 0), "beginning of the file"),
        (lambda d, n: tensor(d, n, skip=lambda length: 8), "There the header begins"),
        (lambda d, n: tensor(d, n, skip=lambda length: length), "eight bytes too early"),
        (lambda d, n: tensor(d, n, order=">"), "from the wrong end"),
        (lambda d, n: tensor(d, n, kind="i"), "You read whole numbers"),
        (lambda d, n: tensor(d, n, first=True), "begin with the first tensor"),
        (lambda d, n: tensor(d, n).ravel(), "returns shape (6,); it should be (3, 2)"),
        (lambda d, n: tensor(d, n).T, "returns shape (2, 3); it should be (3, 2)"),
        (lambda d, n: 2 * tensor(d, n), "expected"),
        (lambda d, n: ..., "nothing yet"),
        (lambda d, n: json.loads(d), "stopped with"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # foreign bytes, read as numbers
def test_wrong_tensor(wrong, hint):
    verdict = check_tensor(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda a, b: misfits(b, a), "Turned around"),
        (lambda a, b: misfits(a, b, lambda s, t: np.prod(s) == np.prod(t)), "how many numbers"),
        (lambda a, b: misfits(a, b, lambda s, t: len(s) == len(t)), "how many sides"),
        (lambda a, b: misfits(a, b, lambda s, t: set(s) == set(t)), "without their order"),
        (lambda a, b: misfits(a, b, lambda s, t: sorted(s) == sorted(t)), "without their order"),
        (lambda a, b: misfits(a, b, lambda s, t: True), "Nobody looks at the shapes"),
        (lambda a, b: (misfits(a, b)[0], [], misfits(a, b)[2]), "is not harmless"),
        (lambda a, b: (a.keys() ^ b.keys(), a.keys() ^ b.keys(), misfits(a, b)[2]), "only one of"),
        (
            lambda a, b: (*misfits(a, b)[:2], [n for n in a if b.get(n) != a[n]]),
            "has no other shape",
        ),
        (lambda a, b: misfits(a, b)[:2], "returns 2 value(s); it should return 3"),
        (lambda a, b: ..., "nothing yet"),
        (lambda a: a, "stopped with TypeError"),
    ],
)
def test_wrong_misfits(wrong, hint):
    verdict = check_misfits(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def mean(h, mask):
    return np.array([row[m == 1].mean(axis=0) for row, m in zip(h, mask, strict=True)])


def unit(v):
    return v / np.sqrt((v * v).sum(axis=-1, keepdims=True))


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda h, mask: unit(h.mean(axis=1)), "Padding is averaged, too. Which"),
        (lambda h, mask: unit(h.sum(axis=1)), "Padding is averaged, too. Which"),
        (lambda h, mask: unit(h[:, 0]), "[CLS] alone"),
        (mean, "Their length is not 1"),
        (lambda h, mask: h.mean(axis=1), "and the length is not 1"),
        (lambda h, mask: mean(h, mask) / np.linalg.norm(mean(h, mask)), "vectors together"),
        (lambda h, mask: mean(h, mask) / np.linalg.norm(mean(h, mask), axis=0), "the columns"),
        (lambda h, mask: mean(unit(h), mask), "Scale the mean"),
        (lambda h, mask: mean(h, mask) / abs(mean(h, mask)).sum(1, keepdims=True), "adding up siz"),
        (lambda h, mask: unit(mean(h, np.where(mask.all(1)[:, None], 1, 1 - mask))), "the padding"),
        (lambda h, mask: -sentence_vectors(h, mask), "expected"),
        (lambda h, mask: sentence_vectors(h, mask)[0], "it should be (2, 2)"),
        (lambda h, mask: ..., "nothing yet"),
        (lambda h: h, "stopped with TypeError"),
    ],
)
def test_wrong_sentence_vectors(wrong, hint):
    verdict = check_sentence_vectors(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def cosines(q, v):
    return unit(v) @ unit(q)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda q, v, count: np.argsort(v @ q)[::-1][:count], "You compare dot products"),
        (lambda q, v, count: np.argsort(v @ unit(q))[::-1][:count], "You compare dot products"),
        (lambda q, v, count: np.argsort(cosines(q, v))[:count], "the least similar"),
        (lambda q, v, count: np.argsort(cosines(q, v))[-count:], "with the best at the end"),
        (lambda q, v, count: np.argsort(((v - q) ** 2).sum(1))[:count], "how far apart"),
        (lambda q, v, count: np.sort(cosines(q, v))[::-1][:count], "These are the similarities"),
        (lambda q, v, count: np.argsort(-abs(cosines(q, v)))[:count], "keep the sign"),
        (lambda q, v, count: np.argsort(-cosines(q, v)), "it should be (2,)"),
        (lambda q, v, count: np.argsort(-cosines(q, v))[:count] + 1, "expected"),
        (lambda q, v, count: ..., "nothing yet"),
        (lambda q: q, "stopped with TypeError"),
    ],
)
def test_wrong_nearest(wrong, hint):
    verdict = check_nearest(wrong)
    assert not verdict.passed
    assert hint in verdict.message
