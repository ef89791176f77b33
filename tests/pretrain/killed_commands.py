"""Start the command in processes of its own, kill it at random moments, and let it go on.

`python killed_commands.py FOLDER KILLS` prints how many were killed, how many of those after the
run had a plan and a checkpoint, and how many ended differently from a run that was never killed.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import torch
import torch._dynamo  # the first update loads it; here once, not in each child
from small_runs import end_of, pretrain, write_inputs

import minibert.pretrain.run  # noqa: F401  # the same
from minibert.training import checkpoint_folders


def start(folder, arguments):
    """Run or resume in a child process; the parent never computes, so it can be copied safely."""
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        resume = ["--resume"] if (folder / "run.json").exists() else []
        os._exit(pretrain(*arguments, "--out", folder, *resume))
    return child


def killed(folder, arguments, seconds):
    """Kill a run after some seconds; False if it was faster."""
    child = start(folder, arguments)
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
    arguments = write_inputs(folder)
    chance = random.Random(0)
    began = time.monotonic()
    assert os.waitpid(start(folder / "whole", arguments), 0)[1] == 0
    whole = time.monotonic() - began
    kills = with_plan = with_checkpoint = runs = different = 0
    while kills < wanted:
        runs += 1
        path = folder / str(runs)
        while killed(path, arguments, chance.uniform(0, whole)):
            kills += 1
            with_plan += (path / "run.json").exists()
            with_checkpoint += bool(checkpoint_folders(path))
        ends = end_of(path), end_of(folder / "whole")
        for name in ends[0]:
            if ends[0][name] != ends[1][name]:
                print(name, *(str(end[name])[:2000] for end in ends), sep="\n", file=sys.stderr)
        different += ends[0] != ends[1]
    print(f"{kills=} {runs=} {with_plan=} {with_checkpoint=} {different=} {whole=:.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
