"""Check that a part works as later chapters use it, beyond a call with all arguments. Chapter 8.

They leave arguments out, register hooks, remove a layer, copy a model after a step of training,
train in mixed precision, and move it to another device.
"""

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.parameter_shapes import roles_inside
from minibert.embeddings import BertEmbeddings
from minibert.model import BertEncoder, BertModel

from .one_device import OneDevice, OtherDeviceError
from .pair import ModulePair, same_numbers

REQUIRED = ("input_ids", "hidden_states")


def rest_may_be_left_out(pair: ModulePair) -> bool:
    """Hold if the first argument alone is as good as None and False for all others."""
    _, *others = ROLES[pair.role].called
    nothing = {name: False if name.startswith("output_") else None for name in others}
    given = pair.arguments(**nothing)
    try:
        output = pair.submission(given[0])
    except TypeError:
        return False
    return same_numbers(
        pair.take_apart(output, pair.reference(given[0])), pair.run(pair.submission, **nothing)
    )


def _calls(pair: ModulePair) -> Iterator[dict[str, tuple[tuple, dict]]]:
    """Yield the arguments of each part, in a call that asks for all outputs and in one for none."""
    for wanted in (True, False):
        got: dict[str, tuple[tuple, dict]] = {}

        def note(name: str, given: tuple, named: dict, got: dict = got) -> None:
            got[name] = given, named

        hooks = [
            module.register_forward_pre_hook(
                lambda _, given, named, name=name: note(name, given, named), with_kwargs=True
            )
            for name, module in pair.submission.named_modules(remove_duplicate=False)
            if name
        ]
        try:
            pair.run(pair.submission, output_attentions=wanted, output_hidden_states=wanted)
        finally:
            for hook in hooks:
                hook.remove()
        yield got


def _parts(pair: ModulePair) -> list[str]:
    """List the paths of the reference's parts that the submission has, too."""
    kinds = tuple(role for role in roles_inside(pair.role) if role != pair.role)
    there = dict(pair.submission.named_modules(remove_duplicate=False))
    named = pair.reference.named_modules()
    return [name for name, part in named if name and type(part) in kinds and name in there]


def parts_are_called(pair: ModulePair) -> bool:
    """Hold if every part, and every linear layer of the submission, is called itself."""
    named = pair.submission.named_modules(remove_duplicate=False)
    linear = [name for name, part in named if name and isinstance(part, nn.Linear)]
    return all({*_parts(pair), *linear} <= got.keys() for got in _calls(pair))


def parts_get_arguments_by_place(pair: ModulePair) -> bool:
    """Hold if parts are called with positional arguments; another class may use other names."""
    parts = _parts(pair)
    return not any(got[name][1] for got in _calls(pair) for name in parts if name in got)


def saves_parameters_alone(pair: ModulePair) -> bool:
    """Hold if `state_dict` has the parameters and nothing else."""
    return (
        pair.submission.state_dict().keys()
        == dict(pair.submission.named_parameters(remove_duplicate=False)).keys()
    )


def can_be_copied(pair: ModulePair) -> bool:
    """Hold if a module can be copied after a forward pass in training."""
    module = pair.build(pair.kind).train()
    pair.run(module)
    try:
        copy.deepcopy(module)
    except RuntimeError:  # of a tensor that holds the way it was computed
        return False
    return True


def runs_on_the_layers_that_are_there(pair: ModulePair) -> bool:
    """Hold if an encoder of which a layer was taken away runs on the other."""
    module = pair.build(pair.kind)
    encoder: Any = module.get_submodule("encoder") if pair.role is BertModel else module
    encoder.layer = nn.ModuleList([*encoder.layer][:1])
    try:
        return len(module(*pair.arguments()).hidden_states) == 2
    except (LookupError, RuntimeError):
        return False


def states_are_those_that_go_on(pair: ModulePair) -> bool:
    """Hold if a gradient of the last state reaches every state that is returned."""
    module = pair.build(pair.kind)
    given = pair.arguments()
    if pair.role is BertEncoder:
        given[0].requires_grad_()
    states = module(*given).hidden_states
    gradients = torch.autograd.grad(states[-1].sum(), [*states], allow_unused=True)
    return all(gradient is not None for gradient in gradients)


def works_in_mixed_precision(pair: ModulePair) -> bool:
    """Hold if outputs are finite under autocast to bfloat16."""
    given = [_in_float32(value) for value in pair.arguments()]
    submission, reference = (pair.build(kind).float() for kind in (pair.kind, type(pair.reference)))
    with torch.autocast("cpu", torch.bfloat16):
        try:
            output = submission(*given)
        except RuntimeError:
            return False
        return all(value.isfinite().all() for value in _tensors(output, reference(*given)))


def _in_float32(value: Any) -> Any:
    is_float = isinstance(value, Tensor) and value.is_floating_point()
    return value.clamp(min=torch.finfo(torch.float32).min).float() if is_float else value


def _tensors(output: Any, reference: Any) -> Iterator[Tensor]:
    """Yield the tensors of an output where the reference has one, whatever their types."""
    if isinstance(reference, Tensor):
        yield output
    elif reference is not None:
        for one, other in zip(output, reference):
            yield from _tensors(one, other)


def works_on_any_device(pair: ModulePair) -> bool:
    """Hold if every tensor is made on the input's device; the meta device stands for a GPU."""
    module = pair.build(pair.kind).to("meta")
    given = [v.to("meta") if isinstance(v, Tensor) else v for v in pair.arguments()]
    bare = [v if n in REQUIRED else None for n, v in zip(ROLES[pair.role].called, given)]
    try:
        with OneDevice():
            module(*given)
            if pair.role in (BertEmbeddings, BertModel):
                module(*bare)
    except OtherDeviceError:
        return False
    except Exception as error:  # other things cannot be done without numbers, either
        return "device" not in f"{error}"
    return True
