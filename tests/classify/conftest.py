"""A table and an encoder, a finished run, and signals that arrive."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """A table and an encoder, as arguments of `train` without --out."""
    from small_classifier import WISHES, letters, write_encoder, write_table

    folder = tmp_path_factory.mktemp("inputs")
    table = write_table(folder / "letters.csv", letters())
    return [table, "--model", write_encoder(folder / "encoder"), *WISHES]


@pytest.fixture(scope="session")
def finished(inputs, tmp_path_factory):
    """The folder of a run that was never interrupted."""
    from small_classifier import classify

    folder = tmp_path_factory.mktemp("finished") / "my classifier"
    assert classify("train", *inputs, "--out", folder) == 0
    return folder


@pytest.fixture(autouse=True)
def signals_arrive() -> Iterator[None]:
    """Hear those that whoever started the tests ignores."""
    from berttools.cli.signals import SIGNALS

    ignored = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
