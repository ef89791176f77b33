"""What the first chapters need of numpy, in plain Python, for a page that has no numpy.

An array is a list of numbers with a shape. The names, the results and the errors are numpy's, as
far as Chapters 1 to 6 go, and so are the random numbers. There are no warnings, and it is slow.
"""

import math
from contextlib import contextmanager
from types import SimpleNamespace

from .chance import random
from .kinds import (
    FLOAT,
    SHORT,
    as_dtype,
    bool_,
    dtype,
    float32,
    float64,
    generic,
    int64,
    missing,
    uint8,
)  # fmt: skip
from .linear import corrcoef, cov, dot, einsum, inner, linalg, matmul, outer, tensordot, trace
from .ndarray import (
    AxisError,
    array,
    asarray,
    broadcast_shapes,
    broadcast_to,
    ndarray,
)
from .order import delete, flip, moveaxis, repeat, roll, take, take_along_axis, tile
from .printing import array_text
from .reductions import (
    all,
    any,
    argmax,
    argmin,
    argsort,
    average,
    count_nonzero,
    cumprod,
    cumsum,
    flatnonzero,
    max,
    mean,
    median,
    min,
    nanmean,
    nonzero,
    prod,
    sort,
    std,
    sum,
    var,
)  # fmt: skip
from .shapes import (
    arange,
    argwhere,
    atleast_1d,
    atleast_2d,
    bincount,
    column_stack,
    concatenate,
    diag,
    expand_dims,
    eye,
    fill_diagonal,
    full,
    full_like,
    hstack,
    identity,
    linspace,
    nan_to_num,
    ndindex,
    ones,
    ones_like,
    stack,
    tri,
    tril,
    triu,
    unique,
    vectorize,
    vstack,
    where,
    zeros,
    zeros_like,
)  # fmt: skip
from .ufuncs import UFUNCS
from .ufuncs import clipped as clip
from .ufuncs import rounded as round

globals().update(UFUNCS)
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
object_, floating, integer = object, float64, int64
amax, amin, empty, empty_like = max, min, zeros, zeros_like
exceptions = SimpleNamespace(AxisError=AxisError)
__version__ = "stand-in"


def __getattr__(name):
    raise missing(f"np.{name}")


def shape(one):
    """Return the lengths of the axes."""
    return asarray(one).shape


def ndim(one):
    """Count the axes."""
    return asarray(one).ndim


def size(one):
    """Count the entries."""
    return asarray(one).size


def isscalar(one):
    """Say whether something is a single number or text."""
    return isinstance(one, int | float | str | generic)


def swapaxes(one, first, second):
    """Let two axes change places."""
    return asarray(one).swapaxes(first, second)


def transpose(one, axes=None):
    """Order the axes anew."""
    return asarray(one).transpose(*([axes] if axes else []))


def reshape(one, shape):
    """Cut the entries into rows of another length."""
    return asarray(one).reshape(shape)


def squeeze(one, axis=None):
    """Leave out axes of length 1."""
    return asarray(one).squeeze(axis)


def ravel(one):
    """Put all entries in one row."""
    return asarray(one).ravel()


def copy(one):
    """Copy the entries."""
    return array(one)


def isclose(one, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Say for each pair of numbers whether they are close."""

    def close(a, b):
        if a == b:
            return True
        if a != a or b != b:
            return equal_nan and a != a and b != b
        return abs(a - b) <= atol + rtol * abs(b) < inf

    return type(UFUNCS["add"])("isclose", close, as_dtype(bool))(one, other)


def allclose(one, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Say whether all numbers are close."""
    return all(isclose(one, other, rtol, atol, equal_nan))


def array_equal(one, other, equal_nan=False):
    """Say whether two arrays have the same shape and the same entries."""
    one, other = asarray(one), asarray(other)
    return one.shape == other.shape and bool(
        all(isclose(one, other, 0, 0, equal_nan) if equal_nan else one == other)
    )


def finfo(kind=float):
    """Tell the limits of a kind of numbers."""
    if as_dtype(getattr(kind, "dtype", kind)) is SHORT:
        return SimpleNamespace(
            min=float32(-3.4028234663852886e38), max=float32(3.4028234663852886e38),
            eps=float32(2**-23), tiny=float32(2.0**-126), dtype=SHORT,
        )  # fmt: skip
    largest = float64(1.7976931348623157e308)
    return SimpleNamespace(
        min=-largest, max=largest, eps=float64(2**-52), tiny=float64(2.0**-1022), dtype=FLOAT
    )


def issubdtype(kind, other):
    """Say whether a kind of numbers is whole, or has a point."""
    wanted = {integer: "iu", floating: "f", int: "i", float: "f", bool: "b"}[other]
    return as_dtype(kind).kind in wanted


def array2string(one, precision=8, separator=" "):
    """Write an array without its name."""
    return array_text(asarray(one), "", separator, "", precision)


@contextmanager
def errstate(**kinds):
    """Do nothing: there are no warnings to silence."""
    yield
