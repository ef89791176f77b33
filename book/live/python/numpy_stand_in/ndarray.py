"""An array: a list of numbers, a shape, and the steps from one entry to the next.

A view, such as a row or a transpose, shares the list and has steps of its own.
"""

from __future__ import annotations

import math

from .indexing import located
from .kinds import BOOL, FLOAT, INT, Small, as_dtype, generic, kind_of
from .printing import array_text


class ndarray(Small):
    """An array of any shape."""

    __array_ufunc__ = None  # where there is a numpy as well, it leaves the operators to us
    __hash__ = None

    def __init__(self, data, shape, dtype=FLOAT, strides=None, start=0):
        self.data, self.shape, self.dtype, self.start = data, tuple(shape), dtype, start
        self.strides = steps_of(self.shape) if strides is None else strides

    @property
    def ndim(self):
        """Count the axes."""
        return len(self.shape)

    @property
    def size(self):
        """Count the entries."""
        return math.prod(self.shape)

    @property
    def T(self):
        """Turn the axes around."""
        return self.transpose()

    @property
    def flat(self):
        """See all entries in one row."""
        return self.reshape(-1)

    def values(self) -> list:
        """List all entries in order, as Python has them."""
        if self.strides == steps_of(self.shape):
            return self.data[self.start : self.start + self.size]
        return [self.data[place] for place in self.places()]

    def places(self) -> list[int]:
        """List where the entries stand."""
        found = [self.start]
        for size, step in zip(self.shape, self.strides):
            found = [place + i * step for place in found for i in range(size)]
        return found

    def __getitem__(self, key):
        found = located(self, key)
        if found.places is not None:
            picked = [self.data[place] for place in found.places]
            return ndarray(picked, found.shape, self.dtype)
        view = ndarray(self.data, found.shape, self.dtype, found.strides, found.start)
        is_entry = not found.shape and not _has_dots(key)
        return entry(self.data[found.start], self.dtype) if is_entry else view

    def __setitem__(self, key, value):
        found = located(self, key)
        places = found.places
        if places is None:
            places = ndarray(self.data, found.shape, INT, found.strides, found.start).places()
        cast = self.dtype.cast
        for place, number in zip(places, broadcast_to(asarray(value), found.shape).values()):
            self.data[place] = cast(number)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        return value in self.values()

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self.values()[0])

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __index__(self):
        if self.shape or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self.item()

    def __repr__(self):
        return array_text(self, "array(", ", ", ")")

    def __str__(self):
        return array_text(self, "", " ", "")

    def __format__(self, spec):
        return format(self.item() if not self.shape else str(self), spec)

    def item(self, *place):
        """Take the one entry out, as Python has it."""
        if place:
            return self[place].item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.values()[0]

    def tolist(self):
        """Write the entries as lists of lists."""
        if self.ndim < 2:
            return self.values() if self.shape else self.item()
        return [row.tolist() for row in self]

    def astype(self, dtype, copy=True):
        """Copy the entries as numbers of another kind."""
        kind = as_dtype(dtype)
        return ndarray(list(map(kind.cast, self.values())), self.shape, kind)

    def copy(self):
        """Copy the entries."""
        return ndarray(list(self.values()), self.shape, self.dtype)

    def transpose(self, *axes):
        """Order the axes anew."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = [axis % self.ndim for axis in axes] if axes else range(self.ndim)[::-1]
        if sorted(order) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        shape = [self.shape[axis] for axis in order]
        strides = tuple(self.strides[axis] for axis in order)
        return ndarray(self.data, shape, self.dtype, strides, self.start)

    def swapaxes(self, first, second):
        """Let two axes change places."""
        order = list(range(self.ndim))
        first, second = axes_of(self, first)[0], axes_of(self, second)[0]
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    def reshape(self, *shape, order="C"):
        """Cut the entries into rows of another length; one length may be -1."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        shape = [shape] if isinstance(shape, int) else list(shape)
        if -1 in shape:
            others = -math.prod(shape)
            shape[shape.index(-1)] = self.size // others if others else 0
        if math.prod(shape) != self.size:
            told = written(shape)
            raise ValueError(f"cannot reshape array of size {self.size} into shape {told}")
        whole = self.strides == steps_of(self.shape)
        data, start = (self.data, self.start) if whole else (self.values(), 0)
        return ndarray(data, shape, self.dtype, None, start)

    def ravel(self):
        """Put all entries in one row."""
        return self.reshape(-1)

    def squeeze(self, axis=None):
        """Leave out axes of length 1."""
        gone = axes_of(self, axis) if axis is not None else range(self.ndim)
        kept = [n for i, n in enumerate(self.shape) if n != 1 or i not in gone]
        return self.reshape(kept)


