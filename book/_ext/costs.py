"""What it costs to run a chapter: measured, stored in the chapter, and stated in words that hold.

What counts is the time of the processor, so that a busy machine changes nothing. A measurement that
lies near the stored one changes nothing either: seconds are never twice the same.
"""

import os
import platform
import re
from importlib.metadata import version

from nbformat import NotebookNode
from normal_form import code_cells
from reading import fill_card

COST_ROW = re.compile(r"^\| \*\*Cost\*\* \|.*\|$", re.MULTILINE)
IGNORED = {"nbval-ignore-output", "nbval-skip"}
SECONDS = (5, 10, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600)
MEGABYTES = (250, 500, 1000, 2000, 4000, 8000, 16000)
CLOSE = 2


def machine() -> str:
    """Describe this computer as far as it matters for the seconds, and no further."""
    python = ".".join(platform.python_version_tuple()[:2])
    torch = version("torch").partition("+")[0]
    return f"{os.cpu_count()} cores, Python {python}, PyTorch {torch}"


def keep_if_close(old: dict | None, new: dict) -> dict:
    """Keep the stored measurement unless the new one is out of its neighborhood."""
    near = old is not None and (
        is_close(old["seconds"], new["seconds"], SECONDS[0])
        and is_close(old["megabytes"], new["megabytes"], MEGABYTES[0])
    )
    return old if near else new


def is_close(old: float, new: float, smallest: float) -> bool:
    """Say whether two measurements agree to a factor of 2; all small ones do."""
    low, high = sorted((max(old, smallest), max(new, smallest)))
    return high <= CLOSE * low


def in_words(measured: dict) -> str:
    """Tell seconds and megabytes in coarse steps."""
    seconds = next((step for step in SECONDS if measured["seconds"] <= step), SECONDS[-1])
    megabytes = next((step for step in MEGABYTES if measured["megabytes"] <= step), MEGABYTES[-1])
    minutes = "1 minute" if seconds == 60 else f"{seconds // 60} minutes"
    duration = f"{seconds} seconds" if seconds < 60 else minutes
    memory = f"{megabytes} MB" if megabytes < 1000 else f"{megabytes // 1000} GB"
    return f"less than {duration} and {memory} of memory on one processor core"


def has_row(notebook: NotebookNode) -> bool:
    """Say whether a chapter has its row for the cost."""
    return any(COST_ROW.search(cell.source) for cell in notebook.cells)


def store(notebook: NotebookNode, old: dict | None, seconds: float, megabytes: float) -> None:
    """Store what a run has cost: the numbers in the chapter's metadata, the words on its card."""
    new = {
        "seconds": round(seconds, 1),
        "megabytes": int(round(megabytes, -1)),
        "machine": machine(),
    }
    notebook.metadata["cost"] = keep_if_close(old, new)
    row = f"| **Cost** | {in_words(notebook.metadata['cost'])} |"
    card = next(cell for cell in notebook.cells if COST_ROW.search(cell.source))
    card.source = COST_ROW.sub(row, card.source)
    fill_card(notebook)


def table(notebooks: dict[str, NotebookNode]) -> str:
    """List every chapter's cost, their sum, and the machine that was asked."""
    lines = ["| Chapter | Seconds | Memory | Cells compared |", "| --- " * 4 + "|"]
    for name, notebook in notebooks.items():
        cost, (cells, compared) = notebook.metadata["cost"], count_cells(notebook)
        numbers = f"{cost['seconds']:.0f} | {cost['megabytes']} MB | {compared} of {cells}"
        lines.append(f"| [](chapters/{name}.ipynb) | {numbers} |")
    costs = [notebook.metadata["cost"] for notebook in notebooks.values()]
    counts = zip(*map(count_cells, notebooks.values()))
    cells, compared = map(sum, counts)
    largest = max(cost["megabytes"] for cost in costs)
    total = sum(cost["seconds"] for cost in costs)
    lines.append(f"| all | {total:.0f} | at most {largest} MB | {compared} of {cells} |")
    machines = "; ".join(dict.fromkeys(cost["machine"] for cost in costs))
    return "\n".join(
        [*lines, "", f"Seconds of one processor, with one thread; the machine: {machines}."]
    )


def count_cells(notebook: NotebookNode) -> tuple[int, int]:
    """Count the cells that are run, and those of them whose output is compared."""
    tags = [set(cell.metadata.get("tags", ())) for cell in code_cells(notebook)]
    return len(tags), sum(not tag & IGNORED for tag in tags)
