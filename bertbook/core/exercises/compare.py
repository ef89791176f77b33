"""Compare an answer with the right one: numbers with a tolerance, everything else exactly.

No right answer is refused for its dress: a list, a tuple, an array and a tensor of the same
numbers are the same answer. A wrong one is described by its first entry that differs.
Exercises use it from Chapter 1 on.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

_LONGEST = 80
_NEAR_IN_32_BITS = 1e-5  # as near as sums of numbers of 32 bits come to those of 64


def answers_equal(got: Any, want: Any, rtol: float) -> bool:
    """Return whether two results are equal; NaN equals NaN, unequal shapes are unequal."""
    return form_problem(got, want) == "" and not any(_differences(got, want, rtol, ""))


def form_problem(got: Any, want: Any) -> str:
    """Return what is wrong with the form of an answer, whatever its numbers are."""
    whole, want = got, as_array(want)
    got = _like(got, want)
    if isinstance(want, tuple):
        if len(want) == 1 and not isinstance(got, tuple):
            return f"returns {_kind(got)}; it should return {_kind(want)}"
        count = len(got) if isinstance(got, tuple) else 1
        if count != len(want):
            shape = tuple(getattr(whole, "shape", ()))
            form = f"one array of shape {shape}" if shape else f"{count} value(s)"
            return f"returns {form}; it should return {len(want)}"
        return next(filter(None, map(form_problem, got, want)), "")
    if not _is_number(want):
        good = isinstance(got, type(want))
        return "" if good else f"returns {_kind(got)}; it should return {_kind(want)}"
    if not _is_number(got):
        return f"returns {_kind(got)}; it should return {_kind(want)}"
    if np.shape(got) != np.shape(want):
        return f"returns shape {np.shape(got)}; it should be {np.shape(want)}"
    return ""


def first_difference(got: Any, want: Any, rtol: float) -> tuple[str, object, object]:
    """Find the first entry in which two results of the same form differ."""
    return next(_differences(got, want, rtol, ""))


def short_text(value: Any) -> str:
    """Write a value in one short line; of a large array the shape only."""
    value = as_array(value)
    if _is_number(value):
        text = " ".join(np.array2string(np.asarray(value), precision=4, separator=", ").split())
        text = text if np.ndim(value) else text.rstrip(".")
        small = np.size(value) <= 8 and np.ndim(value) <= 2
        return text if small else f"array {np.shape(value)}"
    if isinstance(value, tuple):
        text = f"({', '.join(map(short_text, value))})"
    elif isinstance(value, FunctionType):
        text = value.__name__.lstrip("_")
    else:
        value = value.item() if isinstance(value, np.generic) else value  # a word out of an array
        text = getattr(value, "__name__", "") or " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def as_array(value: Any) -> Any:
    """See a tensor as an array; everything else as it is."""
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def converted(got: Any, want: Any) -> Any:
    """Put an answer into the containers of the right one: a list of numbers into an array."""
    kind = type(want)
    if hasattr(want, "detach"):
        values = got if hasattr(got, "detach") else np.asarray(got)
        return values if values is got else want.new_tensor(values)
    if isinstance(want, np.ndarray):
        return as_array(got) if hasattr(got, "detach") else np.asarray(got)
    if kind in (tuple, list) and isinstance(got, tuple | list | np.ndarray) and len(want):
        each = [*want] if len(want) == len(got) else [want[0]] * len(got)
        return kind(map(converted, got, each)) if type(got) is not kind or kind is tuple else got
    if isinstance(want, float | np.floating) and not isinstance(got, float | np.floating):
        return float(np.asarray(as_array(got), dtype=float))
    return got


def _like(got: Any, want: Any) -> Any:
    """See an answer in the form of the right one, if only the container differs."""
    got = as_array(got)
    if isinstance(want, tuple | list | set):
        if isinstance(got, np.ndarray) and got.ndim:
            got = [*got] if isinstance(want, tuple) else got.tolist()
        return _contained(got, type(want))
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        return dict(got)
    return _as_numbers(got) if _is_number(want) else got


def _contained(value: Any, container: type) -> Any:
    """Put the entries of one container into another, if nothing of theirs is lost or made up."""
    whole = str | bytes | Mapping | np.ndarray | Iterator
    if not isinstance(value, Iterable) or isinstance(value, whole):
        return value
    if container is set:
        hashable = all(isinstance(entry, Hashable) for entry in value)
        return set(value) if hashable else value
    return value if isinstance(value, set | frozenset) else container(value)


def _as_numbers(value: Any) -> Any:
    """See lists, tuples and fractions as an array of numbers; everything else as it is."""
    whole = isinstance(value, list | tuple)
    try:
        array = np.asarray([_like(entry, 0.0) for entry in value] if whole else value)
        array = array.astype(float) if array.dtype.kind == "O" else array
    except (TypeError, ValueError):
        return value
    return array if array.dtype.kind in "biuf" else value


def _is_number(value: Any) -> bool:
    """Return whether a value is a number or an array of numbers."""
    kinds = bool | int | float | np.generic | np.ndarray
    return isinstance(value, kinds) and np.asarray(value).dtype.kind in "biuf"


def _kind(value: Any) -> str:
    """Name what a value is, as a reader would."""
    if _is_number(value):
        return f"an array of shape {np.shape(value)}" if np.ndim(value) else "a number"
    names = {str: "one string", list: "a list", tuple: "a tuple", set: "a set"}
    if isinstance(value, dict) and not value:
        return "{}, which is an empty dict (an empty set is set())"
    return names.get(type(value), f"a {type(value).__name__}")


def _differences(
    got: Any, want: Any, rtol: float, where: str
) -> Iterator[tuple[str, object, object]]:
    """Yield place, entry and right entry of everything that differs."""
    want = as_array(want)
    got = _like(got, want)
    if form_problem(got, want):
        yield where, got, want
    elif isinstance(want, Mapping):
        for key in [*want, *(key for key in got if key not in want)]:
            inner = f"{where}[{key!r}]"
            if (key in got) != (key in want):
                yield inner, got.get(key, "nothing"), want.get(key, "nothing")
            else:
                yield from _differences(got[key], want[key], rtol, inner)
    elif isinstance(want, tuple | list):
        if len(got) != len(want):
            yield where, got, want
        for number, (entry, right) in enumerate(zip(got, want)):
            yield from _differences(entry, right, rtol, f"{where}[{number}]")
    elif not _is_number(want):
        if got != want:
            yield where, got, want
    else:
        near = max(rtol, _NEAR_IN_32_BITS) if np.asarray(got).dtype == np.float32 else rtol
        with np.errstate(all="ignore"):
            wrong = ~np.isclose(got, want, rtol=near, atol=near, equal_nan=True)
        for index in np.argwhere(wrong):
            inner = where + (f"[{', '.join(map(str, index))}]" if len(index) else "")
            yield inner, np.asarray(got)[tuple(index)], np.asarray(want)[tuple(index)]
