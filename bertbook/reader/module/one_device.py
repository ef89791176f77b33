"""Check that all tensors are on one device, without a second device. Chapter 8."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


class OtherDeviceError(Exception):
    """Stop because an operation mixes tensors of two devices."""


class OneDevice(TorchFunctionMode):
    """Raise where an operation mixes devices, also where the meta device would allow it."""

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Call a function if its tensors are on one device; scalars may be elsewhere."""
        given = [*_inside((*args, *(kwargs or {}).values()))]
        devices = {tensor.device.type for tensor in given if tensor.dim()}
        if len(devices) > 1 and func.__name__ not in _MAY_MEET:
            raise OtherDeviceError(f"{func.__name__} gets tensors on {' and on '.join(devices)}")
        source, place = (kwargs or {}).get("generator"), (kwargs or {}).get("device")
        if source and place and source.device.type != torch.device(place).type:
            raise OtherDeviceError(f"{func.__name__} draws there, and its generator is on the CPU")
        return func(*args, **(kwargs or {}))


_MAY_MEET = {"__getitem__", "__setitem__", "__get__", "to", "copy_", "type_as", "new_tensor"}


def _inside(values: Iterable) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple | list):
            yield from _inside(value)
