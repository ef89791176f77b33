"""What the page for teachers says of all chapters: what exercises ask, and how far runs spread.

Both tables are made while the pages are built: one of the exercises' own texts and checkers, the
other of the stored records.
"""

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from nbformat import NotebookNode

from bertbook.core.exercises.exercise import Exercise
from bertbook.reader.module import check_module
from berttools.grade.exercises import HEADING, Task, tasks_of

BOOK = Path(__file__).resolve().parents[1]
RECORDS = BOOK.parent / "bertbook" / "records"
EFFORT = re.compile(r"Difficulty ([●○]+) · (\d+) minutes")
KEPT = "\N{NO-BREAK SPACE}"
EXERCISES = "<!-- exercises of all chapters -->"
SPREADS = "<!-- spreads of the training runs -->"


def fill(text: str, notebooks: Mapping[str, NotebookNode]) -> str:
    """Put the two tables in their places."""
    if EXERCISES not in text:
        return text
    return text.replace(EXERCISES, exercises(notebooks)).replace(SPREADS, spreads())


# --- What the exercises ask -----------------------------------------------------------------------


def exercises(notebooks: Mapping[str, NotebookNode]) -> str:
    """List all exercises: how hard they are, what their checkers ask, and the slips they name."""
    lines = ["| | Exercise and effort | What is tested | Slips |", "| --- " * 4 + "|"]
    for name, notebook in notebooks.items():
        lines.append(f"| {int(name[:2])} | **[](chapters/{name}.ipynb)** | | |")
        tasks = tasks_of(BOOK / "chapters" / f"{name}.ipynb")
        for number, title, dots, minutes in asked_in(notebook):
            own = [task for task in tasks if task.title.startswith(f"{number} ")]
            tested = " ".join(dict.fromkeys(question_of(task) for task in own))
            slips = sum(slips_of(task) for task in own) or "–"
            effort = f"{dots}{KEPT}{minutes}{KEPT}min"
            lines.append(f"| {number} | {title}<br>{effort} | {tested} | {slips} |")
    return "\n".join(lines)


def asked_in(notebook: NotebookNode) -> list[tuple[str, str, str, str]]:
    """List number, title, dots and minutes of a chapter's exercises."""
    found = []
    for cell in notebook.cells:
        for heading in HEADING.finditer(cell.source if cell.cell_type == "markdown" else ""):
            effort = EFFORT.search(cell.source, heading.end())
            found.append((heading[1], heading[2], *(effort.groups() if effort else ("", ""))))
    return found


def imported(task: Task, name: str) -> Any:
    """Find what an exercise's check names, by the chapter's own imports."""
    for node in ast.parse(task.above).body:
        if isinstance(node, ast.ImportFrom) and name in [one.name for one in node.names]:
            return getattr(import_module(node.module), name)
    raise LookupError(f"{task.title}: nobody imports {name}; import it in the chapter")


def checker_of(task: Task) -> Any:
    """Find the checker of an exercise."""
    return imported(task, ast.parse(task.check, mode="eval").body.func.id)


def question_of(task: Task) -> str:
    """Say what the checker of an exercise asks, in its own words.

    All parts of a model have one checker; there it is the sentence on the part.
    """
    checker = checker_of(task)
    if checker is check_module:
        checker = imported(task, ast.parse(task.check, mode="eval").body.args[1].id)
    told = checker.question if isinstance(checker, Exercise) else checker.__doc__
    return told.strip().splitlines()[0].replace("|", r"\|")


def slips_of(task: Task) -> int:
    """Count the wrong answers that a checker knows by name; one that examines lists none."""
    checker = checker_of(task)
    return len(checker.mistakes) if isinstance(checker, Exercise) else 0


# --- How far runs spread --------------------------------------------------------------------------


class Runs(NamedTuple):
    """Runs of a record that differ in their seeds alone, and what is measured of each."""

    where: str
    what: str
    record: str
    values: Callable[[Any], Sequence[float]]


def _peak(rate: float) -> Callable[[Any], Sequence[float]]:
    def values(record: Any) -> list[float]:
        (found,) = [run["held_out"] for run in record["peaks"] if run["peak"] == rate]
        return found

    return values


def _classified(task: str, encoder: str) -> Callable[[Any], Sequence[float]]:
    def values(record: Any) -> list[float]:
        wanted = (task, encoder, "full")
        (found,) = [
            method for method in record["methods"]
            if (method["task"], method["encoder"], method["method"]) == wanted
        ]  # fmt: skip
        return [run["test_accuracy"] for run in found["runs"]]

    return values


def _pre_norm(record: Any) -> list[float]:
    (found,) = [stack for stack in record["stacks"] if stack["stack"] == "pre-norm"]
    return found["runs"]["loss"]


def _bert_of_the_race(record: Any) -> list[float]:
    kept = [run for run in record["runs"] if (run["member"], run["part"]) == ("BERT", "updates")]
    return [run["masked_lm_loss"] for run in kept]


RUNS = (
    Runs("Exercise 9.4", "loss of twelve layers, pre-norm", "toy_depth", _pre_norm),
    Runs("Chapter 13", "held-out loss, peak 0.01", "training_runs", _peak(0.01)),
    Runs("Chapter 13", "held-out loss, peak 0.03", "training_runs", _peak(0.03)),
    Runs(
        "Chapter 14", "loss of masked words", "small_world",
        lambda record: [run["masked_lm_loss"] for run in record["runs"]],
    ),
    Runs("Chapter 16", "requests right, MiniLM", "classify", _classified("requests", "MiniLM")),
    Runs("Chapter 16", "pairs right, MiniLM", "classify", _classified("pairs", "MiniLM")),
    Runs(
        "Chapter 17", "F1 of the tags", "tag_and_answer",
        lambda record: [run["tagger"]["test"]["all"]["f1"] for run in record["runs"]],
    ),
    Runs(
        "Chapter 18", "F1 of the answers", "tag_and_answer",
        lambda record: [run["reader"]["test"]["f1"] for run in record["runs"]],
    ),
    Runs("Chapter 25", "loss of masked words, BERT", "shoot_out", _bert_of_the_race),
)  # fmt: skip


def spreads() -> str:
    """List what runs that differ in their seeds alone have reached."""
    lines = ["| Where | Measured | Seeds | Mean ± sd | Lowest to highest | Record |"]
    lines.append("| --- " * 6 + "|")
    for runs in RUNS:
        path = RECORDS / f"{runs.record}.json"
        values = runs.values(json.loads(path.read_text(encoding="utf-8")))
        span = f"{min(values):.2f} to {max(values):.2f}"
        spread = f"{mean(values):.2f}{KEPT}±{KEPT}{stdev(values):.2f}"
        where = runs.where.replace(" ", KEPT)
        told = (where, runs.what, f"{len(values)}", spread, span, f"`{path.name}`")
        lines.append(f"| {' | '.join(told)} |")
    return "\n".join(lines)
