"""All records of long runs: which command makes each, when it did so, and how long it takes.

``python -m benchmarks`` lists them. ``python -m benchmarks order ladder`` makes these two again,
``--all`` makes all. Commands run one after the other; one that fails does not stop the others.
"""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bertbook.records import HERE

from .records import origins

ROOT = Path(__file__).parents[1]
FIRST = ("toy_bert", "small_world")  # others read the models that these train


class Task(NamedTuple):
    """A command, the record that it stores, the days of its parts, and the minutes of a core."""

    record: str
    command: str
    days: list[str]
    minutes: float

    def __str__(self) -> str:
        """Write one line of the list."""
        days = " to ".join(dict.fromkeys((self.days[0], self.days[-1])))
        return f"{self.record:15} {self.minutes:6.1f} min  {days:24}  {self.command}"


def tasks(folder: Path = HERE) -> list[Task]:
    """Read in the records by which commands they were made: what is quick first."""
    found = [task for path in sorted(folder.glob("*.json")) for task in tasks_of(path)]
    total = {task.record: 0.0 for task in found}
    for task in found:
        total[task.record] += task.minutes
    return sorted(found, key=lambda task: (task.record not in FIRST, total[task.record]))


def tasks_of(path: Path) -> list[Task]:
    """List the commands of one record, in the order of its parts."""
    blocks: dict[str, list[dict]] = {}
    for block in origins(json.loads(path.read_text(encoding="utf-8"))):
        blocks.setdefault(block["command"], []).append(block)
    return [
        Task(path.stem, command, sorted(b["day"] for b in made), sum(b["minutes"] for b in made))
        for command, made in blocks.items()
    ]


def run(wanted: Iterable[Task]) -> list[str]:
    """Run commands, each in a process of its own; return those that failed."""
    failed = []
    for task in wanted:
        print(f"\n{task}", flush=True)
        command = [sys.executable, *shlex.split(task.command)[1:]]
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(task.command)
    return failed


def main() -> None:
    """List the records, or make some of them again."""
    known = tasks()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", nargs="*", metavar="RECORD", help="make these again")
    parser.add_argument("--all", action="store_true", help="make all of them again")
    asked = parser.parse_args()
    if unknown := {*asked.records} - {task.record for task in known}:
        names = ", ".join(sorted({task.record for task in known}))
        parser.error(f"there is no record {' or '.join(sorted(unknown))}; there are {names}")
    wanted = [task for task in known if asked.all or task.record in asked.records]
    print(*(wanted or known), sep="\n")
    hours = sum(task.minutes for task in wanted or known) / 60
    print(f"Together {hours:.1f} hours of one core; the minutes are those of the last time.")
    if failed := run(wanted):
        sys.exit("\n".join(["", "These commands failed:", *failed]))


if __name__ == "__main__":
    main()
