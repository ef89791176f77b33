"""Functions of single numbers, done to whole arrays: they repeat what is too small."""

from __future__ import annotations

import math
import operator

from .kinds import (
    BOOL,
    FLOAT,
    INT,
    SHORT,
    as_dtype,
    bool_,
    float64,
    give_operators,
    int64,
    together,
)
from .ndarray import array, asarray, broadcast_shapes, broadcast_to, entry, ndarray


class Ufunc:
    """A function of numbers that takes arrays."""

    def __init__(self, name, function, kind=None):
        self.__name__, self.function, self.kind = name, function, kind

    def __call__(self, *given, out=None, where=True, dtype=None):
        """Call the function for every entry of all that is given."""
        arrays = [asarray(one) for one in given]
        shape = broadcast_shapes(*(one.shape for one in arrays))
        kind = as_dtype(dtype) or self._kind([one.dtype for one in arrays])
        columns = [
            one.values() if one.shape == shape else broadcast_to(one, shape).values()
            for one in arrays
        ]
        numbers = list(map(kind.cast, map(self.function, *columns)))
        made = ndarray(numbers, shape, kind)
        if out is not None:
            made = choose(where, made, out)
            out[...] = made
            return out
        return made if shape else entry(numbers[0], kind)

    def _kind(self, kinds):
        widest = together(*kinds)
        if self.kind is FLOAT:
            return SHORT if widest is SHORT else FLOAT
        return self.kind or widest

    def outer(self, one, other):
        """Let every entry of one meet every entry of the other."""
        one, other = asarray(one), asarray(other)
        return self(one.reshape(one.shape + (1,) * other.ndim), other)

    def at(self, one, key, value):
        """Change entries in their place, one after the other, also when one is named twice."""
        places = ndarray(list(range(one.size)), one.shape, INT)[key]
        numbers = broadcast_to(asarray(value), places.shape).values()
        rows = one.places()
        for place, number in zip(places.values(), numbers):
            one.data[rows[place]] = one.dtype.cast(self.function(one.data[rows[place]], number))

    def reduce(self, one, axis=0):
        """Bring an axis down to one entry."""
        rows = asarray(one).swapaxes(0, axis)
        found = rows[0]
        for row in rows[1:]:
            found = self(found, row)
        return found


def choose(test, yes, no):
    """Take entries from one array where a test holds, and from another where not."""
    test, yes, no = map(asarray, (test, yes, no))
    shape = broadcast_shapes(test.shape, yes.shape, no.shape)
    columns = [broadcast_to(one, shape).values() for one in (test, yes, no)]
    kind = together(yes.dtype, no.dtype)
    picked = [kind.cast(a if t else b) for t, a, b in zip(*columns)]
    return ndarray(picked, shape, kind)


def _divided(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def _power(a, b):
    try:
        found = a**b
        return math.nan if isinstance(found, complex) else found
    except ZeroDivisionError:
        return math.inf
    except OverflowError:
        return math.inf


def _or_zero(function):
    """Return 0 where a whole number is divided by 0, and NaN for others."""

    def safe(a, b):
        try:
            return function(a, b)
        except ZeroDivisionError:
            return 0 if isinstance(a, int) and isinstance(b, int) else math.nan

    return safe


def _or(otherwise, function):
    """Compute a function of Python's; where it refuses, it has a limit, or is not a number."""

    def safe(x):
        try:
            return function(x)
        except (ValueError, OverflowError):
            return otherwise(x)

    return safe


def _nan(x):
    return math.nan


def _larger(a, b):
    return a if a != a or a >= b else b


def _smaller(a, b):
    return a if a != a or a <= b else b


def _sign(x):
    return x if x != x else (x > 0) - (x < 0)


def _not(x):
    return not x if isinstance(x, bool) else ~x


_TWO = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "power": _power,
    "floor_divide": _or_zero(operator.floordiv), "mod": _or_zero(operator.mod),
    "maximum": _larger, "minimum": _smaller,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
}  # fmt: skip
_COMPARE = {
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "greater": operator.gt,
    "less_equal": operator.le, "greater_equal": operator.ge,
    "logical_and": lambda a, b: bool(a and b), "logical_or": lambda a, b: bool(a or b),
    "logical_not": operator.not_, "logical_xor": lambda a, b: bool(a) != bool(b),
    "isnan": lambda x: x != x, "isinf": lambda x: abs(x) == math.inf, "isfinite": math.isfinite,
    "isneginf": lambda x: x == -math.inf, "isposinf": lambda x: x == math.inf,
    "signbit": lambda x: math.copysign(1, x) < 0,
}  # fmt: skip
_SAME = {
    "abs": abs, "negative": operator.neg, "positive": operator.pos, "sign": _sign,
    "square": lambda x: x * x, "invert": _not,
}  # fmt: skip
_FLOATS = {
    "divide": _divided, "arctan2": math.atan2, "hypot": math.hypot,
    "exp": _or(lambda x: math.inf if x > 0 else 0.0, math.exp),
    "exp2": _or(lambda x: math.inf if x > 0 else 0.0, lambda x: 2.0**x),
    "expm1": _or(lambda x: math.inf, math.expm1),
    "log": _or(lambda x: -math.inf if x == 0 else math.nan, math.log),
    "log2": _or(lambda x: -math.inf if x == 0 else math.nan, math.log2),
    "log10": _or(lambda x: -math.inf if x == 0 else math.nan, math.log10),
    "log1p": _or(lambda x: -math.inf if x == -1 else math.nan, math.log1p),
    "sqrt": _or(_nan, math.sqrt), "tanh": math.tanh, "sin": _or(_nan, math.sin),
    "cos": _or(_nan, math.cos), "tan": _or(_nan, math.tan), "arctan": math.atan,
    "arccos": _or(_nan, math.acos), "arcsin": _or(_nan, math.asin),
    "sinh": _or(lambda x: math.copysign(math.inf, x), math.sinh),
    "cosh": _or(lambda x: math.inf, math.cosh),
    "degrees": math.degrees, "radians": math.radians,
    "floor": lambda x: x if not math.isfinite(x) else math.floor(x),
    "ceil": lambda x: x if not math.isfinite(x) else math.ceil(x),
}  # fmt: skip


