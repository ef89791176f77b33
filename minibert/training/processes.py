"""Data parallel training: rows are sharded, gradients reduced. Chapters 13 and 24."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Shaped
from torch import Tensor, distributed, nn

from .loss_terms import Batch


@dataclass(frozen=True)
class Processes:
    """The processes that train one model together: `world_size` of them, this one with `rank`.

    Every process makes the same batches and takes its own rows of each, so that any number of
    processes makes the same updates.

    >>> Processes(1, 2).shard_batch({"labels": torch.tensor([5, 6, 7])})
    {'labels': tensor([6])}
    """

    rank: int = 0
    world_size: int = 1

    @classmethod
    def init(cls, device: torch.device) -> Processes:
        """Return this process among the others, if torchrun has started it; else rank 0 of 1.

        By `device` they talk by NCCL or by Gloo.
        """
        if not distributed.is_available():
            return cls()
        if not distributed.is_initialized():
            if int(os.environ.get("WORLD_SIZE", 1)) == 1:
                return cls()
            if device.type == "cuda":
                torch.cuda.set_device(device)
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
            atexit.register(distributed.destroy_process_group)
        return cls(distributed.get_rank(), distributed.get_world_size())

    def shard_batch(self, batch: Batch) -> dict[str, Shaped[Tensor, "..."]]:
        """Return the rows of `batch` that belong to this process: every `world_size`-th one."""
        if self.world_size == 1:
            return dict(batch)
        rows = {name: len(tensor) for name, tensor in batch.items() if tensor.ndim}
        if len({*rows.values()}) > 1:
            raise ValueError(
                f"a batch for {self.world_size} processes needs equal rows, not {rows}"
            )
        return {name: x[self.rank :: self.world_size] if x.ndim else x for name, x in batch.items()}

    def all_reduce_grads(self, parameters: Sequence[nn.Parameter]) -> None:
        """Add up the gradients of `parameters` over all processes, in place.

        One long message is faster than many short ones. What none of them used has no gradient.
        """
        if self.world_size == 1:
            return
        used = torch.tensor(
            [float(p.grad is not None) for p in parameters], device=parameters[0].device
        )
        distributed.all_reduce(used)
        parameters = [p for p, users in zip(parameters, used.tolist(), strict=True) if users]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        message = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(message)
        parts = message.split([p.numel() for p in parameters])
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.grad = part.view_as(parameter)

    def all_reduce(self, numbers: Mapping[str, float], device: torch.device) -> dict[str, float]:
        """Return the sums of `numbers` over all processes, which exchange tensors on `device`."""
        if self.world_size == 1:
            return dict(numbers)
        sums = torch.tensor(list(numbers.values()), dtype=torch.float64, device=device)
        distributed.all_reduce(sums)
        return dict(zip(numbers, sums.tolist(), strict=True))

    def broadcast(self, model: nn.Module) -> None:
        """Copy the weights of process 0 to the `model` of every process."""
        if self.world_size > 1:
            for tensor in [*model.parameters(), *model.buffers()]:
                distributed.broadcast(tensor.detach(), src=0)


ALONE = Processes()
