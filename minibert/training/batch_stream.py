"""Batches of epoch after epoch, from any position on, seeded by the position. Chapter 13."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import torch
from jaxtyping import Shaped
from torch import Tensor

from .loss_terms import Batch

# The purpose of a seed: the order of the data, or the dropout of the model.
DATA, MODEL = range(2)


def seed_torch(seed: int, purpose: int, *position: int) -> None:
    """Set torch's global generator to a state that depends on nothing but the arguments.

    Each step has its own seed, so that a resumed run need not know what was drawn before.
    """
    sequence = np.random.SeedSequence((seed, purpose, *position))
    torch.manual_seed(int(sequence.generate_state(1, np.uint64)[0]))


class BatchStream:
    """Batches of one epoch after another, and the position: `epoch` and `batch`."""

    def __init__(
        self, batches: Iterable[Batch], *, seed: int, epoch: int = 0, batch: int = 0
    ) -> None:
        require_repeatable(batches)
        self.batches, self.seed = batches, seed
        self.epoch, self.batch = epoch, batch
        self._iterator: Iterator[Batch] | None = None

    def take(self, count: int) -> list[dict[str, Shaped[Tensor, "..."]]]:
        """Return the next batches, and move on; where an epoch ends, the next one begins."""
        return [self._next() for _ in range(count)]

    def _next(self) -> dict[str, Tensor]:
        if self._iterator is None:
            self._iterator = self._open()
        batch = self._draw(self._iterator, self.batch)
        if batch is None:
            if not self.batch:
                raise ValueError(f"epoch {self.epoch} holds no batch; give at least one")
            self.epoch, self.batch, self._iterator = self.epoch + 1, 0, None
            return self._next()
        self.batch += 1
        return check_batch(batch)

    def _open(self) -> Iterator[Batch]:
        epoch = getattr(self.batches, "epoch", None)
        if epoch is not None:
            return iter(epoch(self.epoch, self.batch))
        seed_torch(self.seed, DATA, self.epoch, 0)
        iterator = iter(self.batches)
        for skipped in range(self.batch):
            self._draw(iterator, skipped)
        return iterator

    def _draw(self, iterator: Iterator[Batch], number: int) -> Batch | None:
        seed_torch(self.seed, DATA, self.epoch, number)
        return next(iterator, None)


def require_repeatable(batches: Iterable[Batch]) -> None:
    """Raise for an iterator, which is empty after one epoch."""
    if not hasattr(batches, "epoch") and iter(batches) is batches:
        raise TypeError(
            f"the batches are a {type(batches).__name__}, which can be iterated over only once; "
            "give a list, a DataLoader, or an object with a method epoch(number, start)"
        )


def check_batch(batch: Batch) -> dict[str, Shaped[Tensor, "..."]]:
    """Raise for what is not a dictionary of tensors."""
    if not isinstance(batch, Mapping):
        raise TypeError(
            "a batch must be a dictionary of tensors, under the names of the model's arguments, "
            f"not a {type(batch).__name__}"
        )
    if wrong := [name for name, tensor in batch.items() if not isinstance(tensor, Tensor)]:
        kind = type(batch[wrong[0]]).__name__
        raise TypeError(f"{wrong[0]!r} in a batch must be a tensor, not a {kind}")
    return dict(batch)
