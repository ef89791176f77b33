"""Check a class for all properties of its role, one by one. Chapter 8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from bertbook.core.exercises.verdict import Verdict, brief
from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import Part
from bertbook.reader.contracts.require import require_replaceable
from minibert.config import BertConfig
from minibert.parts import override

from .comparison import COMPARISONS, find_mistake
from .pair import SEQ, TEST_CONFIG, ModulePair
from .properties import properties_of
from .smoke_checks import SMOKE_CHECKS, result_of

IS_CALLED = "it is built and called as models do it"


@dataclass(frozen=True)
class Examination:
    """The result of all checks of a class: how many properties hold, and the first that does not.

    Args:
        role: What the class is to replace.
        name: The name of the class.
        held: How many properties hold.
        total: How many there are.
        problem: What is wrong with the first that does not hold; empty if all do.
    """

    role: Part
    name: str
    held: int
    total: int
    problem: str  # empty if all hold


def check_module(
    submission: type[nn.Module], role: Part, config: BertConfig | None = None
) -> Verdict:
    """Check a reader's class: how it is built and called, its properties, its numbers.

    Args:
        submission: Derived from ``nn.Module``; its arguments may have any names.
        role: What it is to replace, a key of `bertbook.reader.contracts.ROLES`.
        config: Sizes to check it with, at least 5 positions and 2 segments; by default small ones
            that all differ.

    Returns:
        Passed, or the first thing to mend, and a hint if the numbers are those of a common mistake.

    Raises:
        ValueError: If no model asks for it, or it is a function.

    >>> from minibert.attention import BertSelfAttention
    >>> check_module(BertSelfAttention, BertSelfAttention).passed
    True
    """
    result = examine(submission, role, config)
    if result.problem:
        return Verdict(False, f"Not yet. {result.name} as {role.__name__}: {result.problem}")
    return Verdict(
        True,
        f"Right: {result.name} keeps all {result.total} promises of {role.__name__}, "
        "to the last digit.",
    )


def examine(
    submission: type[nn.Module], role: Part, config: BertConfig | None = None
) -> Examination:
    """Check all properties of a role and count those that hold; other parts are the package's.

    Args:
        submission: Derived from ``nn.Module``.
        role: What it is to replace, a key of `ROLES`.
        config: Sizes to check it with, as `check_module` takes them.

    Returns:
        How many properties hold, and what is wrong with the first that does not.

    Raises:
        ValueError: If no model asks for it, it is a function, or the sizes are too small for the
            inputs.

    >>> from minibert.model import BertPooler
    >>> found = examine(BertPooler, BertPooler)
    >>> found.held == found.total, found.problem
    (True, '')
    """
    require_replaceable(role)
    if not ROLES[role].built:
        raise ValueError(f"{role.__name__} is a function; check_module looks at classes")
    config = config or TEST_CONFIG
    _require_room(config)
    properties = properties_of(role)
    name = getattr(submission, "__name__", repr(submission))
    with isolated():
        problems = [problem for _, problem in each_result(ModulePair(submission, role, config))]
    total = len(SMOKE_CHECKS) + len(properties) + (0 if _is_other(submission) else len(COMPARISONS))
    first = next(filter(None, problems), "")
    return Examination(role, name, problems.count(""), total, brief(first))


def _require_room(config: BertConfig) -> None:
    if config.max_position_embeddings < SEQ or config.type_vocab_size < 2:
        raise ValueError(
            f"the sentences of the trial have {SEQ} tokens and 2 segments; with "
            f"max_position_embeddings = {config.max_position_embeddings} and type_vocab_size = "
            f"{config.type_vocab_size} they have no room"
        )


def _is_other(submission: type[nn.Module]) -> bool:
    """Return whether a class declares itself to be another network."""
    return getattr(submission, "own_parameters", False)


def _mistake(pair: ModulePair) -> str:
    return "" if _is_other(pair.kind) else find_mistake(pair)


@contextmanager
def isolated() -> Iterator[None]:
    """Use the package's parts, and restore replacements, random state and gradient mode after."""
    with (
        override({role: role for role in ROLES}),
        torch.random.fork_rng(devices=[]),
        torch.enable_grad(),
    ):
        torch.manual_seed(0)
        yield


def each_result(pair: ModulePair) -> Iterator[tuple[str, str]]:
    """Yield each property and its problem, if any; stop where no other can be checked."""
    for claim, problem in _each_result(pair):
        yield claim, problem or _restore_gradients()


def _restore_gradients() -> str:
    """Switch gradient mode on again; return a message if the class has switched it off."""
    if torch.is_grad_enabled():
        return ""
    torch.set_grad_enabled(True)
    return (
        "after it no gradient is recorded any more, in any model: set_grad_enabled(False) lasts. "
        "Whoever calls a model decides about that, with torch.no_grad()."
    )


def _each_result(pair: ModulePair) -> Iterator[tuple[str, str]]:
    for check in SMOKE_CHECKS:
        problem = check(pair)
        yield IS_CALLED, f"{problem} {_mistake(pair)}".strip() if problem else ""
        if problem:
            return
    mistake = _mistake(pair)
    for prop in properties_of(pair.role):
        result = result_of(pair, prop.holds)
        problem = prop.hint if result is False else result
        yield prop.claim, "" if result is True else f"{problem} {mistake}".strip()
    for claim, check in () if _is_other(pair.kind) else COMPARISONS:
        problem = result_of(pair, check)
        yield claim, f"{problem} {mistake}".strip() if problem else ""
