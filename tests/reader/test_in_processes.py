"""Functions of a notebook in processes of their own: what they return, and how they fail."""

import os
import sys

import pytest
import torch
from effort import mostly_thorough
from torch import distributed

from bertbook.reader import in_processes, processes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not distributed.is_available() or not distributed.is_gloo_available(),
        reason="this PyTorch has no gloo",
    ),
]


def double(number):
    return 2 * number


def add_up(numbers, more):
    """Return the rank, and the sum of what all processes hold."""
    total = numbers[distributed.get_rank()] + double(more)
    distributed.all_reduce(total)
    return distributed.get_rank(), total


def stop_the_second(numbers):
    if distributed.get_rank() == 1:
        raise ValueError(f"{len(numbers)} numbers are too many")
    distributed.all_reduce(numbers)


def test_processes_talk_and_return_by_rank():
    found = in_processes(2, add_up, torch.tensor([1.0, 10.0]), 100)
    assert [rank for rank, _ in found] == [0, 1]
    assert [total.item() for _, total in found] == [411, 411]


def test_the_first_error_is_told_and_not_the_lost_connection():
    with pytest.raises(RuntimeError, match="ValueError: 3 numbers are too many"):
        in_processes(2, stop_the_second, torch.ones(3))


def complain_and_leave(status):
    """Write more than a pipe holds, meet the others, and end without a result if asked to."""
    sys.stderr.write("noise\n" * 50_000)
    distributed.barrier()
    if status:
        os._exit(status)


@pytest.mark.parametrize("status", mostly_thorough([3, 0]))
def test_noise_blocks_nobody_and_who_leaves_is_told(status):
    if not status:
        assert in_processes(2, complain_and_leave, status) == [None, None]
        return
    with pytest.raises(RuntimeError, match="2 of 2 processes stopped: noise"):
        in_processes(2, complain_and_leave, status)


def test_without_gloo(monkeypatch):
    monkeypatch.setattr(torch.distributed, "is_gloo_available", lambda: False)
    with pytest.raises(RuntimeError, match="has been built without gloo"):
        processes.in_processes(2, double, 1)
