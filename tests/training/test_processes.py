"""Two processes under torchrun make the updates that one process makes with the whole batch.

Each runs this file: `torchrun --nproc-per-node 2 test_processes.py DIR`, and writes what it found
to `DIR/rank.json`; checkpoints go to folders in DIR.
"""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from small_model import SmallModel, make_trainer, ragged_batches, without_times
from torch import distributed

from minibert.training import Processes, checkpoint_folders
from minibert.training.checkpoint import read_checkpoint

HERE = Path(__file__).parent
OPTIONS = {"max_steps": 12, "save_steps": 4, "learning_rate": 0.01, "warmup_steps": 3}


def run(folder, **changes):
    """Train on ragged batches: one has a single row, and one has all its labels in even rows."""
    batches = ragged_batches(6)
    batches[2] = {name: tensor[:1] for name, tensor in batches[2].items()}
    batches[4]["labels"][1::2] = -100
    # Each process begins with weights of its own; those of process 0 are the ones that count.
    rank = int(os.environ.get("RANK", 0))
    model = SmallModel(seed=rank, dropout=0.0, dtype=torch.float64)
    trainer = make_trainer(folder, model, **OPTIONS | changes)
    if folder is not None and checkpoint_folders(folder):
        trainer.resume()
    trainer.fit(batches, ragged_batches(3, seed=9))
    return trainer


def all_runs(folder):
    """Also without the labels of pairs: their head is never used, and must not decay."""
    unused = make_trainer(None, SmallModel(dropout=0.0), terms={"word_loss": "labels"}, **OPTIONS)
    unused.fit([{k: v for k, v in b.items() if k != "pair_labels"} for b in ragged_batches()])
    return {
        "resumed": run(folder),
        "accumulated": run(None, gradient_accumulation_steps=2),
        "unused": unused,
    }


def dropout_draws():
    """Note a number from the generator of dropout in each of three steps."""
    drawn, model = [], SmallModel()
    model.register_forward_pre_hook(lambda *_: drawn.append(torch.rand(()).item()))
    make_trainer(None, model, max_steps=3).fit(ragged_batches())
    return drawn


def full_disk(folder):
    """See that all processes stop when the one that writes cannot."""
    with (
        patch("os.fsync", side_effect=OSError(28, "No space left on device")),
        pytest.raises(OSError, match="could not") as error,
    ):
        make_trainer(folder, **OPTIONS).fit(ragged_batches())
    return str(error.value)


def bad_number():
    """See that all processes stop at a loss that is no number in one of them."""
    model = SmallModel(dropout=0.0)

    def spoil(model, _, output):
        if model.calls == 4 and os.environ["RANK"] == "0":
            output.word_loss = output.word_loss * math.nan

    model.register_forward_hook(spoil)
    with pytest.raises(FloatingPointError) as error:
        make_trainer(None, model, **OPTIONS).fit(ragged_batches())
    return str(error.value)


def main(folder):
    trainers = all_runs(folder / "resumed")
    processes = trainers["resumed"].processes
    found = {
        "histories": {name: trainer.history for name, trainer in trainers.items()},
        "weights": {
            name: {n: p.flatten().tolist() for n, p in trainer.model.named_parameters()}
            for name, trainer in trainers.items()
        },
        "processes": [processes.rank, processes.world_size],
        "dropout_draws": dropout_draws(),
        "message": full_disk(folder / "full"),
        "at a bad number": bad_number(),
    }
    (folder / f"{processes.rank}.json").write_text(json.dumps(found))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """What two processes found, by rank, and their folder."""
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    folder = tmp_path_factory.mktemp("shared")
    run(folder / "resumed")
    shutil.rmtree(folder / "resumed" / "step-00000012")  # two processes go on where one was
    path = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    environment = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MINIBERT_DEVICE": "cpu"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    done = subprocess.run(
        [*command, "2", __file__, str(folder)],
        env=os.environ | environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)], folder


