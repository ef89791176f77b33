"""The program for a GPU, on a CPU with tiny sizes, and where little more than PyTorch is there."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch

from benchmarks import gpu_checks
from benchmarks.gpu_checks import CONFIG, EXACT, PLAIN, ROWS, flat_gradient, off
from benchmarks.gpu_data import SIZES, build, make_batch
from benchmarks.gpu_together import alone, weighted_loss
from minibert.training import Processes

ROOT = Path(__file__).resolve().parents[2]
# What a machine with PyTorch, transformers and pytest need not have.
BARE = """
    import importlib.machinery, runpy, sys
    GONE = {"jaxtyping", "bertbook", "hypothesis", "matplotlib", "nbval", "nbformat", "jupyter"}
    find = importlib.machinery.PathFinder.find_spec
    def without(name, *rest):
        return None if name.partition(".")[0] in GONE else find(name, *rest)
    importlib.machinery.PathFinder.find_spec = without
    sys.meta_path = [x for x in sys.meta_path if not x.__module__.startswith("__editable__")]
    sys.argv = ["benchmarks.gpu", "--dry", "--record", sys.argv[1]]
    runpy.run_module("benchmarks.gpu", run_name="__main__")
"""


@pytest.mark.slow
def test_the_same_program_runs_on_a_cpu_of_a_bare_machine(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BARE), tmp_path / "gpu"],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "gpu" / "dry-run.json").read_text("utf-8"))
    assert found["origin"]["torch"] == torch.__version__
    assert list(found["checks"]) == list(gpu_checks.CHECKS)
    assert all(check["holds"] for check in found["checks"].values())
    for name, size in SIZES.items():
        assert list(found["steps"][name]) == list(size.ways)
        assert all(way["milliseconds"] > 0 for way in found["steps"][name].values())
    steps = [way for ways in found["kernels"].values() for way in ways.values()]
    for way in [*steps, *found["regimes"].values()]:
        assert way.pop("kernels") > 10 and sum(way.values()) == pytest.approx(1, abs=1e-3)


def test_a_check_sees_a_part_that_computes_something_else(monkeypatch):
    class Wrong(torch.nn.LayerNorm):
        def forward(self, x):
            return 1.01 * super().forward(x)

    way = gpu_checks.placed({torch.nn.LayerNorm: Wrong}, "padded")
    difference, bound = gpu_checks.against_plain("cpu", way, bf16=False)
    assert difference > bound


def test_two_processes_need_the_weight_of_their_labels():
    """The average over processes is the gradient of the whole batch with it, and not without."""
    batch, processes = make_batch(ROWS, 40, "padded"), [Processes(rank, 2) for rank in range(2)]
    sums = []
    for loss_of in (
        lambda model, each: weighted_loss(model, batch, each),
        lambda model, each: model(**each.shard_batch(batch)).loss,
    ):
        model = build(CONFIG, PLAIN, "cpu").train()
        for each in processes:
            (loss_of(model, each) / 2).backward()
        sums.append(off(flat_gradient(model), alone(torch.device("cpu"), batch)))
    assert sums[0] < EXACT < sums[1]
