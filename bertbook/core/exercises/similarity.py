"""What wrong answers have in common with the right ones, where no usual mistake explains them.

Exercises use it from Chapter 1 on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .compare import answers_equal

_ORDER = ("first", "second", "third")
_WAYS = {"the squares of": np.square, "the roots of": np.sqrt, "the logarithms of": np.log,
         "e to the power of": np.exp}  # fmt: skip


def similarity(answers: Sequence, wants: Sequence) -> str:
    """Say in a sentence how all answers are like the right ones; empty if they are not."""
    if all(isinstance(a, tuple) and repr(a[:1]) == repr((b,)) for a, b in zip(answers, wants)):
        return "The first of the things that you return is right. Return it alone."
    if part := _wrong_part(answers, wants):
        return part
    got, want = ([[*_entries(value)] for value in values] for values in (answers, wants))
    if len({*map(repr, got)}) == 1 < len({*map(repr, want)}) and "nan" not in repr(got):
        return "Your answer is the same for every input. Where do your arguments enter?"
    if all(sorted(map(repr, a)) == sorted(map(repr, b)) for a, b in zip(got, want)):
        way = "differently nested" if got == want else "in another order"
        return f"These are the right entries, {way}."
    if [[*map(str, side)] for side in got] == [[*map(str, side)] for side in want]:
        return "These are the right entries, but some are text where a number should be."
    try:
        numbers = [np.array([float(x) for part in side for x in part]) for side in (got, want)]
    except (TypeError, ValueError):
        return ""
    if factors := _factors(got, want):
        return factors
    usual = numbers[0].shape == numbers[1].shape and (np.abs(numbers) < 1e100).all()
    looks = _looks(*numbers) if usual else ()
    return next(
        (sentence for sentence, a, b in looks if np.allclose(a, b, rtol=1e-9, atol=1e-12)), ""
    )


def _wrong_part(answers: Sequence, wants: Sequence) -> str:
    """Say which of several results is wrong if one alone is, and how that one is like the right."""
    several = [tuple(a) if isinstance(a, tuple | list) else () for a in answers]
    if not all(isinstance(b, tuple) and len(a) == len(b) > 1 for a, b in zip(several, wants)):
        return ""
    pairs = [*zip(zip(*several), zip(*wants))]
    right = [all(answers_equal(a, b, 1e-9) for a, b in zip(*pair)) for pair in pairs]
    if right.count(False) != 1 or len(right) > len(_ORDER):
        return ""
    wrong = right.index(False)
    message = f"Only the {_ORDER[wrong]} of the {len(right)} that you return is wrong."
    return f"{message} {similarity(*pairs[wrong])}".strip()


def _factors(answers: Sequence, wants: Sequence) -> str:
    """Say that the numbers of each case are right but for a factor of its own; else nothing."""
    found = []
    for got, want in ((np.array(a, float), np.array(b, float)) for a, b in zip(answers, wants)):
        if got.shape != want.shape or not np.isfinite([got, want]).all():
            return ""
        ratios, factor = got[want != 0] / want[want != 0], 1.0
        if len(ratios) == 1:  # of one number any is a multiple; a simple fraction says something
            factor = float(Fraction(ratios[0]).limit_denominator(30))
        elif len(ratios):
            factor = ratios[0]
        if got[want == 0].any() or not factor or not np.allclose(ratios, factor, rtol=1e-9):
            return ""
        found += [f"{ratio:.4g}" for ratio in ratios[:1]]
    text = ", ".join(dict.fromkeys(found))
    sentence = f"Right but for a factor, {text} in the cases. By what do you multiply or divide?"
    return sentence if len({*found}) > 1 else ""


def _looks(got: np.ndarray, want: np.ndarray) -> Iterator[tuple[str, Any, Any]]:
    """Yield sentences, each with two things that are equal if it holds; the narrowest first."""
    for digits in range(1, 7):
        yield "These are the right numbers, rounded. Keep all digits.", got, want.round(digits)
    near = np.allclose(got, want, rtol=1e-4, atol=1e-5 * np.abs(want).max(initial=0))
    yield "Nearly right: something small is added or left out.", near, True
    sizes = np.abs(want[want != 0])
    if len({*sizes.round(12)}) < 2:  # one number proves nothing
        return
    yield "Right up to the sign.", got, -want
    yield "The sizes are right, some signs are not.", np.abs(got), np.abs(want)
    factor = (got[want != 0] / want[want != 0]).mean()
    yield f"Each number is {factor:.4g} times the right one.", got, factor * want
    shift = (got - want).mean()
    size = f"{'large' if shift > 0 else 'small'} by {abs(shift):.4g}"
    yield f"Each number is too {size}.", got, want + shift
    with np.errstate(all="ignore"):
        for way, function in _WAYS.items():
            yield f"You return {way} the right numbers.", got, function(want)
    yield "It is upside down: 1 divided by yours is right.", got * want, 1.0
    yield "It is turned around: 1 minus yours is right.", got, 1 - want


def _entries(value: Any) -> Iterator:
    """Yield the entries of an answer, however deep they stand."""
    value = value.detach().cpu().numpy() if hasattr(value, "detach") else value
    if isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim):
        for part in value:
            yield from _entries(part)
    else:
        yield value.item() if isinstance(value, np.generic | np.ndarray) else value
