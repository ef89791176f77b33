"""The record of Chapter 23's roofline: it agrees with itself, and its counting with PyTorch's."""

import json
from statistics import median

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import roofline


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
