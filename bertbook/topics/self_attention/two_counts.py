"""An exercise of Chapter 2: a proof that no matrices on two counts let *light* find its neighbors.

The proof is a list of comparisons that cannot all come out as wanted, because they add up to zero.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeGuard

import numpy as np

from bertbook.core.exercises.compare import short_text
from bertbook.core.exercises.exercise import attempt
from bertbook.core.exercises.verdict import Verdict

_SENTENCES = {"pie": "a light pie with cream", "signal": "light brings a signal"}
_COUNTS = {"a": (4, 4), "light": (2, 2), "pie": (3, 1), "with": (1, 0), "cream": (1, 0),
           "brings": (0, 1), "signal": (0, 3)}  # fmt: skip


def check_no_matrices(function: Callable) -> Verdict:
    """Check comparisons of *pie* and *signal* with their rivals that cannot all come out well.

    Args:
        function: Yours: it takes nothing and returns a list of comparisons, (winner, loser, times).

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    answer, problem = attempt(function)
    comparisons = [] if problem else _listed(answer)
    nothing = "Your list compares nothing. It needs (winner, loser, times), several of them."
    problem = problem or ("" if comparisons else nothing)
    problem = problem or next(filter(None, map(_problem, comparisons)), "") or _hint(comparisons)
    message = "for every g these differences add up to 0, so they cannot all be positive."
    return Verdict(not problem, problem or f"Right: {message} No matrices do it.")


def _is_list(value: object) -> TypeGuard[Iterable]:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _listed(answer: object) -> list:
    """List comparisons, however they are written; a single one may stand alone."""
    if isinstance(answer, Mapping):
        return [(*pair, n) if isinstance(pair, tuple) else pair for pair, n in answer.items()]
    listed = [*answer] if _is_list(answer) else [answer]
    alone = _is_list(answer) and listed and all(isinstance(x, str) for x in listed[:2])
    return [tuple(listed)] if alone else listed


def _problem(comparison: object) -> str:
    """Return what is wrong with one comparison; empty if nothing is."""
    parts, shown = [*comparison] if _is_list(comparison) else [], short_text(comparison)
    named = all(isinstance(part, str) for part in parts[:2])
    if len(parts) == 2 and named:
        return f"How often is {shown} taken? Give each comparison a third part, a positive number."
    if len(parts) != 3 or not named:
        return f"A comparison is (winner, loser, times), as ('pie', 'a', 1); yours is {shown}."
    winner, loser, times = parts
    if problem := _wrong_words(winner, loser):
        return problem
    number = _number(times)
    if not math.isfinite(number):
        return f"How often is ({winner!r}, {loser!r}) taken? {short_text(times)} is no number."
    message = f"({winner!r}, {loser!r}) is taken {number:g} times. "
    return "" if number > 0 else f"{message}Does a positive difference stay so?"


def _wrong_words(winner: str, loser: str) -> str:
    if winner not in _SENTENCES:
        turned = "Did you write the loser first? " if loser in _SENTENCES else ""
        return f"{winner!r} is not supposed to win. {turned}The winners are 'pie' and 'signal'."
    if loser == winner:
        return f"{winner!r} is compared with itself. That difference is 0 and says nothing."
    if loser not in _SENTENCES[winner].split():
        return f"{loser!r} does not stand in “{_SENTENCES[winner]}”, so {winner!r} never meets it."
    return ""


def _number(value: object) -> float:
    try:
        return float(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        return math.nan


def _sum_of(comparisons: list, wanted: str) -> np.ndarray:
    """Add up the differences of counts that have one winner."""
    differences = [
        _number(times) * np.subtract(_COUNTS[winner], _COUNTS[loser])
        for winner, loser, times in comparisons
        if winner == wanted
    ]
    return sum(differences, np.zeros(2))


def _hint(comparisons: list) -> str:
    """Ask for what is missing; empty if all differences cancel."""
    pie, signal = (_sum_of(comparisons, winner) for winner in _SENTENCES)
    if np.allclose(pie + signal, 0, atol=1e-9):
        return ""
    if len(winners := {winner for winner, *_ in comparisons}) == 1:
        (winner,) = winners
        other = "[1, −1]" if winner == "pie" else "[−1, 1]"
        message = f"All comparisons are from one sentence. There {winner} can win, with g = {other}"
        return f"Not yet. {message}. What does the other sentence ask for?"
    message = f"pie's add up to {_written(pie)} and signal's add up to {_written(signal)}"
    first, second = (total / (np.abs(total).max() or 1.0) for total in (pie, signal))
    if np.allclose(first, -second):
        asked = "How often must each be taken, so that they cancel?"
        return f"Not yet. You are close: {message}. {asked}"
    rest = "With which of signal's rivals does the first number stay 0?"
    if not math.isclose(pie[0], 0, abs_tol=1e-9):
        rest = "With which two of pie's rivals does the first number become 0?"
    return f"Not yet. The differences do not cancel: {message}. {rest}"


def _written(vector: np.ndarray) -> str:
    return "[" + ", ".join(f"{x:g}" for x in vector).replace("-", "−") + "]"
