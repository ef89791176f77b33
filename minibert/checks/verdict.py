"""Judge a reader's function: run it on cases, compare, and name the usual mistake.

A checker knows the right function and the usual wrong ones. When the reader's numbers equal those
of a wrong one, its hint is shown; otherwise the first case that differs is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from minibert.visualize import PALETTE


@dataclass(frozen=True)
class Verdict:
    """Hold what a checker says.

    Parameters
    ----------
    passed : bool
        Whether the answer is right.
    message : str
        One or two sentences for the reader.

    References
    ----------
    Chapter 1.
    """

    passed: bool
    message: str

    def __repr__(self) -> str:
        return self.message

    def _repr_html_(self) -> str:
        color = PALETTE[2] if self.passed else PALETTE[1]
        style = f"border-left:3px solid {color};padding-left:.8em"
        return f'<p style="{style}">{escape(self.message)}</p>'


@dataclass(frozen=True)
class Mistake:
    """Hold a usual wrong answer and what to say about it.

    Parameters
    ----------
    wrong : callable
        Computes what readers with this misunderstanding compute.
    hint : str
        What to look at; a question more often than the answer.

    References
    ----------
    Chapter 1.
    """

    wrong: Callable
    hint: str


def check(
    function: Callable,
    *,
    right: Callable,
    cases: Sequence[tuple],
    mistakes: Sequence[Mistake] = (),
    rtol: float = 1e-9,
) -> Verdict:
    """Compare a reader's function with the right one on all cases.

    Parameters
    ----------
    function : callable
        The reader's.
    right : callable
        The right one.
    cases : sequence of tuple
        Arguments of each call; every call gets its own copy.
    mistakes : sequence of Mistake
        Usual wrong answers, looked up in this order.
    rtol : float
        Relative tolerance; the absolute one is the same number.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 1.
    """
    name = getattr(function, "__name__", "your function")
    answers = []
    for case in cases:
        given = copy.deepcopy(case)
        try:
            answer = function(*given)
        except Exception as error:  # whatever it raises is an answer to explain
            kind = type(error).__name__
            return Verdict(False, f"{name} stopped with {kind}: {error}. {_called(name, case)}")
        problem = _problem(name, answer, right(*copy.deepcopy(case)), case, given)
        if problem:
            return Verdict(False, problem)
        answers.append(answer)
    expected = [right(*copy.deepcopy(case)) for case in cases]
    if _all_equal(answers, expected, rtol):
        return Verdict(True, f"Right: {name} gives the right answer in all {len(cases)} cases.")
    return Verdict(False, _diagnosis(name, answers, expected, cases, mistakes, rtol))


def _problem(name: str, answer: object, expected: object, case: tuple, given: tuple) -> str:
    """Say what is wrong with an answer before its numbers are compared; empty if nothing."""
    if answer is None or answer is Ellipsis:
        return f"{name} returns nothing yet. Replace the … by your code and return the result."
    if not _same(given, case):
        return f"{name} changes its input. Work on a copy: a caller may need the array again."
    answer_parts, expected_parts = _parts(answer), _parts(expected)
    if len(answer_parts) != len(expected_parts):
        return (
            f"{name} returns {len(answer_parts)} value(s); it should return {len(expected_parts)}. "
            f"{_called(name, case)}"
        )
    for got, want in zip(answer_parts, expected_parts):
        if np.shape(got) != np.shape(want):
            return (
                f"{name} returns shape {np.shape(got)}; it should be {np.shape(want)}. "
                f"{_called(name, case)}"
            )
    return ""


def _diagnosis(name, answers, expected, cases, mistakes, rtol) -> str:
    """Name the usual mistake behind wrong numbers, or show the first case that differs."""
    for mistake in mistakes:
        if _all_equal(answers, _outcomes(mistake.wrong, cases), rtol):
            return f"Not yet. {mistake.hint}"
    for answer, want, case in zip(answers, expected, cases):
        if not _all_equal([answer], [want], rtol):
            reason = "Some numbers are not finite. " if not _finite(answer) else ""
            return (
                f"Not yet. {reason}{_call(name, case)} gives {_show(answer)}; "
                f"expected {_show(want)}."
            )
    raise AssertionError("a diagnosis was asked for answers that are all right")


def _outcomes(function: Callable, cases: Sequence[tuple]) -> list:
    """Run a known wrong function on every case; it may warn about what it does wrong."""
    with np.errstate(all="ignore"):
        return [function(*copy.deepcopy(case)) for case in cases]


def _parts(value: object) -> tuple:
    """See one result as a tuple of results."""
    return value if isinstance(value, tuple) else (value,)


def _all_equal(answers: Sequence, expected: Sequence, rtol: float) -> bool:
    """Compare lists of results; unequal shapes are unequal, NaN equals NaN."""
    for answer, want in zip(answers, expected):
        for got, right in zip(_parts(answer), _parts(want)):
            if np.shape(got) != np.shape(right) or not _close(got, right, rtol):
                return False
    return True


def _close(got: object, want: object, rtol: float) -> bool:
    """Compare two results: numbers with a tolerance, everything else exactly."""
    if not _is_numeric(want):
        return got == want
    return _is_numeric(got) and np.allclose(got, want, rtol=rtol, atol=rtol, equal_nan=True)


def _is_numeric(value: object) -> bool:
    return np.asarray(value).dtype.kind in "biuf"


def _finite(value: object) -> bool:
    return all(np.isfinite(part).all() for part in _parts(value) if _is_numeric(part))


def _same(first: tuple, second: tuple) -> bool:
    """Compare arguments before and after a call, exactly."""
    return all(
        np.array_equal(a, b, equal_nan=True) if _is_numeric(a) else a is b or a == b
        for a, b in zip(first, second)
    )


def _show(value: object) -> str:
    """Write a result in one short line."""
    text = ", ".join(
        " ".join(
            np.array2string(np.asarray(part), precision=4, threshold=12, separator=", ").split()
        )
        if _is_numeric(part)
        else repr(part)
        for part in _parts(value)
    )
    return text if len(text) <= 160 else text[:157] + "…"


def _called(name: str, case: tuple) -> str:
    return f"Called as {_call(name, case)}."


def _call(name: str, case: tuple) -> str:
    return f"{name}({', '.join(_show(argument) for argument in case)})"