def _ufuncs(functions, kind=None):
    return {name: Ufunc(name, function, kind) for name, function in functions.items()}


UFUNCS = _ufuncs(_TWO) | _ufuncs(_COMPARE, BOOL) | _ufuncs(_SAME) | _ufuncs(_FLOATS, FLOAT)
UFUNCS["true_divide"], UFUNCS["absolute"] = UFUNCS["divide"], UFUNCS["abs"]

_ARITHMETIC = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power",
    "floordiv": "floor_divide", "mod": "mod",
}  # fmt: skip
_BITS = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
_ORDER = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "gt": "greater", "le": "less_equal",
    "ge": "greater_equal",
}  # fmt: skip
for _cls in (float64, int64, bool_, ndarray):
    _signs = _ARITHMETIC | _ORDER | (_BITS if _cls in (bool_, ndarray) else {})
    give_operators(_cls, {sign: UFUNCS[name] for sign, name in _signs.items()})
for _cls in (float64, int64, ndarray):
    _cls.__neg__ = lambda self: UFUNCS["negative"](self)
    _cls.__abs__ = lambda self: UFUNCS["abs"](self)
ndarray.__pos__ = lambda self: self.copy()
ndarray.__invert__ = lambda self: UFUNCS["invert"](self)


def _in_place(name):
    def change(self, other):
        found = asarray(UFUNCS[name](self, other))
        if found.dtype.kind == "f" and self.dtype.kind in "biu":
            raise TypeError(
                f"Cannot cast ufunc '{name}' output from dtype('float64') to {self.dtype!r} with "
                "casting rule 'same_kind'"
            )
        if broadcast_shapes(self.shape, found.shape) != self.shape or found.ndim > self.ndim:
            raise ValueError(
                f"non-broadcastable output operand with shape {self.shape} doesn't match the "
                f"broadcast shape {found.shape}"
            )
        self[...] = found
        return self

    return change


for _sign_name, _name in (_ARITHMETIC | _BITS).items():
    setattr(ndarray, f"__i{_sign_name}__", _in_place(_name))


def rounded(one, decimals=0):
    """Round to a number of decimals, halves to the even digit."""
    one = asarray(one)
    if one.dtype.kind != "f":
        return one.copy() if one.shape else entry(one.item(), one.dtype)
    scale = 10.0**decimals
    texts = [
        v if not math.isfinite(v) or abs(v) > 1e15 else float(round(v * scale)) / scale
        for v in one.values()
    ]
    return array(texts, one.dtype).reshape(one.shape) if one.shape else entry(texts[0], one.dtype)


def clipped(one, low=None, high=None):
    """Bring what is too low or too high to the limits."""
    one = one if low is None else UFUNCS["maximum"](one, low)
    return one if high is None else UFUNCS["minimum"](one, high)


ndarray.round, ndarray.clip = rounded, clipped
