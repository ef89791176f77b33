"""What the tests of the command stand on: signals that arrive, also under `nohup`."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def signals_arrive() -> Iterator[None]:
    """Hear those that whoever started the tests ignores; then the processes of a test do, too."""
    from minibert.pretrain.signals import SIGNALS  # brings torch, which reads its environment

    ignored = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
