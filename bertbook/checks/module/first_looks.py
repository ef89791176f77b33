"""What must be so before all other questions: a class is built, and it answers. Chapter 8."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from minibert.parts.contracts import require_contract

from .trial import Trial, UnlikeError, Values

Answer = TypeVar("Answer", bool, str)

# What PyTorch says, and the usual slip behind it.
RAISED = {
    r"before Module\.__init__\(\) call": "Does __init__ begin with super().__init__()?",
    r'missing the required "forward" function': "Has the class a method of the name forward?",
    r"object has no attribute": "Is it set in __init__, under the same name?",
    r"same dtype|expected scalar type|same data type": "Is a tensor made inside in float32? Give "
    "it dtype=hidden_states.dtype, or that of the parameters.",
    r"must match the size|shapes cannot be multiplied|is invalid for input of size|broadcast": (
        "Print the shapes before that line. In attention, the heads stand before the tokens: "
        "(batch, heads, seq, head_size)."
    ),
    r"index out of range in self": "A table is asked for a row that it has not got. Which ids "
    "belong to which table?",
    r"view size is not compatible": "After a transpose, reshape does what view cannot.",
    r"NoneType": "Which argument may be None, and what returns nothing?",
}
PRECISIONS = (torch.float32, torch.bfloat16, torch.float16)


def answer_to(trial: Trial, question: Callable[[Trial], Answer]) -> Answer | str:
    """Ask something about a class; if it raises, that is the answer."""
    try:
        return question(trial)
    except UnlikeError as unlike:
        return f"{unlike}."
    except Exception as error:  # whatever a reader's class raises is to be explained
        return explain(error)


def explain(error: Exception) -> str:
    """Return what was raised, and what usual slip raises it."""
    told = str(error)
    hints = [hint for pattern, hint in RAISED.items() if re.search(pattern, told)]
    return " ".join([f"it stopped with {type(error).__name__}: {told.rstrip('.')}.", *hints[:1]])


def _keeps_the_contract(trial: Trial) -> str:
    try:
        require_contract(trial.role, trial.kind)
    except (TypeError, ValueError) as error:
        return explain(error).removeprefix(f"it stopped with {type(error).__name__}: ")
    return ""


def _answers(trial: Trial) -> str:
    try:
        answer = trial.mine(*trial.arguments())
    except Exception as error:
        return explain(error)
    if answer is None or answer is Ellipsis:
        return "forward returns nothing yet. Replace the … by your code and return the result."
    return ""


def _returns_what_it_should(trial: Trial) -> str:
    for case in trial.cases():
        found = answer_to(trial, partial(_is_taken_apart, case=case))
        if found:
            told = ", ".join(f"{name} {_told(value)}" for name, value in case.items())
            return f"{found} So it is called with {told}." if len(case) < 4 and case else found
    return ""


def _is_taken_apart(trial: Trial, case: Values) -> str:
    trial.run(trial.mine, **case)  # raises otherwise
    return ""


def _told(value: object) -> str:
    return f"of shape {tuple(value.shape)}" if isinstance(value, Tensor) else f"= {value}"


def _works_in_every_precision(trial: Trial) -> str:
    for dtype in PRECISIONS:
        problem = answer_to(trial, lambda trial, dtype=dtype: _finite_in(trial, dtype))
        if problem:
            return f"in {dtype}, {problem}"
    return ""


def _finite_in(trial: Trial, dtype: torch.dtype) -> str:
    """Run in another precision; the mask is made in it, as models do."""
    given = {
        name: value.clamp(min=torch.finfo(dtype).min).to(dtype)
        for name, value in trial.inputs.items()
        if isinstance(value, Tensor) and value.is_floating_point()
    }
    mine, ours = (trial.build(kind).to(dtype) for kind in (trial.kind, type(trial.ours)))
    expected = ours(*trial.arguments(**given))
    found = trial.take_apart(mine(*trial.arguments(**given)), expected)
    wild = [name for name, value in found.items() if not value.isfinite().all()]
    return f"{wild[0]} holds numbers that are not finite." if wild else ""


FIRST = (_keeps_the_contract, _answers, _returns_what_it_should, _works_in_every_precision)
