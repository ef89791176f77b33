"""Exercises of Chapter 4: the gradient of softmax, and a test that lets no wrong one pass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake
from .slips import forbidden_way
from .verdict import Verdict

_RNG = np.random.default_rng(43)


def _weighted(g, p):
    return (g * p).sum(axis=-1, keepdims=True)


def _softmax_backward(g, p, *, average=_weighted, own=True, sign=1):
    return sign * (p if own else 1) * (g - average(g, p))


def _softmax_case(*shape):
    return _RNG.standard_normal(shape), softmax(_RNG.standard_normal(shape))


check_softmax_backward = Exercise(
    "Write the gradient of softmax along the last axis, from what softmax returned.",
    _softmax_backward,
    cases=[_softmax_case(4), _softmax_case(2, 3), _softmax_case(2, 3, 5)],
    forbidden=["softmax_backward"],
    mistakes=[
        Mistake(lambda g, p: g * p * (1 - p), "p (1 - p) is how a probability moves with its own "
                "score. Which others move when that score moves?"),
        Mistake({"average": lambda g, p: 0}, "A score raises its own probability. What happens "
                "to the others of the row, whose sum stays 1?"),
        Mistake(lambda g, p: -p * _weighted(g, p), "That is the path through the sum below the "
                "fraction line. A score also raises its own probability."),
        Mistake({"average": lambda g, p: g.mean(axis=-1, keepdims=True)}, "You compare with the "
                "plain average of the row. Which average counts 0.9 nine times as much "
                "as one of 0.1?"),
        Mistake({"average": lambda g, p: g.sum(axis=-1, keepdims=True)}, "You subtract the sum of "
                "the gradients. By what is each of them weighted?"),
        Mistake({"average": lambda g, p: (g * p).sum(axis=0, keepdims=True)}, "You sum down the "
                "first axis. Along which axis do the probabilities sum to 1?"),
        Mistake({"average": lambda g, p: (g * p).sum(axis=1, keepdims=True)}, "Axis 1 is the row "
                "only while nothing more stands behind it. Count from the end: it is −1."),
        Mistake({"average": lambda g, p: p * _weighted(g, p)}, "In the second term the probability "
                "is there twice."),
        Mistake({"average": lambda g, p: -_weighted(g, p)}, "You add the average of the row. A "
                "probability rises only as far as its gradient is above it."),
        Mistake(lambda g, p: g - p * _weighted(g, p), "The first term lacks the probability of its "
                "entry. Which factor do both terms have?"),
        Mistake({"average": lambda g, p: (g * p).sum()}, "You sum over the whole array. Does one "
                "row know about another?"),
        Mistake({"average": lambda g, p: (g * p).mean(axis=-1, keepdims=True)}, "The weights p sum "
                "to 1 already. Why divide the sum by the number of entries once more?"),
        Mistake({"own": False}, "The comparison with the average is right. How strongly does a "
                "score move its own probability?"),
        Mistake({"sign": -1}, "The sign is turned round: a gradient above average should come out "
                "positive."),
        Mistake(lambda g, p: g * p - _weighted(g, p), "The average is subtracted, but not weighted "
                "by the probability of each entry. Which factor do both terms have?"),
        Mistake(lambda g, p: p * g - p * p * g.sum(axis=-1, keepdims=True), "In the sum each "
                "gradient is weighted by its own probability, not by that of the entry moved."),
        Mistake(lambda g, p: p * (1 - p), "That is the slope of softmax alone. Where does "
                "grad_output come in?"),
        Mistake(lambda g, p: _softmax_backward(g, softmax(p)), "probs are probabilities already: "
                "no second softmax."),
        Mistake({"average": lambda g, p: (g * p).mean()}, "You average over the whole array. Does "
                "one row know about another?"),
    ],
)  # fmt: skip


def check_gradient_test(test: Callable) -> Verdict:
    """Judge a test of softmax gradients: it lets the right one pass, and no wrong one."""
    name = getattr(test, "__name__", "your test")
    wrong = check_softmax_backward.mistakes
    try:
        passes = _passes(test, _softmax_backward)
        through = [m for m in wrong if _passes(test, check_softmax_backward.answers(m))]
    except Exception as error:
        return Verdict(False, f"{name} stopped with {type(error).__name__}: {error}.")
    if passes is None:
        return Verdict(False, f"{name} returns nothing yet. Let it return True or False.")
    if not passes:
        told = "Not yet. Your test refuses the right gradient. Is its tolerance wide enough for"
        return Verdict(False, f"{told} measured slopes? Is probs what softmax returned?")
    if through:
        told = f"Not yet. {len(through)} of {len(wrong)} wrong gradients pass. The author of one "
        return Verdict(False, f"{told}would be told: “{through[0].hint}”")
    if way := forbidden_way(test, ["softmax_backward"]):
        return Verdict(False, f"Right, but {name} uses {way}. Who would test that one?")
    return Verdict(True, f"Right: none of {len(wrong)} wrong gradients passes {name}.")


def _passes(test: Callable, backward: Callable) -> bool | None:
    """Run a test; a failed assert is a no, and nothing returned is no answer."""
    try:
        with np.errstate(all="ignore"):
            answer = test(backward)
    except AssertionError:
        return False
    except Exception:
        if backward is _softmax_backward:
            raise
        return False
    return None if answer is None or answer is ... else bool(answer)
