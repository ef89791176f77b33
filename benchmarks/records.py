"""What every record of a measured run has: how, when and where it was made; means over seeds.

A block ``origin`` stands beside what one command has made at one time: at the top of a record, or
in each of its parts.
"""

import os
import platform
import statistics
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import torch


def origin(command: str, before: float = 0.0) -> dict[str, Any]:
    """Tell how, when and on what a run is made; such runs take one thread, to be repeatable.

    The minutes are those of a processor, since the program began or had taken so many `before`;
    less than a tenth counts as one.
    """
    return {
        "command": command,
        "day": date.today().isoformat(),
        "minutes": max(round(minutes() - before, 1), 0.1),
        "processor": processor(),
        "threads": 1,
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def minutes() -> float:
    """Count the minutes of a processor that this program has taken, with those that it started."""
    return sum(os.times()[:4]) / 60


def processor() -> str:
    """Name the processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def origins(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each block ``origin`` of a record, in order."""
    children = [*record.values()]
    while children:
        child = children.pop(0)
        if isinstance(child, dict) and "day" in child and "command" in child:
            yield child
        elif isinstance(child, dict | list):
            children[:0] = child.values() if isinstance(child, dict) else child


def mean_and_sd(columns: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Give mean and standard deviation of each column; one value alone has the deviation 0."""
    return {
        name: {
            "mean": round(statistics.mean(values), 4),
            "sd": round(statistics.stdev(values), 4) if len(values) > 1 else 0.0,
        }
        for name, values in columns.items()
    }
