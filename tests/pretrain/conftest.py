"""A finished run, on which the tests of the command stand."""

import pytest


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The folder of a run that was never interrupted, and the arguments for it."""
    from small_runs import pretrain, write_inputs

    folder = tmp_path_factory.mktemp("whole")
    arguments = write_inputs(folder)
    assert pretrain(*arguments, "--out", folder / "out") == 0
    return folder / "out", arguments
