"""Ctrl+C between two updates: nothing is torn, and the last step can still be saved. Chapter 14."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from berttools.cli.output import discard_closed_terminal, say
from minibert.data import PretrainingBatches
from minibert.training import BertTrainer, Processes
from minibert.wordpiece.encode_batch import Batch

# Ctrl+C, the request of a batch system, and a closed terminal, of which Windows tells nothing.
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))


class Stopped(Exception):  # noqa: N818
    """Raised between two updates after a signal to stop."""


class StoppableBatches:
    """The same batches, until a signal stops them.

    The signal is only noted, and the next batch is not given, so that the update under way is
    finished; several processes agree on it, so that all of them stop after the same update.
    """

    def __init__(
        self, batches: PretrainingBatches, processes: Processes, device: torch.device
    ) -> None:
        self.batches, self.processes, self.device = batches, processes, device
        self.signal = 0
        self._before: dict[int, Any] = {}

    @property
    def identity(self) -> dict[str, Any]:
        """Return what determines these batches."""
        return self.batches.identity

    def __iter__(self) -> Iterator[Batch]:
        """Return the batches of epoch 0."""
        return self.epoch(0)

    def epoch(self, number: int, start: int = 0) -> Iterator[Batch]:
        """Return the batches of one epoch, from any of them on."""
        for batch in self.batches.epoch(number, start):
            self.stop_if_asked()
            yield batch

    def stop_if_asked(self) -> None:
        """Raise if one of the processes has got a signal."""
        received = self.processes.all_reduce({"signals": float(self.signal)}, self.device)
        if received["signals"]:
            raise Stopped

    def __enter__(self) -> StoppableBatches:
        """Install the handlers."""
        for number in SIGNALS:
            # A signal that is ignored already stays ignored, as SIGHUP under `nohup`.
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the handlers from before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: object) -> None:
        if self.signal and self.processes.world_size == 1:
            raise KeyboardInterrupt
        self.signal = number
        discard_closed_terminal()  # writing to it would break the update under way


def fit_until_signal(
    trainer: BertTrainer,
    batches: PretrainingBatches,
    eval_batches: Iterable[Batch] | None,
    hint: str,
) -> int:
    """Train to the end and return 0, or until a signal and return its number."""
    stoppable = StoppableBatches(batches, trainer.processes, trainer.device)
    try:
        with stoppable:
            trainer.fit(stoppable, eval_batches)
            stoppable.stop_if_asked()  # in the last step, after which no batch is asked for
    except Stopped:
        if trainer.step and not trainer.is_saved:
            trainer.save()
        if trainer.processes.rank == 0:
            say(f"Stopped after step {trainer.step}; {hint}")
        return stoppable.signal or signal.SIGTERM  # another process has got it
    except FloatingPointError as error:
        # The same rate leads there again: resuming does not help.
        raise FloatingPointError(
            f"{error.__cause__ or error}; begin again in another folder with a --learning-rate "
            f"below {trainer.config.learning_rate:g}"
        ) from error
    except OSError as error:
        if error.__cause__ is None:
            raise
        # A checkpoint that could not be written; from a command `fit` cannot be called again.
        raise OSError(
            f"the checkpoint of step {trainer.step} could not be written ({error.__cause__}); "
            f"make room or repair the folder, then {hint}"
        ) from error
    return 0
