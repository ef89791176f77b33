"""A table and an encoder, and a finished run."""

import pytest
from small_classifier import WISHES, classify, letters, write_encoder, write_table


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """A table and an encoder, as arguments of `train` without --out."""
    folder = tmp_path_factory.mktemp("inputs")
    table = write_table(folder / "letters.csv", letters())
    return [table, "--model", write_encoder(folder / "encoder"), *WISHES]


@pytest.fixture(scope="session")
def finished(inputs, tmp_path_factory):
    """The folder of a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("finished") / "my classifier"
    assert classify("train", *inputs, "--out", folder) == 0
    return folder
