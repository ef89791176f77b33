"""What the tests of the command stand on: a finished run, and signals that arrive under `nohup`."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The folder of a run that was never interrupted, and the arguments for it."""
    from small_runs import pretrain, write_inputs

    folder = tmp_path_factory.mktemp("whole")
    arguments = write_inputs(folder)
    assert pretrain(*arguments, "--out", folder / "out") == 0
    return folder / "out", arguments


@pytest.fixture(autouse=True)
def signals_arrive() -> Iterator[None]:
    """Hear those that whoever started the tests ignores; then the processes of a test do, too."""
    from berttools.cli.signals import SIGNALS  # brings torch, which reads its environment

    ignored = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
