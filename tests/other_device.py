"""A second device for machines that have none: its tensors hold numbers, in the memory of the CPU.

PyTorch takes `Away` tensors to be on the meta device. Within `other_device`, whatever is made there
or sent there keeps its numbers; where such a tensor meets one of the CPU, the operation raises, as
it does with a GPU. `FakeTensorMode` would be the ready-made way, but a PyTorch that was built
without CUDA neither indexes nor moves its CUDA tensors, and a number cannot be read from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map

NAME = "meta"
aten = torch.ops.aten
# What moves numbers between devices, and the index of a table, may come from the CPU on a GPU too.
MOVES = {aten._to_copy.default, aten.copy_.default}
INDEXING = {aten.index.Tensor, aten.index_put_.default, aten.index_put.default,
            aten._index_put_impl_.default}  # fmt: skip


class Away(Tensor):
    """A tensor that says it is elsewhere, around one on the CPU with its numbers."""

    @staticmethod
    def __new__(cls, numbers: Tensor) -> Away:
        """Wrap a tensor."""
        return Tensor._make_wrapper_subclass(
            cls, numbers.size(), strides=numbers.stride(), storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype, device=NAME,
        )  # fmt: skip

    def __init__(self, numbers: Tensor) -> None:
        self.numbers = numbers

    def __repr__(self) -> str:
        return f"Away({self.numbers})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
        return _call(func, args, kwargs or {})


class _OtherDevice(TorchDispatchMode):
    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        return _call(func, args, kwargs or {})


def _call(func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Compute on the CPU, and say that the result is where the arguments are."""
    given = [each for each in tree_flatten((args, kwargs))[0] if isinstance(each, Tensor)]
    wanted = torch.device(kwargs["device"]).type if kwargs.get("device") is not None else None
    away = [each for each in given if isinstance(each, Away)]
    if func not in MOVES:
        _require_one_device(func, args, given, wanted, kwargs.get("generator"))
    there = wanted == NAME if wanted else bool(away)
    if func is aten.copy_.default:
        there = isinstance(args[0], Away)
    kwargs = dict(kwargs, device="cpu") if wanted == NAME else kwargs
    numbers = func(*tree_map(_numbers, args), **tree_map(_numbers, kwargs))
    if not there:
        return numbers
    found = tree_map(lambda each: Away(each) if isinstance(each, Tensor) else each, numbers)
    return return_and_correct_aliasing(func, args, kwargs, found) if away else found


def _numbers(value: Any) -> Any:
    return value.numbers if isinstance(value, Away) else value


def _require_one_device(
    func: Any, args: tuple, given: list[Tensor], wanted: str | None, generator: Any
) -> None:
    """Raise where tensors of two devices meet; a single number may come from the CPU."""
    if func in INDEXING:
        given = [args[0], *args[2:3]]
    devices = {NAME if isinstance(each, Away) else "cpu" for each in given
               if isinstance(each, Away) or each.dim()}  # fmt: skip
    if generator is not None and (wanted or "".join(devices)) != generator.device.type:
        raise RuntimeError(f"{func} on {wanted} draws from a generator on {generator.device.type}")
    if len(devices) > 1:
        raise RuntimeError(f"{func}: expected all tensors to be on the same device")


@contextmanager
def other_device() -> Iterator[str]:
    """Yield the name of a device that is not the CPU and computes as the CPU does."""
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        with _OtherDevice():
            yield NAME
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)
