"""A second device for machines that have none: its tensors hold numbers, in the memory of the CPU.

PyTorch takes them to be on the meta device; where one meets a tensor of the CPU, the operation
raises. PyTorch's `FakeTensorMode` has no numbers, and without CUDA it neither indexes nor moves.
"""

import sys
from contextlib import contextmanager
from unittest.mock import patch

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

NAME, FUSED = "meta", "_get_fused_kernels_supported_devices"
aten = torch.ops.aten
MOVES = {aten._to_copy.default, aten.copy_.default}
# Places in a table elsewhere may come from the CPU, with a GPU as well.
INDEXING = {
    aten.index.Tensor, aten.index_put.default, aten.index_put_.default,
    aten._index_put_impl_.default,
}  # fmt: skip


class MixedDevicesError(RuntimeError):
    """Stop because tensors of two devices have met."""


class Away(Tensor):
    """A tensor that says it is elsewhere, around one on the CPU that has its numbers."""

    @staticmethod
    def __new__(cls, numbers):
        return Tensor._make_wrapper_subclass(
            cls, numbers.size(), strides=numbers.stride(), storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype, device=NAME,
        )  # fmt: skip

    def __init__(self, numbers):
        self.numbers = numbers

    def tolist(self):
        return self.numbers.tolist()

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return compute(func, args, kwargs or {})


class _OtherDevice(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return compute(func, args, kwargs or {})


def compute(func, args, kwargs):
    """Compute on the CPU, and say that the result is where the arguments are."""
    place = kwargs.get("device")
    wanted = torch.device(place).type if place is not None else None
    away = any(isinstance(each, Away) for each in tree_leaves((args, kwargs)))
    if func not in MOVES:
        require_one_device(func, args, kwargs, wanted)
    there = wanted == NAME if wanted else away
    if func is aten.copy_.default:
        there = isinstance(args[0], Away)
    inside = {**kwargs, "device": torch.device("cpu")} if wanted == NAME else kwargs
    found = func(*tree_map(numbers_of, args), **tree_map(numbers_of, inside))
    if not there:
        return found
    found = tree_map(lambda each: Away(each) if isinstance(each, Tensor) else each, found)
    return return_and_correct_aliasing(func, args, kwargs, found) if away else found


def numbers_of(value):
    assert isinstance(value, Away) or not getattr(value, "is_meta", False), "without numbers"
    return value.numbers if isinstance(value, Away) else value


def require_one_device(func, args, kwargs, wanted):
    """Raise where tensors of two devices meet; a single number may come from the CPU."""
    allowed = func in INDEXING and isinstance(args[0], Away)
    counted = (args[0], *args[2:3]) if allowed else (args, kwargs)
    given = [each for each in tree_leaves(counted) if isinstance(each, Tensor)]
    devices = {each.device.type for each in given if isinstance(each, Away) or each.dim()}
    if len(devices) > 1:
        raise MixedDevicesError(f"{func} expects all tensors to be on the same device")
    generator = kwargs.get("generator")
    place = wanted or next(iter(devices), "cpu")
    if generator is not None and place != generator.device.type:
        raise MixedDevicesError(f"{func} on {place} draws from a generator elsewhere")


class _Given(TorchFunctionMode):
    """Make tensors of given numbers here, and move them: else they would be without numbers."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in (torch.tensor, torch.as_tensor) and kwargs.get("device") is not None:
            return func(*args, **{**kwargs, "device": "cpu"}).to(kwargs["device"])
        return func(*args, **kwargs)


@contextmanager
def other_device():
    """Yield a device that is not the CPU and computes as the CPU does."""
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)  # tied weights stay tied
    try:
        optimizers = sys.modules[Optimizer.__module__]
        fused = patch.object(optimizers, FUSED, lambda: ["cpu", NAME])
        with fused, _Given(), _OtherDevice():
            yield torch.device(NAME)
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)
