"""`torchrun --nproc-per-node 2 -m berttools pretrain`: two processes train what one would."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from small_runs import pretrain, without_times, write_inputs

from berttools.cli.output import complain
from berttools.pretrain.run import on_rank_zero
from berttools.pretrain.signals import StoppableBatches, Stopped
from minibert.training import Processes

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def torchrun(*arguments):
    """Start the command as a reader would, in two processes."""
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launcher, "--nproc-per-node", "2", "-m", "berttools", "pretrain"]
    return subprocess.run(
        [*command, *map(str, arguments), "--device", "cpu"],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A run of one process with 8 pairs a step, and its inputs."""
    folder = tmp_path_factory.mktemp("alone")
    arguments = write_inputs(folder, **NO_DROPOUT)
    assert pretrain(*arguments, "--out", folder / "out") == 0
    return folder / "out", arguments


def history(folder):
    lines = (folder / "history.jsonl").read_text(encoding="utf-8").splitlines()
    return without_times(map(json.loads, lines))


def test_two_processes_end_as_one_does_in_one_folder_and_only_one_speaks(alone, tmp_path):
    """Of 8 pairs a step each has 4."""
    folder = tmp_path / "out"
    done = torchrun(*alone[1], "--out", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    ours, theirs = (load_file(out / "model.safetensors") for out in (alone[0], folder))
    torch.testing.assert_close(theirs, ours, rtol=0, atol=1e-6)
    for one, other in zip(history(alone[0]), history(folder), strict=True):
        assert other == pytest.approx(one, abs=1e-5)
    names = [{path.name for path in out.iterdir()} for out in (alone[0], folder)]
    assert names[0] == names[1]
    assert (alone[0] / "vocab.txt").read_bytes() == (folder / "vocab.txt").read_bytes()
    assert "on 2 processes with cpu." in done.stdout
    for line in ("Text: 12 documents", "Vocabulary: ", "Training: 8 steps", "Done: 8 steps"):
        assert done.stdout.count(line) == 1


class Pretended(Processes):
    """One of two processes; what the other one adds is known."""

    def all_reduce(self, numbers, _):
        return {name: number + (self.rank == 1) for name, number in numbers.items()}


def test_if_the_first_process_fails_the_other_ends_without_a_word(capsys):
    cpu = torch.device("cpu")

    def fail():
        raise ValueError("no room")

    assert on_rank_zero(Pretended(0, 2), cpu, lambda: 7) == 7
    with pytest.raises(ValueError, match="no room"):
        on_rank_zero(Pretended(0, 2), cpu, fail)
    with pytest.raises(SystemExit) as end:
        on_rank_zero(Pretended(1, 2), cpu, fail)  # not called
    assert end.value.code == 1
    assert capsys.readouterr() == ("", "")


class Two:
    """Two empty batches."""

    def epoch(self, number, start):
        return iter([{}, {}][start:])


def test_a_signal_to_one_process_stops_both(unchecked):
    """The second process has got none; the first one has, twice, since torchrun passes it on."""
    batches = StoppableBatches(Two(), Pretended(0, 2), torch.device("cpu"))
    with batches:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
    assert batches.signal == signal.SIGINT
    for rank, ends in [(0, False), (1, True)]:
        batches = StoppableBatches(Two(), Pretended(rank, 2), torch.device("cpu"))
        if ends:
            with pytest.raises(Stopped):
                next(iter(batches))
        else:
            assert list(batches) == [{}, {}]


def test_each_process_says_who_complains(monkeypatch, capsys):
    complain("too long")
    monkeypatch.setenv("RANK", "1")
    complain("too long")
    assert capsys.readouterr().err == "error: too long\nerror in process 1: too long\n"
