"""Functions that make arrays, or join them."""

from __future__ import annotations

import itertools
import math

from .kinds import BOOL, FLOAT, INT, TEXT, as_dtype, together
from .ndarray import array, asarray, axes_of, broadcast_to, ndarray
from .reductions import nonzero
from .ufuncs import UFUNCS, choose


def full(shape, value, dtype=None):
    """Make an array of one number."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return array(broadcast_to(array(value, dtype), shape))


def zeros(shape, dtype=float):
    """Make an array of zeros."""
    return full(shape, 0, dtype)


def ones(shape, dtype=float):
    """Make an array of ones."""
    return full(shape, 1, dtype)


def _like(value):
    def make(one, fill=None, dtype=None):
        one = asarray(one)
        return full(one.shape, value if fill is None else fill, dtype or one.dtype)

    return make


zeros_like, ones_like, full_like = _like(0), _like(1), _like(0)


def arange(start, stop=None, step=1, dtype=None):
    """Count from start to stop."""
    start, stop = (0, start) if stop is None else (start, stop)
    count = max(0, math.ceil((stop - start) / step))
    return array([start + i * step for i in range(count)], dtype or (None if count else int))


def linspace(start, stop, num=50, endpoint=True):
    """Divide a range evenly."""
    parts = (num - 1 if endpoint else num) or 1
    return array([start + (stop - start) * i / parts for i in range(num)], float)


def eye(rows, columns=None, k=0, dtype=float):
    """Make a matrix with ones on a diagonal."""
    columns = rows if columns is None else columns
    return array([[j - i == k for j in range(columns)] for i in range(rows)], dtype)


def identity(size, dtype=float):
    """Make a square matrix with ones on the diagonal."""
    return eye(size, dtype=dtype)


def fill_diagonal(one, value):
    """Write into the diagonal of an array."""
    if one.ndim < 2:
        raise ValueError("array must be at least 2-d")
    one[(arange(min(one.shape)),) * one.ndim] = value


def tri(rows, columns=None, k=0, dtype=float):
    """Make a matrix with ones on a diagonal and below."""
    columns = rows if columns is None else columns
    return array([[j - i <= k for j in range(columns)] for i in range(rows)], dtype)


def tril(one, k=0):
    """Keep what stands on a diagonal and below."""
    one = asarray(one)
    return choose(tri(*one.shape[-2:], k, bool), one, array(0, one.dtype))


def triu(one, k=0):
    """Keep what stands on a diagonal and above."""
    one = asarray(one)
    return choose(tri(*one.shape[-2:], k - 1, bool), array(0, one.dtype), one)


def diag(one):
    """Make a matrix of its diagonal, or take the diagonal out of one."""
    one = asarray(one)
    if one.ndim == 2:
        return array([one[i, i] for i in range(min(one.shape))], one.dtype)
    made = zeros((one.size, one.size), one.dtype)
    for i, number in enumerate(one.values()):
        made[i, i] = number
    return made


def where(test, *given):
    """Choose entries of two arrays by a test, or say where it holds."""
    return choose(test, *given) if given else nonzero(test)


def concatenate(arrays, axis=0):
    """Join arrays along an axis."""
    arrays = [asarray(one) for one in arrays]
    axis = axes_of(arrays[0], axis)[0]
    size = sum(one.shape[axis] for one in arrays)
    shape = [size if i == axis else n for i, n in enumerate(arrays[0].shape)]
    made, begin = zeros(shape, together(*(one.dtype for one in arrays))), 0
    for one in arrays:
        end = begin + one.shape[axis]
        made[(slice(None),) * axis + (slice(begin, end),)] = one
        begin = end
    return made


def stack(arrays, axis=0):
    """Join arrays along a new axis."""
    return concatenate([expand_dims(one, axis) for one in arrays], axis)


def vstack(arrays):
    """Join arrays row by row."""
    return concatenate([atleast_2d(one) for one in arrays])


def hstack(arrays):
    """Join arrays column by column, and numbers and rows to one row."""
    arrays = [atleast_1d(one) for one in arrays]
    return concatenate(arrays, min(arrays[0].ndim - 1, 1))


def column_stack(arrays):
    """Join arrays column by column."""
    return concatenate([one if asarray(one).ndim > 1 else atleast_2d(one).T for one in arrays], 1)


def expand_dims(one, axis):
    """Add an axis of length 1."""
    one = asarray(one)
    axis = axis % (one.ndim + 1)
    return one.reshape((*one.shape[:axis], 1, *one.shape[axis:]))


def atleast_1d(one):
    """Make a row of a number."""
    one = asarray(one)
    return one if one.ndim else one.reshape(1)


def atleast_2d(one):
    """Make a matrix of a row."""
    one = asarray(one)
    return one if one.ndim > 1 else one.reshape(1, -1)


def bincount(one, weights=None, minlength=0):
    """Count how often 0, 1, 2, … occur, or add up their weights."""
    one = asarray(one)
    found = zeros(
        max([minlength, *(n + 1 for n in one.values())]), int if weights is None else float
    )
    if one.size and min(one.values()) < 0:
        raise ValueError("'list' argument must have no negative elements")
    UFUNCS["add"].at(found, one, 1 if weights is None else weights)
    return found


def unique(one):
    """Sort the distinct entries."""
    one = asarray(one)
    return array(sorted(set(one.values())), one.dtype)


def argwhere(one):
    """List the places of what is not 0."""
    one = asarray(one)
    places = nonzero(one)
    rows = [*zip(*(place.values() for place in places))] if one.ndim else [()] * bool(one)
    return ndarray([i for row in rows for i in row], (len(rows), one.ndim), INT)


def ndindex(*shape):
    """Go through all places of a shape."""
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return itertools.product(*map(range, shape))


class vectorize:
    """Make a function of a number one of arrays."""

    def __init__(self, function, otypes=None):
        self.function, self.kind = function, as_dtype(otypes[0]) if otypes else None

    def __call__(self, *given):
        """Call the function for every entry."""
        arrays = [asarray(one) for one in given]
        first = UFUNCS["add"].__class__(
            "vectorized", self.function, self.kind or _found(self, arrays)
        )
        return asarray(first(*arrays))


def _found(self, arrays):
    if not arrays[0].size:
        return FLOAT
    return array(self.function(*(one.values()[0] for one in arrays))).dtype


def nan_to_num(one, nan=0.0):
    """Replace what is no number."""
    one = asarray(one)
    return ndarray([nan if v != v else v for v in one.values()], one.shape, one.dtype)


KINDS = {"b": BOOL, "i": INT, "f": FLOAT, "U": TEXT}
ndarray.fill = lambda self, value: self.__setitem__(..., value)
ndarray.flatten = lambda self: self.copy().reshape(-1)
