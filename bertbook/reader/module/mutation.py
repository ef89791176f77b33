"""Make a common mistake in one of the package's modules.

The tables of mistakes map each mutation to its hint: a change of the source of ``forward``, such as
``"+ input_tensor →"``, or a function that changes the module. Chapter 8.
"""

from collections.abc import Callable, Mapping
from types import MethodType

from torch import nn

from bertbook.core.exercises.mistake import rewritten

Mutation = str | Callable[[nn.Module], object]  # a change of our source, or of a module in place


def mutate(module: nn.Module, how: Mutation) -> None:
    """Make a mistake in a module, in place."""
    if isinstance(how, str):
        module.forward = MethodType(rewritten(type(module).forward, how), module)
    else:
        how(module)


def replacing(path: str, value: object) -> Callable[[nn.Module], object]:
    """Replace a submodule or a number by another."""

    def mutate(part: nn.Module) -> None:
        *owners, name = path.split(".")
        for owner in owners:
            part = getattr(part, owner)
        setattr(part, name, value)

    return mutate


def zeroing(name: str) -> Callable[[nn.Module], object]:
    """Set a parameter to 0, wherever in the module it has this name."""

    def mutate(part: nn.Module) -> None:
        for path, parameter in part.named_parameters():
            if f".{path}".endswith(f".{name}") and "LayerNorm" not in path:
                parameter.zero_()

    return mutate


def epsilons(path: str) -> Mapping[Mutation, str]:
    """List the values of ε that are common where the configuration is not asked."""
    return {
        replacing(path, 1e-5): "Your LayerNorm has PyTorch's own ε, 1e-5. Which one does "
            "config.layer_norm_eps ask for?",
        replacing(path, 1e-12): "Your LayerNorm's ε is always 1e-12. Which one does "
            "config.layer_norm_eps ask for?",
    }  # fmt: skip


NO_BIAS: Mapping[Mutation, str] = {
    zeroing("bias"): "The linear layers agree with ours but for their biases. Are they added?"
}
NO_NORM: Mapping[Mutation, str] = {
    replacing("LayerNorm", nn.Identity()): "The numbers are those that go into LayerNorm. Where is "
    "it?"
}
