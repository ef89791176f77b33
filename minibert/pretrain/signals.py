"""Ctrl+C between two updates: nothing is torn, and the last step can still be saved."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import torch

from minibert.data import PretrainingBatches
from minibert.training import Processes
from minibert.wordpiece.encode_batch import Batch

from .output import discard_closed_terminal

# Ctrl+C, the request of a batch system, and a closed terminal, of which Windows tells nothing.
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))


class Stopped(Exception):  # noqa: N818
    """Say that somebody has asked the run to stop, and that it stands between two updates.

    References
    ----------
    Chapter 14.
    """


class StoppableBatches:
    """Give batches, the same as before, until a signal asks to stop.

    The signal is only noted. The next batch is not given, so that the update under way is finished;
    several processes agree on it, so that all of them stop after the same update. A second Ctrl+C
    does not wait, unless there are several processes: torchrun passes on the one that all of them
    have got already.

    Parameters
    ----------
    batches : PretrainingBatches
        The batches of the run.
    processes : Processes
        Who trains.
    device : torch.device
        Where.

    References
    ----------
    Chapter 14.
    """

    def __init__(
        self, batches: PretrainingBatches, processes: Processes, device: torch.device
    ) -> None:
        self.batches, self.processes, self.device = batches, processes, device
        self.signal = 0
        self._before: dict[int, Any] = {}

    @property
    def identity(self) -> dict[str, Any]:
        """Tell what makes these batches these.

        Returns
        -------
        dict
            That of the batches inside.
        """
        return self.batches.identity

    def __iter__(self) -> Iterator[Batch]:
        """Give the batches of epoch 0."""
        return self.epoch(0)

    def epoch(self, number: int, start: int = 0) -> Iterator[Batch]:
        """Give the batches of one epoch, from any of them on.

        Parameters
        ----------
        number : int
            The epoch, from 0.
        start : int, default 0
            The first batch to give, from 0.

        Yields
        ------
        dict from str to int64 tensor
            Batches.

        Raises
        ------
        Stopped
            In place of a batch, if one of the processes has got a signal.
        """
        for batch in self.batches.epoch(number, start):
            asked = self.processes.add_numbers({"signals": float(self.signal)}, self.device)
            if asked["signals"]:
                raise Stopped
            yield batch

    def __enter__(self) -> StoppableBatches:
        """Begin to listen."""
        for number in SIGNALS:
            # What whoever started us ignores stays ignored, as a closed terminal under `nohup`.
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Listen no more."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: object) -> None:
        if self.signal and self.processes.count == 1:
            raise KeyboardInterrupt
        self.signal = number
        discard_closed_terminal()  # writing to it would break the update under way
