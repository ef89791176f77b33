"""A table and an encoder, and a finished run.

Where this folder is named, pytest reads this file before it sets the threads: no torch up here.
"""

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
