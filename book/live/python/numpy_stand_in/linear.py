"""Products of matrices, and how long a vector is."""

from __future__ import annotations

import itertools
import math

from .kinds import FLOAT, Part, missing, together
from .ndarray import asarray, axes_of, broadcast_shapes, broadcast_to, entry, ndarray, written
from .reductions import along, mean
from .reductions import max as largest
from .reductions import sum as total
from .shapes import vstack
from .ufuncs import UFUNCS, clipped


def _sum_of_products(row, column):
    return sum(x * y for x, y in zip(row, column))


# Python 3.12 and newer has it, quicker and without rounding in between.
_dot = getattr(math, "sumprod", _sum_of_products)


def matmul(one, other):
    """Multiply matrices, all those in front with each other."""
    one, other = asarray(one), asarray(other)
    if not one.ndim or not other.ndim:
        raise ValueError("matmul: Input operand 0 does not have enough dimensions")
    left = one.reshape(1, -1) if one.ndim == 1 else one
    right = other.reshape(-1, 1) if other.ndim == 1 else other
    inner, rows, columns = left.shape[-1], left.shape[-2], right.shape[-1]
    if inner != right.shape[-2]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {right.shape[-2]} is different from {inner})"
        )
    front = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    a = broadcast_to(left, (*front, rows, inner)).values()
    b = broadcast_to(right, (*front, inner, columns)).swapaxes(-1, -2).values()
    found = []
    for n in range(math.prod(front)):
        turned = [b[i : i + inner] for i in _starts(n, columns, inner)]
        for i in _starts(n, rows, inner):
            row = a[i : i + inner]
            found += [_dot(row, column) for column in turned]
    shape = front + ((rows,) if one.ndim > 1 else ()) + ((columns,) if other.ndim > 1 else ())
    kind = together(one.dtype, other.dtype)
    found = list(map(kind.cast, found))
    return ndarray(found, shape, kind) if shape else entry(found[0], kind)


def _starts(number: int, count: int, size: int) -> list[int]:
    """Return where the rows of a matrix begin."""
    return [(number * count + i) * size for i in range(count)]


def dot(one, other):
    """Multiply as `matmul` does; a number multiplies everything."""
    one, other = asarray(one), asarray(other)
    if not one.ndim or not other.ndim:
        return UFUNCS["multiply"](one, other)
    _check_aligned(one, other, max(other.ndim - 2, 0))
    return matmul(one, other)


def _check_aligned(one, other, axis):
    """Refuse a product of rows that are not as long as an axis of the other."""
    last = one.ndim - 1
    if one.shape[last] != other.shape[axis]:
        sizes = f"{one.shape[last]} (dim {last}) != {other.shape[axis]} (dim {axis})"
        shapes = f"{written(one.shape)} and {written(other.shape)}"
        raise ValueError(f"shapes {shapes} not aligned: {sizes}")


def tensordot(one, other, axes=2):
    """Multiply and add along axes of both: so many last and first ones, or those that are named."""
    one, other = asarray(one), asarray(other)
    left, right = ([*range(-axes, 0)], [*range(axes)]) if isinstance(axes, int) else axes
    left, right = axes_of(one, left), axes_of(other, right)
    rows = [axis for axis in range(one.ndim) if axis not in left]
    columns = [axis for axis in range(other.ndim) if axis not in right]
    sizes = [one.shape[axis] for axis in left]
    if sizes != [other.shape[axis] for axis in right]:
        raise ValueError("shape-mismatch for sum")
    front, back = [one.shape[axis] for axis in rows], [other.shape[axis] for axis in columns]
    a = one.transpose(rows + left).reshape(math.prod(front), math.prod(sizes))
    b = other.transpose(right + columns).reshape(math.prod(sizes), math.prod(back))
    return matmul(a, b).reshape(front + back)


def inner(one, other):
    """Multiply every row of one with every row of the other, and add up."""
    one, other = asarray(one), asarray(other)
    if not one.ndim or not other.ndim:
        return UFUNCS["multiply"](one, other)
    _check_aligned(one, other, other.ndim - 1)
    return tensordot(one, other, (-1, -1))[()]


