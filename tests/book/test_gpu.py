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
from benchmarks.gpu_data import SIZES

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
