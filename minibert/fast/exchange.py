"""Exchange modules within a model that stands already. Chapter 23."""

import copy
from collections.abc import Callable

from torch import nn


def exchange(model: nn.Module, kind: type[nn.Module], new: Callable[..., nn.Module]) -> None:
    """Put ``new(module)`` in the place of each module of a class."""
    for owner in [*model.modules()]:
        for name, child in [*owner.named_children()]:
            if isinstance(child, kind):
                setattr(owner, name, new(child))


def for_use(model: nn.Module, new: Callable[..., nn.Module]) -> nn.Module:
    """Copy a model, without gradients and in evaluation, and exchange its linear layers."""
    model = copy.deepcopy(model).requires_grad_(False)
    exchange(model, nn.Linear, new)
    return model.eval()
