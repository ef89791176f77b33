"""Where the entries stand that x[key] names."""

from __future__ import annotations

import operator
from typing import NamedTuple


class Found(NamedTuple):
    """A view, with steps and a start, or the places of single entries."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int
    places: list[int] | None = None


class Advanced(NamedTuple):
    """An array of indices for one axis, whose result goes to `position`."""

    position: int
    indices: object
    step: int


def located(one, key) -> Found:
    """Find what a key names in an array."""
    if _is_truth(key):  # all of it, or nothing, on a new axis
        row = type(one)(one.data, (1, *one.shape), one.dtype, (0, *one.strides), one.start)
        return located(row, [0] if key else [])
    keys = _whole(one, _arrays(key if isinstance(key, tuple) else (key,)))
    is_advanced = any(hasattr(part, "values") for part in keys)
    shape, strides, start, advanced, axis = [], [], one.start, [], 0
    for part in keys:
        if part is None:
            shape, strides = [*shape, 1], [*strides, 0]
            continue
        size, step = one.shape[axis], one.strides[axis]
        if isinstance(part, slice):
            begin, end, by = part.indices(size)
            shape, strides = [*shape, len(range(begin, end, by))], [*strides, step * by]
            start += begin * step if shape[-1] else 0
        elif is_advanced:
            advanced.append(Advanced(len(shape), _checked(part, size, axis), step))
        else:
            start += _in_range(part, size, axis) * step
        axis += 1
    found = Found(tuple(shape), tuple(strides), start)
    return _picked(found, advanced) if is_advanced else found


def _is_truth(key) -> bool:
    no_axes = not getattr(key, "shape", ())
    return isinstance(key, bool) or (
        no_axes and getattr(getattr(key, "dtype", None), "kind", "") == "b"
    )


def _arrays(keys) -> list:
    """Turn lists into arrays, and arrays of true and false into those of places."""
    from .ndarray import asarray, ndarray  # only here: arrays stand above their indices

    found = []
    for part in keys:
        part = asarray(part) if isinstance(part, list) else part
        if isinstance(part, ndarray) and part.dtype.kind == "b":
            found += part.nonzero()
        elif isinstance(part, ndarray) and not part.size:
            found.append(part.astype(int))
        else:
            found.append(part)
    return found


def _whole(one, keys: list) -> list:
    """Write … as slices, and add those that are not said."""
    used = sum(part is not None and part is not Ellipsis for part in keys)
    if used > one.ndim:
        raise IndexError(
            f"too many indices for array: array is {one.ndim}-dimensional, but {used} were indexed"
        )
    rest = [slice(None)] * (one.ndim - used)
    dots = [i for i, part in enumerate(keys) if part is Ellipsis]
    place = dots[0] if dots else len(keys)
    return [*keys[:place], *rest, *keys[place + 1 :]]


def _in_range(part, size: int, axis: int) -> int:
    try:
        number = operator.index(part)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices"
        ) from None
    if not -size <= number < size:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {size}")
    return number % size


def _checked(part, size: int, axis: int):
    """Return an array of indices from 0 on."""
    from .ndarray import INT, asarray, ndarray

    given = asarray(part)
    if given.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return ndarray([_in_range(i, size, axis) for i in given.values()], given.shape, INT)


def _picked(found: Found, advanced: list[Advanced]) -> Found:
    """Combine the slices of a key with its arrays of indices."""
    from .ndarray import INT, broadcast_shapes, broadcast_to, ndarray

    shape = broadcast_shapes(*(part.indices.shape for part in advanced))
    numbers = [broadcast_to(part.indices, shape).values() for part in advanced]
    steps = [part.step for part in advanced]
    picked = [sum(map(operator.mul, row, steps)) for row in zip(*numbers)]
    positions = {part.position for part in advanced}
    place = positions.pop() if len(positions) == 1 else 0  # with a slice between, they come first
    before = ndarray([], found.shape[:place], INT, found.strides[:place], found.start).places()
    after = ndarray([], found.shape[place:], INT, found.strides[place:], 0).places()
    places = [b + p + a for b in before for p in picked for a in after]
    return Found(found.shape[:place] + shape + found.shape[place:], (), 0, places)
