"""A usual mistake: how it spoils our own part, and the question that leads out of it. Chapter 8."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import NamedTuple

from torch import nn

Spoil = Callable[[nn.Module], object]  # changes one of our modules in place


class Slip(NamedTuple):
    """A usual mistake: how it spoils ours, and what to ask the reader."""

    spoil: Spoil
    hint: str


def computing(wrong: Callable, **changes: object) -> Spoil:
    """Let a module compute something else."""
    return lambda part: setattr(part, "forward", partial(wrong, part, **changes))


def typing(ours: str, typed: str) -> Spoil:
    """Type something else in the forward of ours, in one place or, between bars, in several."""

    def spoil(part: nn.Module) -> None:
        source = textwrap.dedent(inspect.getsource(type(part).forward))
        for old, new in zip(ours.split("|"), typed.split("|"), strict=True):
            if old not in source:
                raise ValueError(f"{type(part).__name__}.forward has no {old!r} to change")
            source = source.replace(old, new)
        names = dict(vars(sys.modules[type(part).__module__]))
        exec(source, names)
        part.forward = MethodType(names["forward"], part)

    return spoil


def putting(path: str, value: object) -> Spoil:
    """Put something else in the place of a part, or a number."""

    def spoil(part: nn.Module) -> None:
        *owners, name = path.split(".")
        for owner in owners:
            part = getattr(part, owner)
        setattr(part, name, value)

    return spoil


def zeroing(name: str) -> Spoil:
    """Forget a parameter, wherever in the module it is called so: all its numbers are 0."""

    def spoil(part: nn.Module) -> None:
        for path, parameter in part.named_parameters():
            if f".{path}".endswith(f".{name}") and "LayerNorm" not in path:
                parameter.zero_()

    return spoil


def epsilons(path: str) -> list[Slip]:
    """List the numbers that stand for ε when nobody asks the configuration."""
    return [
        Slip(putting(path, 1e-5), "Your LayerNorm has PyTorch's own ε, 1e-5. Which one does "
             "config.layer_norm_eps ask for?"),
        Slip(putting(path, 1e-12), "Your LayerNorm's ε is always 1e-12. Which one does "
             "config.layer_norm_eps ask for?"),
    ]  # fmt: skip


NO_BIAS = Slip(zeroing("bias"), "The linear layers agree with ours but for their biases. Are "
               "they added?")  # fmt: skip
NO_NORM = Slip(putting("LayerNorm", nn.Identity()), "The numbers are those that go into "
               "LayerNorm. Where is it?")  # fmt: skip
