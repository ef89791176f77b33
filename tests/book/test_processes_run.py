"""The record of Chapter 24: what it says agrees with itself, and its measuring still runs."""

import json

import pytest

from benchmarks import processes
from minibert.training import Processes


@pytest.fixture(scope="module")
def record():
    return json.loads(processes.RECORD.read_text(encoding="utf-8"))


def test_the_models_are_those_of_the_record(record):
    sizes = {name: sum(p.numel() for p in processes.model_of(name).parameters())
             for name in processes.SIZES}  # fmt: skip
    assert sizes == record["parameters"]
    rows = {name: [*map(int, row)] for name, row in record["updates"].items()}
    assert rows == {name: [*processes.ROWS] for name in processes.SIZES}
    assert [*map(int, record["all_reduce"])] == [*processes.MESSAGES]


def test_an_update_is_measured(monkeypatch, one_thread):
    monkeypatch.setattr(processes, "ROUNDS", 2)
    found = processes.compare("small", 32, Processes())
    assert [len(seconds) for seconds in found.values()] == [2, 2]
    assert 0 < min(map(min, found.values())) < 10
