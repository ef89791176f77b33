"""The records of the machine: the roofline of Chapter 23, the processes of Chapter 24."""

import json
from statistics import median

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import processes, roofline
from minibert.training import Processes


@pytest.fixture(scope="module")
def record():
    return json.loads(roofline.RECORD.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["feed-forward", "attention, table"])
def test_operations_are_those_that_torch_counts(name, monkeypatch):
    monkeypatch.setattr(roofline, "LAYERS", 1)
    states = torch.randn(2, 8, roofline.HIDDEN)
    part = roofline.PARTS[name](16, states)
    with FlopCounterMode(display=False) as counter:
        part.run()
    assert counter.get_total_flops() == part.operations


def test_the_counts_are_those_of_the_record(record):
    for rows, seq in roofline.BATCHES[:1]:
        for name, part in roofline.parts_of(rows, seq, "cpu").items():
            told = record["parts"][f"{name}, {rows} × {seq}"]
            assert told == {"operations": part.operations, "bytes": roofline.NUMBER * part.numbers}


def test_no_large_part_is_faster_than_the_machine(record):
    speed = record["product_operations"] / median(record["seconds"]["product"])
    for name, part in record["parts"].items():
        if "32 × 128" in name:
            assert median(record["seconds"][name]) > part["operations"] / speed, name


def test_the_models_are_those_of_the_record():
    record = json.loads(processes.RECORD.read_text(encoding="utf-8"))
    sizes = {name: sum(p.numel() for p in processes.model_of(name).parameters())
             for name in processes.SIZES}  # fmt: skip
    assert sizes == record["parameters"]
    rows = {name: [*map(int, row)] for name, row in record["updates"].items()}
    assert rows == {name: [*processes.ROWS] for name in processes.SIZES}
    assert [*map(int, record["all_reduce"])] == [*processes.MESSAGES]


def test_an_update_is_measured(one_thread):
    found = processes.compare("small", 32, Processes(), rounds=2)
    assert [len(seconds) for seconds in found.values()] == [2, 2]
    assert 0 < min(map(min, found.values())) < 10
