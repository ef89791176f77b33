"""Where to compute, and in which precision. Chapter 13."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

import torch
from jaxtyping import Shaped
from torch import Tensor


def choose_device(name: str | None = None) -> torch.device:
    """Return CUDA if there is such a device, then Apple's MPS, then the CPU.

    A `name`, such as "cpu" or "cuda:1", overrules the choice, and without one the environment
    variable MINIBERT_DEVICE does. Under torchrun each process takes the device with its number.

    >>> choose_device("cpu")
    device(type='cpu')
    """
    backends = {"cuda": torch.cuda, "mps": torch.backends.mps}
    available = [name for name, backend in backends.items() if backend.is_available()] + ["cpu"]
    wanted = name or os.environ.get("MINIBERT_DEVICE") or available[0]
    if wanted.split(":")[0] not in available:
        source = "the device" if name else "MINIBERT_DEVICE"
        raise ValueError(
            f"{source} is {wanted!r}, which this machine does not have; "
            f"it has {' and '.join(available)}"
        )
    if wanted == "cuda":
        wanted = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    return torch.device(wanted)


def autocast_dtype(device: torch.device) -> torch.dtype | None:
    """Return the type in which matrix products of `device` are faster than in 32 bits, or None.

    CUDA devices with bfloat16 gain. Some CPUs do (Chapter 23) and others lose, so that a run on a
    CPU stays in 32 bits, and gives the same numbers on each.

    >>> autocast_dtype(torch.device("cpu")) is None
    True
    """
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    return None


def autocast(device: torch.device, bf16: bool) -> AbstractContextManager:
    """Compute what follows in the type of `autocast_dtype`, if that is wanted."""
    dtype = autocast_dtype(device) if bf16 else None
    return torch.autocast(device.type, dtype) if dtype else nullcontext()


def to_device(
    batch: Mapping[str, Shaped[Tensor, "..."]], device: torch.device
) -> dict[str, Shaped[Tensor, "..."]]:
    """Move a batch to where the model is."""
    return {name: rows.to(device, non_blocking=True) for name, rows in batch.items()}