@pytest.mark.slow
def test_two_processes_end_with_the_weights_and_the_history_of_one(shared, tmp_path):
    found, folder = shared
    alone, tolerances = all_runs(tmp_path), {"resumed": 1e-12, "accumulated": 1e-12, "unused": 1e-6}
    for rank in range(2):
        assert found[rank]["processes"] == [rank, 2]
        for name, tolerance in tolerances.items():
            for parameter, weight in alone[name].model.named_parameters():
                theirs = found[rank]["weights"][name][parameter]
                assert theirs == pytest.approx(weight.flatten().tolist(), rel=0, abs=tolerance)
            expected = without_times(alone[name].history)
            records = without_times(found[rank]["histories"][name])
            assert [r.keys() for r in records] == [r.keys() for r in expected]
            for ours, theirs in zip(expected, records, strict=True):
                assert theirs == pytest.approx(ours, abs=10 * tolerance)
    newest = checkpoint_folders(folder / "resumed")[0]
    assert newest.name == "step-00000012"  # one of them wrote it
    saved = {name: x.flatten().tolist() for name, x in read_checkpoint(newest).model.items()}
    assert saved.items() >= found[1]["weights"]["resumed"].items()


@pytest.mark.slow
def test_each_process_has_a_dropout_of_its_own_and_all_stop_when_one_fails(shared):
    draws = [number for found in shared[0] for number in found["dropout_draws"]]
    assert len(set(draws)) == len(draws) == 6
    assert shared[0][0]["dropout_draws"] == dropout_draws()  # the first one is as if alone
    first, second = (found["message"] for found in shared[0])
    assert "step 4 could not be written" in first and "No space left on device" in first
    assert second == "the process that writes to the folder could not"
    for found in shared[0]:
        assert "step 4 was not made: its loss is nan" in found["at a bad number"]


def test_who_is_alone_adds_nothing_and_one_of_three_adds_up(monkeypatch):
    cpu = torch.device("cpu")
    monkeypatch.setattr(distributed, "is_available", lambda: False)
    alone = Processes.init(cpu)
    assert (alone.rank, alone.world_size) == (0, 1)
    alone.all_reduce_grads([torch.nn.Parameter(torch.ones(2))])
    assert alone.all_reduce({"loss": 0.5}, cpu) == {"loss": 0.5}
    found = {"is_available": True, "is_initialized": True, "get_rank": 2, "get_world_size": 3}
    for name, value in found.items():
        monkeypatch.setattr(distributed, name, lambda value=value: value)
    one = Processes.init(cpu)
    assert (one.rank, one.world_size) == (2, 3)
    monkeypatch.setattr(distributed, "all_reduce", lambda numbers: numbers.mul_(3))  # all alike
    used, unused = (torch.nn.Parameter(torch.ones(2, 2)) for _ in "ab")
    used.grad = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    one.all_reduce_grads([unused, used])
    assert unused.grad is None and used.grad.tolist() == [[3, 6], [9, 12]]
    assert one.all_reduce({"loss": 0.5}, cpu) == {"loss": 1.5}


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_the_shares_are_the_whole_and_rows_must_fit(count):
    batch = ragged_batches(1)[0] | {"scale": torch.tensor(2.0)}
    shares = [Processes(rank, count).shard_batch(batch) for rank in range(count)]
    rows = sorted(row for share in shares for row in share["input_ids"].tolist())
    assert rows == sorted(batch["input_ids"].tolist())
    assert all(share["scale"] == 2 for share in shares)
    sizes = [len(share["labels"]) for share in shares]
    assert max(sizes) - min(sizes) <= 1
    with pytest.raises(ValueError, match=r"for 2 processes needs equal rows, not .*3.*2"):
        Processes(0, 2).shard_batch({"input_ids": torch.ones(3, 2), "labels": torch.ones(2, 2)})


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
