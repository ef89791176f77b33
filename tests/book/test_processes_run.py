"""The record of Chapter 21: what it says agrees with itself, and its measuring still runs."""

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


def test_more_rows_and_longer_messages_take_longer(record):
    columns = [
        {rows: both[count] for rows, both in row.items()}
        for row in record["updates"].values()
        for count in ("one", "two")
    ]
    for column in [*columns, record["all_reduce"]]:
        seconds = list(column.values())
        assert seconds[0] < seconds[-1]


def test_an_update_is_measured(monkeypatch, one_thread):
    monkeypatch.setattr(processes, "SECONDS", 0.1)
    found = processes.compare("small", 2, Processes())
    assert 0 < found["one"] < 10 and 0 < found["two"] < 10
