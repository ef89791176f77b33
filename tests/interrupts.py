"""Signals that arrive while a command trains, and under whatever started the tests."""

import os
import signal
from contextlib import contextmanager


@contextmanager
def signals_arrive():
    """Hear those that whoever started the tests ignores; then the processes of a test do, too."""
    from berttools.pretrain.signals import SIGNALS  # brings torch, which reads its environment

    ignored = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:  # Ctrl+C raises, as it does where nobody ignores it
        raises = signal.default_int_handler if number == signal.SIGINT else lambda *_: None
        signal.signal(number, raises)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


def interrupt(monkeypatch, batches, at, *numbers, time=1):
    """Send signals to this process before a batch to learn from is made, the so-manieth time."""
    real, reached = batches.epoch, []

    def epoch(self, number, start=0):
        for place, batch in enumerate(real(self, number, start), start):
            sizes = [len(getattr(self, name, ())) for name in ("rows", "documents")]
            if (sizes[0] > 100 or sizes[1] > 2) and number * len(self) + place == at:
                reached.append(number)
                for signal_number in numbers if len(reached) == time else ():
                    os.kill(os.getpid(), signal_number)
            yield batch

    monkeypatch.setattr(batches, "epoch", epoch)
