"""How a usual mistake spoils our own part, each beside the question that leads out of it.

Tables of mistakes hold, for each, what is changed in the source of our forward, as in
``"+ input_tensor →"``, or a function that changes the module. Chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MethodType

from torch import nn

from bertbook.core.exercises.mistake import rewritten

Spoil = str | Callable[[nn.Module], object]  # a change of our source, or of a module in place


def spoil(module: nn.Module, how: Spoil) -> None:
    """Make a mistake in one of our modules."""
    if isinstance(how, str):
        module.forward = MethodType(rewritten(type(module).forward, how), module)
    else:
        how(module)


def putting(path: str, value: object) -> Callable[[nn.Module], object]:
    """Put something else in the place of a part, or a number."""

    def spoil(part: nn.Module) -> None:
        *owners, name = path.split(".")
        for owner in owners:
            part = getattr(part, owner)
        setattr(part, name, value)

    return spoil


def zeroing(name: str) -> Callable[[nn.Module], object]:
    """Forget a parameter, wherever in the module it is called so: all its numbers are 0."""

    def spoil(part: nn.Module) -> None:
        for path, parameter in part.named_parameters():
            if f".{path}".endswith(f".{name}") and "LayerNorm" not in path:
                parameter.zero_()

    return spoil


def epsilons(path: str) -> Mapping[Spoil, str]:
    """List the numbers that stand for ε when nobody asks the configuration."""
    return {
        putting(path, 1e-5): "Your LayerNorm has PyTorch's own ε, 1e-5. Which one does "
            "config.layer_norm_eps ask for?",
        putting(path, 1e-12): "Your LayerNorm's ε is always 1e-12. Which one does "
            "config.layer_norm_eps ask for?",
    }  # fmt: skip


NO_BIAS: Mapping[Spoil, str] = {
    zeroing("bias"): "The linear layers agree with ours but for their biases. Are they added?"
}
NO_NORM: Mapping[Spoil, str] = {
    putting("LayerNorm", nn.Identity()): "The numbers are those that go into LayerNorm. Where is "
    "it?"
}
