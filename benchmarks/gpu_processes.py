"""Two processes train as one does, on two GPUs if there are two: a part of ``benchmarks.gpu``.

It starts itself twice, as Chapter 24 starts a training: ``torchrun --nproc-per-node 2``. The
processes talk by NCCL from GPU to GPU; with fewer GPUs the same program runs on two cores, by Gloo.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from .gpu_bare import ignore_shapes

ROOT = Path(__file__).resolve().parents[1]
COUNT, SECONDS = 2, 120
WAYS = ("DDP", "FSDP", "the package's step")
SHOWN = "differences: "  # what the line begins with by which the first process tells them


def where(device: str) -> str:
    """Return "cuda" if each process can have a GPU of its own."""
    import torch

    return "cuda" if device == "cuda" and torch.cuda.device_count() >= COUNT else "cpu"


@cache
def differences(device: str) -> dict[str, float]:
    """Start the processes, and return how far each way to train together is off."""
    done = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone",
            f"--nproc-per-node={COUNT}", "-m", "benchmarks.gpu_processes", where(device),
        ],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    told = [line for line in done.stdout.splitlines() if line.startswith(SHOWN)]
    if done.returncode or not told:
        raise RuntimeError(f"two processes stopped: {done.stderr.strip()[-300:]}")
    return json.loads(told[0].removeprefix(SHOWN))


def main() -> None:
    """Compare what two processes compute with what one does; the first process prints it."""
    ignore_shapes()
    from minibert.training import Processes, choose_device

    from .gpu_together import off_alone

    device = choose_device(sys.argv[1])
    processes = Processes.init(device)
    found = off_alone(processes, device)
    if processes.rank == 0:
        print(SHOWN + json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
