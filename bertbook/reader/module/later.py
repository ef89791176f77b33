"""What later chapters do with a part, beyond a call with all its arguments. Chapter 8.

They leave arguments out, listen to parts with hooks, take a layer away, copy a model that has just
learned, train in mixed precision, and move it to another device.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from bertbook.reader.contracts import ROLES, roles_inside
from minibert.embeddings import BertEmbeddings
from minibert.model import BertEncoder, BertModel

from .one_device import OneDevice, OtherDeviceError
from .trial import Trial, same_numbers

REQUIRED = ("input_ids", "hidden_states")


def rest_may_be_left_out(trial: Trial) -> bool:
    """Hold if the first argument alone is as good as None and False for all others."""
    _, *others = ROLES[trial.role].called
    nothing = {name: False if name.startswith("output_") else None for name in others}
    given = trial.arguments(**nothing)
    try:
        found = trial.mine(given[0])
    except TypeError:
        return False
    return same_numbers(
        trial.take_apart(found, trial.ours(given[0])), trial.run(trial.mine, **nothing)
    )


def _calls(trial: Trial) -> Iterator[dict[str, tuple[tuple, dict]]]:
    """Yield, for a call that asks for all and for one that asks for nothing, what each part got."""
    for wishes in (True, False):
        got: dict[str, tuple[tuple, dict]] = {}

        def note(name: str, given: tuple, named: dict, got: dict = got) -> None:
            got[name] = given, named

        hooks = [
            module.register_forward_pre_hook(
                lambda _, given, named, name=name: note(name, given, named), with_kwargs=True
            )
            for name, module in trial.mine.named_modules(remove_duplicate=False)
            if name
        ]
        try:
            trial.run(trial.mine, output_attentions=wishes, output_hidden_states=wishes)
        finally:
            for hook in hooks:
                hook.remove()
        yield got


def _parts(trial: Trial) -> list[str]:
    """Name the parts that play a role in ours, by the places that the contract gives them."""
    kinds = tuple(role for role in roles_inside(trial.role) if role != trial.role)
    there = dict(trial.mine.named_modules(remove_duplicate=False))
    named = trial.ours.named_modules()
    return [name for name, part in named if name and type(part) in kinds and name in there]


def parts_are_called(trial: Trial) -> bool:
    """Hold if every part of ours, and every linear layer of hers, is called itself."""
    named = trial.mine.named_modules(remove_duplicate=False)
    linear = [name for name, part in named if name and isinstance(part, nn.Linear)]
    return all({*_parts(trial), *linear} <= got.keys() for got in _calls(trial))


def parts_get_arguments_by_place(trial: Trial) -> bool:
    """Hold if no part of ours is called with names, which another class need not know."""
    parts = _parts(trial)
    return not any(got[name][1] for got in _calls(trial) for name in parts if name in got)


def saves_parameters_alone(trial: Trial) -> bool:
    """Hold if what is saved is what files of weights hold."""
    return (
        trial.mine.state_dict().keys()
        == dict(trial.mine.named_parameters(remove_duplicate=False)).keys()
    )


def can_be_copied(trial: Trial) -> bool:
    """Hold if a class that has just been trained can be copied."""
    module = trial.build(trial.kind).train()
    trial.run(module)
    try:
        copy.deepcopy(module)
    except RuntimeError:  # of a tensor that holds the way it was computed
        return False
    return True


def runs_on_the_layers_that_are_there(trial: Trial) -> bool:
    """Hold if an encoder of which a layer was taken away runs on the other."""
    module = trial.build(trial.kind)
    encoder: Any = module.get_submodule("encoder") if trial.role is BertModel else module
    encoder.layer = nn.ModuleList([*encoder.layer][:1])
    try:
        return len(module(*trial.arguments()).hidden_states) == 2
    except (LookupError, RuntimeError):
        return False


def states_are_those_that_go_on(trial: Trial) -> bool:
    """Hold if a gradient of the last state reaches every state that is returned."""
    module = trial.build(trial.kind)
    given = trial.arguments()
    if trial.role is BertEncoder:
        given[0].requires_grad_()
    states = module(*given).hidden_states
    found = torch.autograd.grad(states[-1].sum(), [*states], allow_unused=True)
    return all(gradient is not None for gradient in found)


def works_in_mixed_precision(trial: Trial) -> bool:
    """Hold if a class runs, and stays finite, while PyTorch chooses 16 bits for products."""
    given = [_in_float32(value) for value in trial.arguments()]
    mine, ours = (trial.build(kind).float() for kind in (trial.kind, type(trial.ours)))
    with torch.autocast("cpu", torch.bfloat16):
        try:
            found = mine(*given)
        except RuntimeError:
            return False
        return all(value.isfinite().all() for value in _tensors(found, ours(*given)))


def _in_float32(value: Any) -> Any:
    is_float = isinstance(value, Tensor) and value.is_floating_point()
    return value.clamp(min=torch.finfo(torch.float32).min).float() if is_float else value


def _tensors(found: Any, ours: Any) -> Iterator[Tensor]:
    """Yield the tensors of an answer where ours has one, whatever their types."""
    if isinstance(ours, Tensor):
        yield found
    elif ours is not None:
        for one, other in zip(found, ours):
            yield from _tensors(one, other)


def works_on_any_device(trial: Trial) -> bool:
    """Hold if nothing made inside stays on the CPU; a device without numbers stands for a GPU."""
    module = trial.build(trial.kind).to("meta")
    given = [v.to("meta") if isinstance(v, Tensor) else v for v in trial.arguments()]
    bare = [v if n in REQUIRED else None for n, v in zip(ROLES[trial.role].called, given)]
    try:
        with OneDevice():
            module(*given)
            if trial.role in (BertEmbeddings, BertModel):
                module(*bare)
    except OtherDeviceError:
        return False
    except Exception as error:  # other things cannot be done without numbers, either
        return "device" not in f"{error}"
    return True
