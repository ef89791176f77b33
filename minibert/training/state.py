"""The numbers of a model and of its optimizer, by name, and back. Chapter 13."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from .checkpoint import Tensors


def model_tensors(model: nn.Module) -> dict[str, Shaped[Tensor, "..."]]:
    """Collect weights and buffers; a tensor with several names is taken under the first."""
    first = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), (name, tensor.detach().contiguous()))
    return dict(first.values())


def restore_model(model: nn.Module, tensors: Tensors) -> None:
    """Give a model the weights and buffers of another one with the same names and shapes."""
    ours = model_tensors(model)
    if problem := next(_misfits(ours, tensors), None):
        raise ValueError(
            f"the checkpoint belongs to another model than this {type(model).__name__}: {problem}"
        )
    with torch.no_grad():
        for name, tensor in model.state_dict(keep_vars=True).items():
            if name in tensors:
                tensor.copy_(tensors[name])


def _misfits(ours: Tensors, theirs: Tensors) -> Iterator[str]:
    """Yield how the names, shapes and types of two models differ."""
    for name in sorted({*ours, *theirs}):
        if name not in theirs:
            yield f"it has no {name}"
        elif name not in ours:
            yield f"its {name} is not in the model"
        elif ours[name].shape != theirs[name].shape:
            shapes = tuple(theirs[name].shape), tuple(ours[name].shape)
            yield f"its {name} has shape {shapes[0]}, here it is {shapes[1]}"
        elif ours[name].dtype != theirs[name].dtype:
            yield f"its {name} is {theirs[name].dtype}, here it is {ours[name].dtype}"


def optimizer_tensors(
    optimizer: torch.optim.Optimizer, model: nn.Module
) -> dict[str, Shaped[Tensor, "..."]]:
    """Collect what the optimizer remembers of each parameter."""
    return {
        f"{name}.{kind}": tensor.contiguous()
        for name, parameter in model.named_parameters()
        for kind, tensor in optimizer.state.get(parameter, {}).items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: Tensors) -> None:
    """Give an optimizer the memory of another one."""
    names = dict(model.named_parameters())
    optimizer.state.clear()
    for key, tensor in tensors.items():
        name, kind = key.rsplit(".", 1)
        parameter = names[name]
        optimizer.state[parameter][kind] = tensor.to(parameter.device, copy=True)
