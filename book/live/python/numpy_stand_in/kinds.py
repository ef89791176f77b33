"""Kinds of numbers: what an array may hold, and what comes out of it one by one."""

from __future__ import annotations

import struct

# What a number answers as an array of one entry would.
AS_AN_ARRAY = {
    "T", "all", "any", "astype", "clip", "copy", "flatten", "item", "max", "mean", "min", "ndim",
    "prod", "ravel", "repeat", "reshape", "round", "shape", "size", "squeeze", "std", "sum",
    "tolist", "transpose", "var",
}  # fmt: skip


def missing(name: str) -> AttributeError:
    """Make the error for a name that numpy may have, and this page has not."""
    told = f"the small numpy of this page has no {name}; what numpy has works in Jupyter"
    return AttributeError(told)


class Small:
    """What has fewer names than it has in numpy."""

    def __getattr__(self, name):
        raise missing(f"{vars(self).get('__name__', type(self).__name__)}.{name}")


class Part(Small):
    """A part of numpy, such as linalg."""

    def __init__(self, part: str, **names):
        vars(self).update(names, __name__=part)


class generic:
    """A number out of an array: everything an array can do, it can do."""

    def __getattr__(self, name):
        if name not in AS_AN_ARRAY:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(_array(self), name)

    def __getitem__(self, key):
        return _array(self)[key]


class float64(generic, float):
    """A number with a decimal point; divided by 0 it is infinite."""

    def __repr__(self):
        return f"np.float64({float.__repr__(self)})"

    __str__ = float.__repr__
    __hash__ = float.__hash__


class float32(float64):
    """A number with seven digits."""


class bool_(generic, int):
    """True or false, with a ~ that means not."""

    def __invert__(self):
        return bool_(not self)

    def __repr__(self):
        return f"np.{bool(self)}_"

    def __str__(self):
        return str(bool(self))

    __hash__ = int.__hash__


class int64(generic, int):
    """A whole number."""

    def __repr__(self):
        return f"np.int64({int.__repr__(self)})"

    __str__ = int.__repr__
    __hash__ = int.__hash__


class uint8(int64):
    """A small whole number."""


class dtype:
    """What the entries of an array are: `kind` is "b", "i", "f", "U" or "O"."""

    def __init__(self, kind: str, type: type, cast):
        self.kind, self.type, self.cast, self.name = kind, type, cast, type.__name__.rstrip("_")

    def __eq__(self, other):
        return as_dtype(other) is self

    __hash__ = object.__hash__

    def __deepcopy__(self, memo):
        return self  # there is one of each kind

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name


def _short(number) -> float:
    """Round to the 24 bits of a float32."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _whole(number) -> int:
    return int(number) if isinstance(number, int) else int(float(number))


def _any(thing):
    return thing


BOOL = dtype("b", bool_, bool)
INT = dtype("i", int64, _whole)
BYTE = dtype("u", uint8, lambda number: _whole(number) % 256)
FLOAT = dtype("f", float64, float)
SHORT = dtype("f", float32, _short)
TEXT = dtype("U", str, str)
OBJECT = dtype("O", object, _any)
_BY_TYPE = {bool: BOOL, int: INT, float: FLOAT, str: TEXT, object: OBJECT}
_BY_TYPE |= {bool_: BOOL, int64: INT, uint8: BYTE, float64: FLOAT, float32: SHORT}
bool_.dtype, float64.dtype, float32.dtype = BOOL, FLOAT, SHORT
int64.dtype, uint8.dtype = INT, BYTE
_BY_NAME = {known.name: known for known in _BY_TYPE.values()}


def as_dtype(given) -> dtype | None:
    """Read a kind of numbers from a type or a name; None stays None."""
    if given is None or isinstance(given, dtype):
        return given
    if isinstance(given, str) and given in _BY_NAME:
        return _BY_NAME[given]
    if isinstance(given, type) and given in _BY_TYPE:
        return _BY_TYPE[given]
    name = getattr(given, "__name__", str(given)).rstrip("_")
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise TypeError(f"Cannot interpret {given!r} as a data type")


def kind_of(values: list) -> dtype:
    """Find the kind that holds all values."""
    found = {bool if isinstance(v, bool | bool_) else _python_type(v) for v in values}
    if not found:
        return FLOAT
    if found == {bool}:
        return BOOL
    if found <= {bool, int}:
        return INT
    if found <= {bool, int, float}:
        return FLOAT
    return TEXT if found == {str} else OBJECT


def _python_type(value):
    return next((t for t in (int, float, str) if isinstance(value, t)), object)


def together(*kinds: dtype) -> dtype:
    """Find the kind of a result of numbers of several kinds."""
    order = [BOOL, BYTE, INT, SHORT, FLOAT, TEXT, OBJECT]
    return max(kinds, key=order.index)


def _array(value):
    from .ndarray import asarray  # only here: arrays are made of what stands in this file

    return asarray(value, value.dtype)


def give_operators(cls: type, names: dict) -> None:
    """Give a class its operators: `names` has the function of each."""
    for name, function in names.items():
        setattr(cls, f"__{name}__", _operator(function))
        setattr(cls, f"__r{name}__", _operator(lambda a, b, f=function: f(b, a)))


def _operator(function):
    def apply(self, other):
        stranger = not hasattr(other, "strides") and hasattr(other, "__array_ufunc__")
        return NotImplemented if stranger else function(self, other)

    return apply
