"""Go through all that a role promises, one by one, and say how far a class keeps it. Chapter 8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from bertbook.core.exercises.verdict import Verdict, brief
from bertbook.reader.contracts import ROLES, Part, require_replaceable
from minibert.config import BertConfig
from minibert.parts import override

from .first_looks import FIRST, answer_to
from .numbers import LAST, usual_slip
from .properties import properties_of
from .trial import SEQ, TRIAL_CONFIG, Trial

IS_CALLED = "it is built and called as models do it"


@dataclass(frozen=True)
class Examination:
    """What an examined class keeps: so many of its role's promises, and the first it breaks.

    Parameters
    ----------
    role : class or function
        What the class is to replace.
    name : str
        The name of the class.
    held : int
        How many promises it keeps.
    total : int
        How many there are.
    problem : str
        The first one that it breaks, in a sentence; empty if it keeps all.
    """

    role: Part
    name: str
    held: int
    total: int
    problem: str  # empty if all hold


def check_module(mine: type[nn.Module], role: Part, config: BertConfig | None = None) -> Verdict:
    """Check a class of the reader's: how it is built and called, what it promises, its numbers.

    Parameters
    ----------
    mine : class
        Derived from ``nn.Module``; its arguments may have any names.
    role : class
        What it is to replace, a key of `bertbook.reader.contracts.ROLES`.
    config : BertConfig, optional
        Sizes to try it with, at least 5 positions and 2 segments; by default small ones that all
        differ.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend, and the usual slip behind it if the numbers tell.

    Raises
    ------
    ValueError
        If no model asks for it, or it is a function.

    Examples
    --------
    >>> from minibert.attention import BertSelfAttention
    >>> check_module(BertSelfAttention, BertSelfAttention).passed
    True
    """
    found = examine(mine, role, config)
    if found.problem:
        return Verdict(False, f"Not yet. {found.name} as {role.__name__}: {found.problem}")
    return Verdict(
        True,
        f"Right: {found.name} keeps all {found.total} promises of {role.__name__}, "
        "to the last digit.",
    )


def examine(mine: type[nn.Module], role: Part, config: BertConfig | None = None) -> Examination:
    """Go through all that a role promises, and count what holds; our own parts play the rest.

    Parameters
    ----------
    mine : class
        Derived from ``nn.Module``.
    role : class
        What it is to replace, a key of `ROLES`.
    config : BertConfig, optional
        Sizes to try it with, as `check_module` takes them.

    Returns
    -------
    Examination
        How many promises hold, and what is wrong with the first that does not.

    Raises
    ------
    ValueError
        If no model asks for it, it is a function, or the sizes leave no room for the trial.

    Examples
    --------
    >>> from minibert.model import BertPooler
    >>> found = examine(BertPooler, BertPooler)
    >>> found.held == found.total, found.problem
    (True, '')
    """
    require_replaceable(role)
    if not ROLES[role].built:
        raise ValueError(f"{role.__name__} is a function; check_module looks at classes")
    config = config or TRIAL_CONFIG
    _require_room(config)
    promises = properties_of(role)
    name = getattr(mine, "__name__", repr(mine))
    with unchanged():
        problems = [problem for _, problem in each_answer(Trial(mine, role, config))]
    total = len(FIRST) + len(promises) + (0 if _is_other(mine) else len(LAST))
    told = next(filter(None, problems), "")
    return Examination(role, name, problems.count(""), total, brief(told))


def _require_room(config: BertConfig) -> None:
    if config.max_position_embeddings < SEQ or config.type_vocab_size < 2:
        raise ValueError(
            f"the sentences of the trial have {SEQ} tokens and 2 segments; with "
            f"max_position_embeddings = {config.max_position_embeddings} and type_vocab_size = "
            f"{config.type_vocab_size} they have no room"
        )


def _is_other(mine: type[nn.Module]) -> bool:
    """Return whether a class says that it is meant to be another network than ours."""
    return getattr(mine, "own_parameters", False)


def _slip(trial: Trial) -> str:
    return "" if _is_other(trial.kind) else usual_slip(trial)


@contextmanager
def unchanged() -> Iterator[None]:
    """Change nobody's cast, nobody's chance, and not whether gradients are recorded."""
    ours = {role: role for role in ROLES}
    with override(ours), torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(0)
        yield


def each_answer(trial: Trial) -> Iterator[tuple[str, str]]:
    """Yield each promise and what is wrong with it, if anything; stop where none can follow."""
    for claim, problem in _each_answer(trial):
        switched = _gradients_again()
        yield claim, problem or switched


def _gradients_again() -> str:
    """Record gradients again; say so if somebody has switched them off for all that follows."""
    if torch.is_grad_enabled():
        return ""
    torch.set_grad_enabled(True)
    return (
        "after it no gradient is recorded any more, in any model: set_grad_enabled(False) lasts. "
        "Whoever calls a model decides about that, with torch.no_grad()."
    )


def _each_answer(trial: Trial) -> Iterator[tuple[str, str]]:
    for look in FIRST:
        problem = look(trial)
        yield IS_CALLED, f"{problem} {_slip(trial)}".strip() if problem else ""
        if problem:
            return
    slip = _slip(trial)
    for promise in properties_of(trial.role):
        kept = answer_to(trial, promise.holds)
        told = promise.sentence if kept is False else kept
        yield promise.claim, "" if kept is True else f"{told} {slip}".strip()
    for claim, look in () if _is_other(trial.kind) else LAST:
        problem = answer_to(trial, look)
        yield claim, f"{problem} {slip}".strip() if problem else ""
