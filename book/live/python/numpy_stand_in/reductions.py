"""Functions of many numbers: along one axis, along several, or of all."""

from __future__ import annotations

import builtins
import math

from .kinds import BOOL, FLOAT, INT, SHORT, as_dtype
from .ndarray import array, asarray, axes_of, entry, ndarray
from .ufuncs import UFUNCS

NO_START = object()


def along(one, function, axis=None, keepdims=False, kind=None):
    """Reduce each row along the axes to what a function makes of its numbers."""
    one = asarray(one)
    axes = axes_of(one, axis)
    kept = [axis for axis in range(one.ndim) if axis not in axes]
    values = one.transpose(kept + axes).values() if one.ndim else one.values()
    shape = [one.shape[axis] for axis in kept]
    size = math.prod(one.shape[axis] for axis in axes)
    kind = kind or one.dtype
    found = [
        kind.cast(function(values[i * size : (i + 1) * size])) for i in range(math.prod(shape))
    ]
    if keepdims:
        shape = [1 if axis in axes else n for axis, n in enumerate(one.shape)]
    return ndarray(found, shape, kind) if shape else entry(found[0], kind)


def _counts(one):
    """Return the kind of a sum: true counts 1."""
    return INT if one.dtype.kind in "bu" else one.dtype


def _means(one):
    return SHORT if one.dtype is SHORT else FLOAT


def sum(one, axis=None, dtype=None, out=None, keepdims=False):
    """Add up."""
    one = asarray(one)
    return along(one, builtins.sum, axis, keepdims, as_dtype(dtype) or _counts(one))


def prod(one, axis=None, keepdims=False):
    """Multiply all."""
    one = asarray(one)
    return along(one, math.prod, axis, keepdims, _counts(one))


def _mean(numbers):
    return builtins.sum(numbers) / len(numbers) if numbers else math.nan


def mean(one, axis=None, dtype=None, out=None, keepdims=False):
    """Compute the mean."""
    one = asarray(one)
    return along(one, _mean, axis, keepdims, _means(one))


def average(one, axis=None, weights=None, keepdims=False):
    """Compute the mean, in which some entries may weigh more."""
    if weights is None:
        return mean(one, axis, keepdims=keepdims)
    one, weights = asarray(one), asarray(weights)
    if weights.shape != one.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = axes_of(one, axis)
        if weights.shape != tuple(one.shape[i] for i in axes):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        weights = weights.reshape([n if i in axes else 1 for i, n in enumerate(one.shape)])
    total = sum(one * 0 + weights, axis, keepdims=keepdims)
    if any(total == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return sum(one * weights, axis, keepdims=keepdims) / total


def nanmean(one, axis=None, keepdims=False):
    """Compute the mean of all that is a number."""
    one = asarray(one)
    return along(one, lambda row: _mean([n for n in row if n == n]), axis, keepdims, _means(one))


def _middle(numbers):
    half = len(numbers) // 2
    middle = sorted(numbers)[half - 1 + len(numbers) % 2 : half + 1]
    return math.nan if builtins.any(n != n for n in numbers) else _mean(middle)


def median(one, axis=None, keepdims=False):
    """Find the middle entry, or the mean of the two."""
    one = asarray(one)
    return along(one, _middle, axis, keepdims, _means(one))


def var(one, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """Compute the mean squared distance from the mean."""

    def spread(numbers):
        middle = _mean(numbers)
        squares = builtins.sum((number - middle) ** 2 for number in numbers)
        return squares / (len(numbers) - ddof) if len(numbers) > ddof else math.nan

    one = asarray(one)
    return along(one, spread, axis, keepdims, _means(one))


def std(one, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """Compute the root of the variance."""
    return UFUNCS["sqrt"](var(one, axis, ddof=ddof, keepdims=keepdims))


def _extreme(name, choose):
    def reduce(one, axis=None, out=None, keepdims=False, initial=NO_START):
        def extreme(numbers):
            numbers = numbers if initial is NO_START else [*numbers, initial]
            if not numbers:
                raise ValueError(
                    f"zero-size array to reduction operation {name} which has no identity"
                )
            return next((n for n in numbers if n != n), None) or choose(numbers)

        return along(one, extreme, axis, keepdims)

    return reduce


max, min = _extreme("maximum", builtins.max), _extreme("minimum", builtins.min)


def any(one, axis=None, out=None, keepdims=False):
    """Say whether one is true."""
    return along(one, builtins.any, axis, keepdims, BOOL)


def all(one, axis=None, out=None, keepdims=False):
    """Say whether all are true."""
    return along(one, builtins.all, axis, keepdims, BOOL)


def _place(choose):
    def find(one, axis=None, keepdims=False):
        def place(numbers):
            if not numbers:
                raise ValueError("attempt to get argmax of an empty sequence")
            nan = next((i for i, n in enumerate(numbers) if n != n), None)
            return numbers.index(choose(numbers)) if nan is None else nan

        return along(one, place, axis, keepdims, INT)

    return find


argmax, argmin = _place(builtins.max), _place(builtins.min)


def count_nonzero(one, axis=None, keepdims=False):
    """Count what is not 0."""
    return along(one, lambda numbers: builtins.sum(map(bool, numbers)), axis, keepdims, INT)


def _each_row(one, axis, function, kind=None):
    """Replace each row along an axis by another of the same length."""
    one = asarray(one)
    one, axis = (one.reshape(-1), 0) if axis is None else (one, axis)
    moved = one.swapaxes(axis, -1)
    values, size = moved.values(), moved.shape[-1]
    rows = [function(values[i : i + size]) for i in range(0, len(values), size or 1)]
    flat = [number for row in rows for number in row]
    return ndarray(flat, moved.shape, kind or one.dtype).swapaxes(axis, -1).copy()


def cumsum(one, axis=None):
    """Add up, keeping every step."""

    def steps(numbers):
        return [builtins.sum(numbers[: i + 1]) for i in range(len(numbers))]

    one = asarray(one)
    return _each_row(one, axis, steps, _counts(one))


def cumprod(one, axis=None):
    """Multiply up, keeping every step."""

    def steps(numbers):
        return [math.prod(numbers[: i + 1]) for i in range(len(numbers))]

    one = asarray(one)
    return _each_row(one, axis, steps, _counts(one))


def sort(one, axis=-1):
    """Sort each row."""
    return _each_row(one, axis, sorted)


def argsort(one, axis=-1, kind=None, stable=None):
    """Say in which order the entries of each row would be sorted."""
    return _each_row(one, axis, lambda row: sorted(range(len(row)), key=row.__getitem__), INT)


def nonzero(one):
    """Return the places of what is not 0, an array for each axis."""
    one = asarray(one)
    places = [i for i, number in enumerate(one.values()) if number]
    found = []
    for size in reversed(one.shape):
        found.append(array([place % size for place in places], int))
        places = [place // size for place in places]
    return tuple(reversed(found))


def flatnonzero(one):
    """Return the places of what is not 0, counted along the rows."""
    return nonzero(asarray(one).reshape(-1))[0]


METHODS = (
    sum, prod, mean, var, std, any, all, argmax, argmin, cumsum, cumprod, argsort, nonzero
)  # fmt: skip
for _method in METHODS:
    setattr(ndarray, _method.__name__, _method)
ndarray.max, ndarray.min, ndarray.argmax, ndarray.argmin = max, min, argmax, argmin
