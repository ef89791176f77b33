"""Gradients against measured slopes, and parameters that nothing depends on. Chapter 26."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .harness import Batch, Harness
from .tensors import tensors_of

_STEP = 1e-8  # of each weight, to measure a slope
_SLOPE = 1e-4  # of the slope
_HIDDEN = 1e30  # no score is as large


def weighted(
    harness: Harness, batch: Batch, run: Callable[..., Any]
) -> Callable[[], Float[Tensor, ""]]:
    """Build the sum of all that comes out, each number times one that is drawn once.

    What stands at padding counts as well: it is a function of the weights, whoever reads it. Only
    the lowest number, which hides a place, has no slope.
    """
    tables = tensors_of(run(batch))
    weights = [harness.drawn_like(table) * (table.abs() < _HIDDEN) for table in tables]

    def total() -> Float[Tensor, ""]:
        tables = tensors_of(run(batch))
        return torch.stack([(w * t).sum() for w, t in zip(weights, tables, strict=True)]).sum()

    return total


@torch.no_grad()
def off_the_slope(
    harness: Harness, total: Callable[[], Float[Tensor, ""]], weights: list[nn.Parameter]
) -> str:
    """Return how far gradients are from the slope of a small step; nothing if they agree.

    The weights stay a step aside, but for the rows of padding, which learn nothing.
    """
    ways = [harness.drawn_like(weight) for weight in weights]
    for table in harness.model.modules():
        row = getattr(table, "padding_idx", None)
        for way, weight in zip(ways, weights):
            if row is not None and weight is getattr(table, "weight", None):
                way[row] = 0  # pyright: ignore[reportArgumentType]
    pairs = [(way, w.grad) for way, w in zip(ways, weights) if w.grad is not None]
    predicted, ends = sum(float((way * grad).sum()) for way, grad in pairs), []
    for step in (-_STEP, 2 * _STEP):
        for way, weight in zip(ways, weights):
            weight.add_(way, alpha=step)
        ends.append(total())
    measured = float((ends[1] - ends[0]) / (2 * _STEP))
    close = abs(predicted - measured) <= _SLOPE * (1 + abs(measured))
    return "" if close else f"the gradient says {predicted:.4g}, a small step {measured:.4g}"


def without_gradient(model: nn.Module) -> list[str]:
    """List parameters, or heads in them, that no gradient has come to.

    That of a vector may be zero, as of the keys' bias.
    """
    heads = getattr(model.config, "num_attention_heads", 1)
    maps = {id(part.weight) for part in model.modules() if isinstance(part, nn.Linear)}
    found = []
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        if not parameter.requires_grad or (grad is not None and grad.dim() < 2):
            continue
        shared = id(parameter) in maps and len(parameter) % heads == 0
        parts = [] if grad is None else grad.chunk(heads if shared else 1)
        if not parts or not all(bool(part.any()) for part in parts):
            found.append(name)
    return found


def may_rest(harness: Harness, name: str) -> bool:
    """Return whether a parameter is there for something that this check does not ask for."""
    if harness.unasked:
        return True
    if name.endswith(".bias") and f"{name[:-4]}decoder.bias" in harness.model.state_dict():
        return True  # the untied decoder has a bias of its own
    *path, _ = name.split(".")
    parents = [harness.model.get_submodule(".".join(path[:depth])) for depth in range(len(path))]
    return any(_is_for_another_method(*both) for both in zip(parents, path))


def _is_for_another_method(parent: nn.Module, part: str) -> bool:
    """Return whether a public method names a part of a module, and its forward does not."""
    methods = {name: method for name, method in vars(type(parent)).items() if name[0] != "_"}
    uses = {n: m.__code__.co_names for n, m in methods.items() if hasattr(m, "__code__")}
    return part not in uses.pop("forward", ()) and any(part in names for names in uses.values())