def _has_dots(key) -> bool:
    return any(part is Ellipsis for part in (key if isinstance(key, tuple) else (key,)))


def steps_of(shape) -> tuple[int, ...]:
    """Return the steps of an array that stands in one piece."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def axes_of(one: ndarray, axis) -> list[int]:
    """Read an axis, several, or None for all; count negative ones from the end."""
    axes = range(one.ndim) if axis is None else axis if isinstance(axis, tuple | list) else [axis]
    for number in axes:
        if not -one.ndim <= number < one.ndim:
            raise AxisError(f"axis {number} is out of bounds for array of dimension {one.ndim}")
    return [number % one.ndim for number in axes]


class AxisError(ValueError, IndexError):
    """An axis that is not there."""


def entry(number, dtype):
    """Give an entry the class of its kind."""
    return number if dtype.kind in "OU" else dtype.type(number)


def array(given, dtype=None, copy=True, ndmin=0) -> ndarray:
    """Make an array of numbers, lists of numbers, or another array."""
    if isinstance(given, ndarray):
        made = given.astype(dtype) if dtype is not None else given.copy()
    else:
        shape, values = _unfolded(given)
        kind = as_dtype(dtype) or _kind_inside(given, values)
        made = ndarray(list(map(kind.cast, values)), shape, kind)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if ndmin > made.ndim else made


def asarray(given, dtype=None) -> ndarray:
    """Take an array as it is, and make one of anything else."""
    if isinstance(given, ndarray) and dtype in (None, given.dtype):
        return given
    return array(given, dtype)


def _kind_inside(given, values):
    first = given[0] if isinstance(given, list | tuple) and given else given
    kind = first.dtype if isinstance(first, generic | ndarray) else None
    return kind_of(values) if kind is None or kind in (BOOL, INT, FLOAT) else as_dtype(kind)


def _unfolded(given) -> tuple[tuple[int, ...], list]:
    """Return the shape and all entries of lists in lists."""
    if not isinstance(given, generic) and hasattr(given, "tolist"):
        given = given.tolist()
    if not isinstance(given, list | tuple | range):
        return (), [given]
    inner = [_unfolded(one) for one in given]
    shapes = {shape for shape, _ in inner}
    if len(shapes) > 1:
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            "shape after 1 dimensions. The detected shape was "
            f"({len(inner)},) + inhomogeneous part."
        )
    return (len(inner), *(shapes.pop() if shapes else ())), [v for _, vs in inner for v in vs]


def written(shape) -> str:
    """Write a shape as numpy's errors do."""
    return f"({','.join(map(str, shape))}{',' * (len(shape) == 1)})"


def broadcast_shapes(*shapes) -> tuple[int, ...]:
    """Find the shape in which all of them fit."""
    ndim = max(map(len, shapes), default=0)
    columns = zip(*[(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes])
    found = []
    for column in columns:
        sizes = {*column} - {1}
        if len(sizes) > 1:
            told = " ".join(map(written, shapes))
            raise ValueError(f"operands could not be broadcast together with shapes {told}")
        found.append(sizes.pop() if sizes else 1)
    return tuple(found)


def broadcast_to(given, shape) -> ndarray:
    """Repeat an array, without copying it, until it has a shape."""
    one, shape = asarray(given), tuple(shape) if not isinstance(shape, int) else (shape,)
    try:
        fits = broadcast_shapes(one.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"could not broadcast input array from shape {one.shape} into shape {shape}"
        )
    new = len(shape) - one.ndim
    strides = [0 if size == 1 else step for size, step in zip(one.shape, one.strides)]
    return ndarray(one.data, shape, one.dtype, (0,) * new + tuple(strides), one.start)
