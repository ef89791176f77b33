"""Checkers of Chapter 15: a tensor out of bytes, what does not fit, sentence vectors, neighbors."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable

import numpy as np

from .verdict import Mistake, Verdict, check


def check_tensor(function: Callable) -> Verdict:
    """Check that one tensor is read out of the bytes of a safetensors file.

    Parameters
    ----------
    function : callable
        Takes the bytes of a file with 32-bit numbers, and the name of a tensor; returns an array.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 15.
    """
    mistakes = [
        Mistake(_read(start=lambda length: 0), "You count the place from the beginning of the "
                "file. What stands before the numbers?"),
        Mistake(_read(start=lambda length: 8), "You count the place from behind the first eight "
                "bytes. There the header begins; the numbers begin behind it."),
        Mistake(_read(start=lambda length: length), "You are eight bytes too early: the length of "
                "the header does not count the eight bytes in which it is written."),
        Mistake(_read(kind=">f4"), "The place is right, the numbers are read from the wrong end. "
                "The least byte comes first."),
        Mistake(_read(kind="<i4"), "You read whole numbers. F32 is a number with a point, of 32 "
                "bits."),
        Mistake(_read(first=True), "You always begin with the first tensor. Where does the one "
                "that is asked for begin?"),
    ]  # fmt: skip
    rng = np.random.default_rng(15)
    files = [
        {"bias": rng.normal(size=3), "weight": rng.normal(size=(3, 2))},
        {"a": rng.normal(size=(2, 2)), "b": rng.normal(size=(1, 4)), "c": rng.normal(size=2)},
    ]
    cases = [(_file(tensors), name) for tensors in files for name in tensors]
    return check(function, right=_read(), cases=cases, mistakes=mistakes)


def check_misfits(function: Callable) -> Verdict:
    """Check that everything is named in which a model and a file do not agree.

    Parameters
    ----------
    function : callable
        Takes two dicts from name to shape, of the model and of the file; returns three sets: the
        names that are missing in the file, those that the model does not know, and those with
        another shape.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 15.
    """
    mistakes = [
        Mistake(lambda ours, theirs: _misfits(theirs, ours), "Turned around: missing is what the "
                "model has and the file does not."),
        Mistake(_shapes_compared(math.prod), "You compare how many numbers there are. A transposed "
                "matrix has as many, and is another one."),
        Mistake(_shapes_compared(len), "You compare how many sides there are, not how long they "
                "are."),
        Mistake(_shapes_compared(sorted), "You compare the sides without their order. A transposed "
                "matrix is another one."),
        Mistake(_shapes_compared(lambda shape: 0), "Names are right. Nobody looks at the shapes."),
        Mistake(lambda ours, theirs: (_misfits(ours, theirs)[0], set(), _misfits(ours, theirs)[2]),
                "What the model does not know is not harmless: it may be a weight under another "
                "name."),
        Mistake(lambda ours, theirs: (ours.keys() ^ theirs.keys(),) * 2 + (
                _misfits(ours, theirs)[2],), "You name what only one of the two has. In which one "
                "is it?"),
        Mistake(lambda ours, theirs: (*_misfits(ours, theirs)[:2], {
                n for n in ours if theirs.get(n) != ours[n]}), "A name that is missing has no "
                "other shape. Count it once."),
    ]  # fmt: skip
    plain = {"dense.weight": (3, 2), "dense.bias": (3,), "query.weight": (4, 4)}
    cases = [
        (plain, plain),
        (plain, {"dense.weight": (2, 3), "dense.bias": (3,), "query.weight": (4, 4)}),
        (plain, {"dense.weight": (3, 2), "dense.beta": (3,), "query.weight": (4, 4, 1)}),
        (plain, {"dense.weight": (6, 1), "dense.bias": (4,), "pooler": (2,)}),
        ({"a": (1,), "b": (2,), "c": (3,)}, {"c": (3,)}),
    ]
    return check(_with_sets(function), right=_misfits, cases=cases, mistakes=mistakes)


def check_sentence_vectors(function: Callable) -> Verdict:
    """Check the mean over all tokens but padding, scaled to length 1.

    Parameters
    ----------
    function : callable
        Takes hidden_states (batch, seq, hidden) and attention_mask (batch, seq); returns vectors
        (batch, hidden).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 15.
    """
    mistakes = [
        Mistake(lambda h, mask: _unit(h.mean(axis=1)), "Padding is averaged, too. Which argument "
                "tells what is padding?"),
        Mistake(lambda h, mask: _unit(h[:, 0]), "That is the vector of [CLS] alone. Take the mean "
                "over all tokens of a row."),
        Mistake(_mean, "The means are right. Their length is not 1 yet."),
        Mistake(lambda h, mask: h.mean(axis=1), "Padding is averaged, too, and the length is not "
                "1."),
        Mistake(lambda h, mask: _mean(h, mask) / np.linalg.norm(_mean(h, mask)), "You divide by "
                "the length of all vectors together. Each row has a length of its own."),
        Mistake(lambda h, mask: _mean(h, mask) / np.linalg.norm(_mean(h, mask), axis=0), "You "
                "measure the columns. A vector is a row."),
        Mistake(lambda h, mask: _mean(_unit(h), mask), "You scale the tokens and then take the "
                "mean. Scale the mean."),
        Mistake(lambda h, mask: _mean(h, mask) / np.abs(_mean(h, mask)).sum(axis=-1, keepdims=True),
                "You measure the length by adding up sizes. Add up squares, then take the root."),
        Mistake(lambda h, mask: _unit(_mean(h, 1 - mask + (mask.min(axis=1, keepdims=True) > 0))),
                "That is the mean over the padding. A 1 in the mask is a token."),
    ]  # fmt: skip
    rng = np.random.default_rng(16)
    cases = [
        (np.array([[[3.0, 0], [0, 4]], [[1, 2], [9, -9]]]), np.array([[1, 1], [1, 0]])),
        (rng.normal(size=(3, 4, 5)), np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]])),
    ]  # fmt: skip
    return check(
        function, right=lambda h, mask: _unit(_mean(h, mask)), cases=cases, mistakes=mistakes
    )


def check_nearest(function: Callable) -> Verdict:
    """Check a search by cosine.

    Parameters
    ----------
    function : callable
        Takes a query (hidden,), vectors (texts, hidden) and a count; returns the numbers of so
        many vectors, the most similar one first.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 15.
    """
    mistakes = [
        Mistake(lambda q, v, count: np.argsort(-(v @ q))[:count], "You compare dot products. A "
                "long vector wins them whatever it says: divide by the lengths."),
        Mistake(lambda q, v, count: np.argsort(_cosines(q, v))[:count], "These are the least "
                "similar ones."),
        Mistake(lambda q, v, count: np.argsort(_cosines(q, v))[-count:], "The right ones, with the "
                "best at the end. Turn the order around."),
        Mistake(lambda q, v, count: np.argsort(np.linalg.norm(v - q, axis=1))[:count], "You "
                "measure how far apart the ends are. The cosine asks for the direction only."),
        Mistake(lambda q, v, count: np.sort(-_cosines(q, v))[:count] * -1, "These are the "
                "similarities. Return the numbers of the vectors."),
        Mistake(lambda q, v, count: np.argsort(-np.abs(_cosines(q, v)))[:count], "Opposite "
                "directions are not similar: keep the sign."),
    ]  # fmt: skip
    rng = np.random.default_rng(17)
    cases = [
        (np.array([1.0, 0.0]), np.array([[9.0, 9.0], [1.0, 0.2], [-4.0, 0.0], [0.1, 0.3]]), 2),
        (np.array([0.5, -2.0, 1.0]), rng.normal(size=(8, 3)) * np.arange(1, 9)[:, None], 4),
    ]
    return check(function, right=_nearest, cases=cases, mistakes=mistakes)


def _file(tensors: dict[str, np.ndarray]) -> bytes:
    """Write a safetensors file, its header filled up with spaces as the format allows."""
    header, numbers = {}, b""
    for name, tensor in tensors.items():
        end = len(numbers) + 4 * tensor.size
        places = {"dtype": "F32", "shape": tensor.shape, "data_offsets": (len(numbers), end)}
        header[name] = places
        numbers += tensor.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + numbers


def _read(
    start: Callable[[int], int] = lambda length: 8 + length, kind: str = "<f4", first: bool = False
) -> Callable:
    """Make the reading of a tensor, with a place and a kind of number of its own."""

    def read(data: bytes, name: str) -> np.ndarray:
        length = int.from_bytes(data[:8], "little")
        entry = json.loads(data[8 : 8 + length])[name]
        place = start(length) + (0 if first else entry["data_offsets"][0])
        count = math.prod(entry["shape"])
        numbers = np.frombuffer(data[place : place + 4 * count], kind)
        return numbers.reshape(entry["shape"])

    return read


def _misfits(ours: dict[str, tuple], theirs: dict[str, tuple]) -> tuple[set, set, set]:
    return _shapes_compared(lambda shape: shape)(ours, theirs)


def _shapes_compared(by: Callable) -> Callable:
    """Make the comparison of names and of something of the shapes."""

    def compare(ours: dict[str, tuple], theirs: dict[str, tuple]) -> tuple[set, set, set]:
        both = ours.keys() & theirs.keys()
        others = {name for name in both if by(ours[name]) != by(theirs[name])}
        return set(ours.keys() - both), set(theirs.keys() - both), others

    return compare


def _with_sets(function: Callable) -> Callable:
    """Take lists of names for sets."""

    @functools.wraps(function)
    def answer(*arguments: object) -> object:
        found = function(*arguments)
        listed = list | tuple | set | frozenset | dict | type({}.keys())
        if not isinstance(found, tuple) or not all(isinstance(part, listed) for part in found):
            return found
        return tuple(set(part) for part in found)

    return answer


def _mean(hidden_states: np.ndarray, mask: np.ndarray) -> np.ndarray:
    weights = mask[..., None]
    return (hidden_states * weights).sum(axis=1) / weights.sum(axis=1)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _cosines(query: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return _unit(vectors) @ _unit(query)


def _nearest(query: np.ndarray, vectors: np.ndarray, count: int) -> np.ndarray:
    return np.argsort(-_cosines(query, vectors))[:count]
