"""Exercises of Chapter 4: the gradient of softmax, and a test that lets no wrong one pass."""

from collections.abc import Callable

import numpy as np

from bertbook.core.exercises.common_mistakes import forbidden_way
from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.verdict import Verdict
from minibert.reference import softmax

_RNG = np.random.default_rng(43)


def _softmax_backward(grad_output, probs):
    average = (probs * grad_output).sum(axis=-1, keepdims=True)
    return probs * (grad_output - average)


def _softmax_case(*shape):
    return _RNG.standard_normal(shape), softmax(_RNG.standard_normal(shape))


check_softmax_backward = Exercise(
    "Write the gradient of softmax along the last axis, from what softmax returned.",
    _softmax_backward,
    cases=[_softmax_case(4), _softmax_case(2, 3), _softmax_case(2, 3, 5)],
    forbidden=["softmax_backward"],
    mistakes={
        "→ grad_output * probs * (1 - probs)": "Which other probabilities move with a score?",
        "(grad_output - average) → grad_output": "The others of the row move as well.",
        "grad_output - average → -average": "A score also raises its own probability.",
        ("(probs * grad_output).sum → grad_output.mean ¦ grad_output.sum", "- average → - probs * "
            "grad_output.sum(axis=-1, keepdims=True)"): "By what is each gradient weighted?",
        "axis=-1 → axis=0 ¦ axis=1": "Along which axis do probabilities sum to 1?",
        "- average → - probs * average": "In the second term the probability is there twice.",
        "- average → + average": "Only a gradient above average raises a probability.",
        "probs * (grad_output - average) → grad_output - probs * average ¦ grad_output * probs - "
            "average": "Which factor do both terms have?",
        ".sum(…) → .sum() ¦ .mean()": "Does one row know about another?",
        ".sum( → .mean(": "The weights sum to 1 already. Why divide by the number of entries?",
        "return probs * → return": "How strongly does a score move its own probability?",
        "return probs → return -probs": "A gradient above average should come out positive.",
        "→ probs * (1 - probs)": "That is softmax alone. Where does grad_output come in?",
        "→ right(grad_output, softmax(probs))": "Why a second softmax?",
    },
)  # fmt: skip


def check_gradient_test(test: Callable) -> Verdict:
    """Judge a test of softmax gradients: it lets the right one pass, and no wrong one.

    Args:
        test: Yours: it takes a function as ``softmax_backward`` is, and returns whether its
            gradient is right.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
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
        message = "Not yet. Your test refuses the right gradient. Is its tolerance wide enough for"
        return Verdict(False, f"{message} measured slopes? Is probs what softmax returned?")
    if through:
        message = f"Not yet. {len(through)} of {len(wrong)} wrong gradients pass. The author of "
        return Verdict(False, f"{message}one would be told: “{through[0].hint}”")
    if way := forbidden_way(test, ["softmax_backward"]):
        return Verdict(False, f"Right, but {name} uses {way}. Who would test that one?")
    return Verdict(True, f"Right: none of {len(wrong)} wrong gradients passes {name}.")


def _passes(test: Callable, backward: Callable) -> bool | None:
    """Run a test; a failed assert is a no, and nothing returned is no answer."""
    try:
        with np.errstate(all="ignore"):
            answer = test(backward)
    except Exception as error:
        if backward is _softmax_backward and not isinstance(error, AssertionError):
            raise
        return False
    return None if answer is None or answer is ... else bool(answer)
