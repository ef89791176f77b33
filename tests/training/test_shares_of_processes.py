"""What a process knows of the others, and its share of a batch."""

import pytest
import torch
from small_model import ragged_batches
from torch import distributed

from minibert.training import Processes


def test_who_is_alone_adds_nothing_and_who_is_one_of_three_knows_it(monkeypatch):
    weight = torch.nn.Parameter(torch.ones(2))
    monkeypatch.setattr(distributed, "is_available", lambda: False)
    alone = Processes.join(torch.device("cpu"))
    assert (alone.rank, alone.count) == (0, 1)
    assert alone.add_up([weight], {"loss": 0.5}) == {"loss": 0.5}
    for name, value in {"is_available": True, "is_initialized": True, "get_rank": 2}.items():
        monkeypatch.setattr(distributed, name, lambda value=value: value)
    monkeypatch.setattr(distributed, "get_world_size", lambda: 3)
    one = Processes.join(torch.device("cpu"))
    assert (one.rank, one.count) == (2, 3)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_the_shares_are_the_whole_and_rows_must_fit(count):
    batch = ragged_batches(1)[0] | {"scale": torch.tensor(2.0)}
    shares = [Processes(rank, count).share(batch) for rank in range(count)]
    rows = sorted(row for share in shares for row in share["input_ids"].tolist())
    assert rows == sorted(batch["input_ids"].tolist())
    assert all(share["scale"] == 2 for share in shares)
    sizes = [len(share["labels"]) for share in shares]
    assert max(sizes) - min(sizes) <= 1
    with pytest.raises(ValueError, match=r"for 2 processes needs equal rows, not .*3.*2"):
        Processes(0, 2).share({"input_ids": torch.ones(3, 2), "labels": torch.ones(2, 2)})
