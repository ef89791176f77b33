"""Batches without end: epoch after epoch, from any place on, with chance tied to the place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import torch
from jaxtyping import Shaped
from torch import Tensor

from .loss_terms import Batch

# What the chance is for; one seed serves both.
DATA, MODEL = range(2)


def seed_torch(seed: int, purpose: int, *place: int) -> None:
    """Set torch's global generator to a state that depends on nothing but the arguments.

    A run that goes on need not know what was drawn before: the chance of each step begins anew.

    Parameters
    ----------
    seed : int
        The seed of the run.
    purpose : int
        `DATA` or `MODEL`, so that one does not repeat the other.
    *place : int
        Where the run is, such as epoch and batch, or step and process.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> seed_torch(0, MODEL, 17, 0)
    >>> first = torch.rand(3)
    >>> seed_torch(0, MODEL, 17, 0)
    >>> torch.equal(torch.rand(3), first)
    True
    """
    sequence = np.random.SeedSequence((seed, purpose, *place))
    torch.manual_seed(int(sequence.generate_state(1, np.uint64)[0]))


class BatchStream:
    """Walk through batches, epoch after epoch, and know the place.

    Parameters
    ----------
    batches : iterable of dict
        Either it has a method ``epoch(number, start)``, which gives the batches of one epoch from
        the batch `start` on, as `PretrainingBatches` does; or it can be walked through again and
        again, as a list or a ``DataLoader`` can. The second kind may draw from torch's global
        generator; what comes before the starting place is made and thrown away.
    seed : int
        The seed of the run.
    epoch, batch : int, default 0
        The place of the next batch.

    Raises
    ------
    TypeError
        If the batches can be walked through only once.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> numbers = [{"x": torch.tensor(n)} for n in range(3)]
    >>> stream = BatchStream(numbers, seed=0, batch=2)
    >>> [batch["x"].item() for batch in stream.take(3)], stream.epoch, stream.batch
    ([2, 0, 1], 1, 2)
    """

    def __init__(
        self, batches: Iterable[Batch], *, seed: int, epoch: int = 0, batch: int = 0
    ) -> None:
        require_repeatable(batches)
        self.batches, self.seed = batches, seed
        self.epoch, self.batch = epoch, batch
        self._iterator: Iterator[Batch] | None = None

    def take(self, count: int) -> list[dict[str, Shaped[Tensor, "..."]]]:
        """Give the next batches, and move on.

        Parameters
        ----------
        count : int
            How many.

        Returns
        -------
        list of dict from str to tensor, any shape
            Batches; the next epoch begins where one ends.

        Raises
        ------
        ValueError
            If an epoch holds no batch.
        TypeError
            If a batch is not a dictionary of tensors.
        """
        return [self._next() for _ in range(count)]

    def _next(self) -> dict[str, Tensor]:
        if self._iterator is None:
            self._open()
        batch = self._draw(self.batch)
        if batch is None:
            if not self.batch:
                raise ValueError(f"epoch {self.epoch} holds no batch; give at least one")
            self.epoch, self.batch, self._iterator = self.epoch + 1, 0, None
            return self._next()
        self.batch += 1
        return check_batch(batch)

    def _open(self) -> None:
        """Begin the epoch at the place where the stream stands."""
        if hasattr(self.batches, "epoch"):
            self._iterator = iter(self.batches.epoch(self.epoch, self.batch))
            return
        seed_torch(self.seed, DATA, self.epoch, 0)
        self._iterator = iter(self.batches)
        for skipped in range(self.batch):
            self._draw(skipped)

    def _draw(self, number: int) -> Batch | None:
        seed_torch(self.seed, DATA, self.epoch, number)
        return next(self._iterator, None)


def require_repeatable(batches: Iterable[Batch]) -> None:
    """Refuse batches that are gone after one walk.

    Parameters
    ----------
    batches : iterable of dict
        What was given as data.

    Raises
    ------
    TypeError
        If it is an iterator, or cannot be iterated at all.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> require_repeatable([{"x": torch.tensor(1)}])
    """
    if not hasattr(batches, "epoch") and iter(batches) is batches:
        raise TypeError(
            f"the batches are a {type(batches).__name__}, which can be walked through only once; "
            "give a list, a DataLoader, or an object with a method epoch(number, start)"
        )


def check_batch(batch: Batch) -> dict[str, Shaped[Tensor, "..."]]:
    """Refuse what is not a dictionary of tensors.

    Parameters
    ----------
    batch : mapping from str to tensor
        What the data gave.

    Returns
    -------
    dict from str to tensor, any shape
        The same.

    Raises
    ------
    TypeError
        If it is something else.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> check_batch({"labels": torch.tensor([1])})
    {'labels': tensor([1])}
    """
    if not isinstance(batch, Mapping):
        raise TypeError(
            "a batch must be a dictionary of tensors, under the names of the model's arguments, "
            f"not a {type(batch).__name__}"
        )
    wrong = [name for name, tensor in batch.items() if not isinstance(tensor, Tensor)]
    if wrong:
        kind = type(batch[wrong[0]]).__name__
        raise TypeError(f"{wrong[0]!r} in a batch must be a tensor, not a {kind}")
    return dict(batch)
