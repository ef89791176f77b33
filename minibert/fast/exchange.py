"""Exchange modules within a model that stands already. Chapter 23."""

from collections.abc import Callable

from torch import nn


def exchange(model: nn.Module, kind: type[nn.Module], new: Callable[..., nn.Module]) -> None:
    """Put ``new(module)`` in the place of each module of a class."""
    for owner in [*model.modules()]:
        for name, child in [*owner.named_children()]:
            if isinstance(child, kind):
                setattr(owner, name, new(child))
