"""Ctrl+C between two updates: nothing is torn, and the last step can still be saved. Chapter 14."""

import signal
from collections.abc import Iterable, Iterator

import torch

from berttools.cli.output import say_if_possible
from minibert.data import PretrainingBatches
from minibert.training import BertTrainer, Processes
from minibert.wordpiece.encode_batch import Batch

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl+C, and the request of a batch system


class Stopped(Exception):  # noqa: N818
    """Raised between two updates after a signal to stop."""


class StoppableBatches(PretrainingBatches):
    """Batches that end after a signal.

    The signal is only noted, and the next batch is not given, so that the update under way is
    finished; several processes agree on it, so that all of them stop after the same update.
    """

    processes, device, signal = Processes(), torch.device("cpu"), 0

    def epoch(self, number: int, start: int = 0) -> Iterator[Batch]:
        """Yield the batches of an epoch until a signal stops them."""
        for batch in super().epoch(number, start):
            self.stop_if_asked()
            yield batch

    def stop_if_asked(self) -> None:
        """Raise if one of the processes has got a signal."""
        received = self.processes.all_reduce({"signals": float(self.signal)}, self.device)
        if received["signals"]:
            raise Stopped

    def note(self, number: int, _: object) -> None:
        """Note a signal; a second one does not wait."""
        if self.signal and self.processes.world_size == 1:
            raise KeyboardInterrupt
        self.signal = number


def fit_until_signal(
    trainer: BertTrainer,
    batches: StoppableBatches,
    eval_batches: Iterable[Batch] | None,
    hint: str,
) -> int:
    """Train to the end and return 0, or until a signal and return its number."""
    batches.processes, batches.device = trainer.processes, trainer.device
    before = {number: signal.signal(number, batches.note) for number in SIGNALS}
    try:
        trainer.fit(batches, eval_batches)
        batches.stop_if_asked()  # in the last step, after which no batch is asked for
    except Stopped:
        if trainer.step and not trainer.is_saved:
            trainer.save()
        if trainer.processes.rank == 0:
            say_if_possible(f"Stopped after step {trainer.step}; {hint}")
        return batches.signal or signal.SIGTERM  # another process has got it
    except OSError as error:  # a checkpoint that could not be written
        raise OSError(f"{error.__cause__ or error}; make room, then {hint}") from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0
