"""What the tests of the command stand on: a finished run, and signals that arrive under `nohup`."""

import pytest
from interrupts import signals_arrive


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The folder of a run that was never interrupted, and the arguments for it."""
    from small_runs import pretrain, write_inputs

    folder = tmp_path_factory.mktemp("whole")
    arguments = write_inputs(folder)
    assert pretrain(*arguments, "--out", folder / "out") == 0
    return folder / "out", arguments


@pytest.fixture(autouse=True)
def hear_signals():
    with signals_arrive():
        yield
