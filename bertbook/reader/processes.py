"""Run a function of a notebook in several processes that talk to each other. Chapter 24."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .keeping import with_definition

SECONDS = 120  # that a process waits for the others before it gives up
END = """

if __name__ == "__main__":
    from datetime import timedelta
    from pathlib import Path
    import sys
    import torch
    from torch import distributed

    torch.set_num_threads(1)
    folder, rank, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    distributed.init_process_group(
        "gloo", init_method=(folder / "meeting").as_uri(), rank=rank, world_size=count,
        timeout=timedelta(seconds={seconds}),
    )
    result = {name}(*torch.load(folder / "arguments", weights_only=False))
    torch.save(result, folder / f"result-{{rank}}")
    distributed.destroy_process_group()
"""


def in_processes(count: int, work: Callable, *arguments: Any) -> list[Any]:
    """Run a function in several new processes of this machine, and return what each returned.

    The processes know nothing of the notebook. The function goes to them in a file, with its
    imports and with the other functions of the notebook that it uses, and they are introduced to
    each other by gloo, as torchrun does it for a script.

    Args:
        count: Number of processes, at least 1. Each computes with one thread.
        work: Defined in the notebook. Inside it ``torch.distributed`` knows the rank and the count.
        *arguments: What it is called with: anything that ``torch.save`` can store.

    Returns:
        What each process returned, by rank.

    Raises:
        RuntimeError: If a process has stopped with an error, or this PyTorch has no gloo.
    """
    import torch  # only here: the first chapters need no torch

    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        raise RuntimeError(
            "this PyTorch has been built without gloo, by which processes talk; the pages of the "
            "book show what they said, and the wheels of Linux, macOS and Windows have it"
        )
    with tempfile.TemporaryDirectory() as folder:
        file, _ = with_definition("", work)
        end = END.format(name=work.__name__, seconds=SECONDS)
        Path(folder, "work.py").write_text(file + end, encoding="utf-8")
        torch.save(arguments, Path(folder, "arguments"))
        _run(folder, count)
        return [torch.load(Path(folder, f"result-{i}"), weights_only=False) for i in range(count)]


def _run(folder: str, count: int) -> None:
    """Start the processes, and wait for all of them."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(Path(folder, "work.py")), folder]
    started, errors = [], [Path(folder, f"errors-{rank}") for rank in range(count)]
    for rank, path in enumerate(errors):
        with path.open("wb") as file:  # a pipe that nobody reads would block who writes much
            arguments = [*command, str(rank), str(count)]
            started.append(subprocess.Popen(arguments, env=environment, stderr=file))
    failed = []
    for rank, (process, path) in enumerate(zip(started, errors)):
        lines = path.read_text(errors="replace").splitlines() if process.wait() else []
        if process.returncode or not Path(folder, f"result-{rank}").exists():
            failed += lines[-1:] or [f"process {rank} ended with {process.returncode}, unfinished"]
    if failed:
        # Who loses the connection only follows the one that stopped first.
        reasons = sorted(failed, key=lambda line: "onnection closed" in line)
        raise RuntimeError(f"{len(failed)} of {count} processes stopped: {reasons[0]}")