def outer(one, other):
    """Multiply every number of one row with every number of another."""
    return UFUNCS["multiply"].outer(asarray(one).reshape(-1), asarray(other).reshape(-1))


def trace(one):
    """Add up the diagonal."""
    one = asarray(one)
    return sum(one[i, i] for i in range(min(one.shape)))


def einsum(recipe, *given):
    """Multiply and add as the letters say."""
    arrays = [asarray(one) for one in given]
    names, result = _letters(recipe.replace(" ", ""), arrays)
    sizes = {n: s for letters, one in zip(names, arrays) for n, s in zip(letters, one.shape)}
    summed = [name for name in sizes if name not in result]

    def total(place):
        where = dict(zip(result, place))
        products = (
            math.prod(
                one[tuple((where | dict(zip(summed, rest)))[n] for n in letters)]
                for letters, one in zip(names, arrays)
            )
            for rest in itertools.product(*(range(sizes[n]) for n in summed))
        )
        return sum(products)

    shape = [sizes[name] for name in result]
    kind = together(*(one.dtype for one in arrays))
    found = [kind.cast(total(place)) for place in itertools.product(*map(range, shape))]
    return ndarray(found, shape, kind) if shape else entry(found[0], kind)


def _letters(recipe, arrays):
    """Name every axis: three dots stand for those in front."""
    inputs, arrow, result = recipe.partition("->")
    if not arrow:
        result = "".join(sorted(n for n in inputs if n.isalpha() and inputs.count(n) == 1))
    front = 0
    names = inputs.split(",")
    for number, (letters, one) in enumerate(zip(names, arrays)):
        if "..." in letters:
            front = max(front, one.ndim - len(letters) + 3)
            dots = "ABCDEFGH"[8 - (one.ndim - len(letters) + 3) :]
            names[number] = letters.replace("...", dots)
    return names, result.replace("...", "ABCDEFGH"[8 - front :])


def matrix_transpose(one):
    """Turn the last two axes around."""
    one = asarray(one)
    if one.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return one.swapaxes(-1, -2)


def norm(one, ord=None, axis=None, keepdims=False):
    """Compute the length of vectors."""
    one = asarray(one)
    axes = axes_of(one, axis)
    if ord is not None and (len(axes) > 1 or ord not in (1, 2, math.inf)):
        raise missing(f"np.linalg.norm with ord={ord} along {len(axes)} axes")
    if ord in (1, math.inf):
        return (total if ord == 1 else largest)(UFUNCS["abs"](one), axis, keepdims=keepdims)
    return along(one, lambda numbers: math.hypot(*numbers), axis, keepdims, FLOAT)


def cov(one, other=None, rowvar=True, bias=False, ddof=None):
    """Compute the covariance of every row with every row."""
    rows = _as_rows(one, rowvar)
    if other is not None:
        rows = vstack([rows, _as_rows(other, rowvar)])
    far = rows - mean(rows, 1, keepdims=True)
    count = rows.shape[1] - (int(not bias) if ddof is None else ddof)
    return matmul(far, far.T / count).squeeze()[()]


def _as_rows(one, rowvar):
    one = asarray(one)
    return one.reshape(1, -1) if one.ndim < 2 else one if rowvar else one.T


def corrcoef(one, other=None, rowvar=True):
    """Compute the correlation of every row with every row."""
    found = asarray(cov(one, other, rowvar))
    if not found.ndim:
        return UFUNCS["divide"](found, found)
    lengths = UFUNCS["sqrt"]([found[i, i] for i in range(len(found))])
    return clipped(found / outer(lengths, lengths), -1, 1)


linalg = Part("np.linalg", norm=norm)
ndarray.__matmul__ = lambda self, other: matmul(self, other)
ndarray.__rmatmul__ = lambda self, other: matmul(other, self)
ndarray.dot, ndarray.mT = dot, property(matrix_transpose)
