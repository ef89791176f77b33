"""The record of Chapter 24: what it says agrees with itself, and its measuring still runs."""

import json
from statistics import median

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
        {rows: median(both[count]) for rows, both in row.items()}
        for row in record["updates"].values()
        for count in ("one", "two")
    ]
    talk = {size: median(seconds) for size, seconds in record["all_reduce"].items()}
    for column in [*columns, talk]:
        seconds = list(column.values())
        assert seconds[0] < seconds[-1]


def test_an_update_is_measured(monkeypatch, one_thread):
    monkeypatch.setattr(processes, "ROUNDS", 2)
    found = processes.compare("small", 32, Processes())
    assert [len(seconds) for seconds in found.values()] == [2, 2]
    assert 0 < min(map(min, found.values())) < 10
