"""Start runs in processes of their own, kill them at random moments, and start them again.

`python killed_runs.py FOLDER KILLS` prints how many were killed, how many of those while a
checkpoint was being written, and how many runs ended differently from one that was never killed.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import torch
import torch._dynamo  # the first update loads it; here once, not in each child
from small_model import end_of, make_trainer, ragged_batches

from minibert.training import checkpoint_folders
from minibert.training.resume import DRAFT, TRASH

STEPS = 40


def run(folder):
    trainer = make_trainer(folder, max_steps=STEPS, save_steps=2)
    if checkpoint_folders(folder):
        trainer.resume()
    trainer.fit(ragged_batches())


def start(folder):
    """Run in a child process; the parent never computes, so that it can be copied safely."""
    child = os.fork()
    if not child:
        status = 1
        try:
            run(folder)
            status = 0
        finally:
            os._exit(status)
    return child


def killed(folder, seconds):
    """Kill a run after some seconds; False if it was faster."""
    child = start(folder)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0, f"the run failed with status {status}"
            return False
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main(folder, wanted):
    torch.set_num_threads(1)
    chance = random.Random(0)
    began = time.monotonic()
    assert os.waitpid(start(folder / "whole"), 0)[1] == 0
    whole = time.monotonic() - began
    kills = with_checkpoint = while_writing = runs = different = 0
    while kills < wanted:
        runs += 1
        path, longest = folder / str(runs), whole / 5
        while killed(path, chance.uniform(0, longest)):
            kills += 1
            longest *= 1.05  # on a machine that has become slower the run must come to an end, too
            with_checkpoint += bool(checkpoint_folders(path))
            while_writing += (path / DRAFT).exists() or (path / TRASH).exists()
        different += end_of(path) != end_of(folder / "whole")
    print(f"{kills=} {runs=} {with_checkpoint=} {while_writing=} {different=} {whole=:.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
