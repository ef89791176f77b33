"""Functions that pick entries, repeat them, or put them in another order."""

from __future__ import annotations

from .ndarray import array, asarray, axes_of, ndarray
from .shapes import arange


def axis_of(one, axis):
    """Count an axis from the front."""
    return axes_of(one, axis)[0]


def repeat(one, times, axis=None):
    """Repeat every entry."""
    one = asarray(one)
    one, axis = (one.reshape(-1), 0) if axis is None else (one, axis_of(one, axis))
    many = [times] * one.shape[axis] if isinstance(times, int) else asarray(times).tolist()
    index = [i for i, n in enumerate(many) for _ in range(n)]
    return one[(slice(None),) * axis + (array(index, int),)]


def tile(one, times):
    """Repeat the whole array along its last axes."""
    times = (times,) if isinstance(times, int) else tuple(times)
    one = array(one, ndmin=len(times))
    for axis, count in enumerate(times, one.ndim - len(times)):
        one = take(one, [*range(one.shape[axis])] * count, axis)
    return one


def take(one, places, axis=None):
    """Pick entries along an axis."""
    one = asarray(one)
    one, axis = (one.reshape(-1), 0) if axis is None else (one, axis_of(one, axis))
    return one[(slice(None),) * axis + (asarray(places),)]


def take_along_axis(one, places, axis=-1):
    """Pick in each row along an axis the entries that its row of places names."""
    one, places = asarray(one), asarray(places)
    one, axis = (one.reshape(-1), 0) if axis is None else (one, axis_of(one, axis))
    if one.ndim != places.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    grid = [arange(n).reshape([-1 if i == j else 1 for j in range(one.ndim)])
            for i, n in enumerate(one.shape)]  # fmt: skip
    return one[(*grid[:axis], places, *grid[axis + 1 :])]


def delete(one, place, axis=None):
    """Leave a row out."""
    one = asarray(one)
    one, axis = (one.reshape(-1), 0) if axis is None else (one, axis_of(one, axis))
    kept = [i for i in range(one.shape[axis]) if i != place % one.shape[axis]]
    return take(one, array(kept, int), axis)


def roll(one, shift, axis=None):
    """Push the entries on; what falls out comes in again."""
    one = asarray(one)
    if axis is None:
        return roll(one.reshape(-1), shift, 0).reshape(one.shape)
    axis = axis_of(one, axis)
    size = one.shape[axis]
    return one[(slice(None),) * axis + (array([(i - shift) % size for i in range(size)], int),)]


def flip(one, axis=None):
    """Turn the order along axes around."""
    one = asarray(one)
    axes = axes_of(one, axis)
    return one[tuple(slice(None, None, -1 if i in axes else 1) for i in range(one.ndim))]


def moveaxis(one, source, destination):
    """Move axes to other positions; the rest stay in their order."""
    one = asarray(one)
    source, destination = axes_of(one, source), axes_of(one, destination)
    order = [axis for axis in range(one.ndim) if axis not in source]
    for position, axis in sorted(zip(destination, source)):
        order.insert(position, axis)
    return one.transpose(order)


ndarray.repeat, ndarray.take = repeat, take
