"""What it costs to run a chapter: measured, told in words that hold, and listed for the reader.

A measurement that lies near the stored one changes nothing: seconds are never twice the same.
"""

import json
import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

from nbformat import NotebookNode
from normal_form import code_cells
from reading import fill_card

COST_ROW = re.compile(r"^\| \*\*Cost\*\* \|.*\|$", re.MULTILINE)
TABLE = re.compile(r"(?<=<!-- statistics:begin -->\n).*(?=<!-- statistics:end -->)", re.DOTALL)
IGNORED = {"nbval-ignore-output", "nbval-skip"}
SECONDS = (5, 10, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600)
MEGABYTES = (250, 500, 1000, 2000, 4000, 8000, 16000)
CLOSE = 2


def read(book: Path) -> dict[str, dict]:
    """Read what earlier runs have stored, by chapter."""
    path = book / "statistics.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def record(notebook: NotebookNode, seconds: float, megabytes: float) -> dict:
    """Describe one run of one chapter."""
    tags = [set(cell.metadata.get("tags", ())) for cell in code_cells(notebook)]
    return {
        "cells": len(tags),
        "compared": sum(not tag & IGNORED for tag in tags),
        "seconds": round(seconds, 1),
        "megabytes": int(round(megabytes, -1)),
        "machine": machine(),
    }


def machine() -> str:
    """Describe this computer as far as it matters for the seconds, and no further."""
    python = ".".join(platform.python_version_tuple()[:2])
    torch = version("torch").partition("+")[0]
    return f"{os.cpu_count()} cores, Python {python}, PyTorch {torch}"


def keep_if_close(old: dict | None, new: dict) -> dict:
    """Keep the stored measurement unless the new one is out of its neighborhood."""
    if old is None or not (
        is_close(old["seconds"], new["seconds"], SECONDS[0])
        and is_close(old["megabytes"], new["megabytes"], MEGABYTES[0])
    ):
        return new
    measured = ("seconds", "megabytes", "machine")
    return {**new, **{name: old[name] for name in measured}}


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


def fill_row(notebook: NotebookNode, measured: dict) -> None:
    """Write the cost into its row."""
    row = f"| **Cost** | {in_words(measured)} |"
    card = next(cell for cell in notebook.cells if COST_ROW.search(cell.source))
    card.source = COST_ROW.sub(row, card.source)
    fill_card(notebook)


def pages(records: dict[str, dict], book: Path) -> dict[str, str]:
    """Write statistics.json, and the table of statistics.md where that page exists."""
    written = {"statistics.json": json.dumps(records, indent=2) + "\n"}
    page = book / "statistics.md"
    if page.is_file():
        written[page.name] = TABLE.sub(lambda _: table(records), page.read_text(encoding="utf-8"))
    return written


def table(records: dict[str, dict]) -> str:
    """List every chapter's cost, and the machine that was asked."""
    lines = ["", "| Chapter | Seconds | Memory | Cells run | Compared |", "| --- " * 5 + "|"]
    for name, row in records.items():
        cells = (
            f"{row['seconds']:.0f} | {row['megabytes']:.0f} MB | {row['cells']} | {row['compared']}"
        )
        lines.append(f"| [](chapters/{name}.ipynb) | {cells} |")
    machines = "; ".join(dict.fromkeys(row["machine"] for row in records.values()))
    return "\n".join([*lines, "", f"Measured with one thread, on {machines}.", "", ""])
