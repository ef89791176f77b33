"""What every record of a measured run has: where it was made, and means over seeds."""

import platform
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch


def origin() -> dict[str, str | int]:
    """Tell on what a run is made; such runs take one thread, so that they can be repeated."""
    return {
        "processor": processor(),
        "threads": 1,
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def processor() -> str:
    """Name the processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def mean_and_sd(columns: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Give mean and standard deviation of each column; one value alone has the deviation 0."""
    return {
        name: {
            "mean": round(statistics.mean(values), 4),
            "sd": round(statistics.stdev(values), 4) if len(values) > 1 else 0.0,
        }
        for name, values in columns.items()
    }
