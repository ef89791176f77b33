"""The numbers of a model and of its optimizer, by name, and back."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from .resume import Tensors


def model_tensors(model: nn.Module) -> dict[str, Shaped[Tensor, "..."]]:
    """Collect weights and buffers; a tensor with several names is taken under the first.

    Parameters
    ----------
    model : nn.Module
        Any model.

    Returns
    -------
    dict from str to tensor, any shape
        The tensors themselves, in one piece of memory each.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> sorted(model_tensors(nn.Linear(3, 2)))
    ['bias', 'weight']
    """
    first = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), (name, tensor.detach().contiguous()))
    return dict(first.values())


def restore_model(model: nn.Module, tensors: Tensors) -> None:
    """Give a model the weights and buffers of another one with the same names and shapes.

    Parameters
    ----------
    model : nn.Module
        Changed in place, or not at all.
    tensors : mapping from str to tensor, any shape
        As `model_tensors` gives them.

    Raises
    ------
    ValueError
        If a name or a shape differs.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> source, model = nn.Linear(3, 2), nn.Linear(3, 2)
    >>> restore_model(model, model_tensors(source))
    >>> torch.equal(source.weight, model.weight)
    True
    """
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
    """Say in which tensors two models differ."""
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
    """Collect what the optimizer remembers of each parameter.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer
        Its state holds tensors only, as AdamW's does.
    model : nn.Module
        Names the parameters.

    Returns
    -------
    dict from str to tensor, any shape
        ``name.exp_avg``, ``name.exp_avg_sq`` and ``name.step`` of each parameter that has been
        updated.

    References
    ----------
    Chapter 13.
    """
    return {
        f"{name}.{kind}": tensor.contiguous()
        for name, parameter in model.named_parameters()
        for kind, tensor in optimizer.state.get(parameter, {}).items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: Tensors) -> None:
    """Give an optimizer the memory of another one.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer
        Of the model; changed in place.
    model : nn.Module
        Names the parameters.
    tensors : mapping from str to tensor, any shape
        As `optimizer_tensors` gives them.

    References
    ----------
    Chapter 13.
    """
    names = dict(model.named_parameters())
    optimizer.state.clear()
    for key, tensor in tensors.items():
        name, kind = key.rsplit(".", 1)
        parameter = names[name]
        optimizer.state[parameter][kind] = tensor.to(parameter.device, copy=True)
