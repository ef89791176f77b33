"""What a chapter types and prints, taken from it without running it; and what a mean is of."""

import ast
import json
import statistics
from pathlib import Path
from types import SimpleNamespace

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def cells_of(name: str) -> list[dict]:
    """Read the cells of a chapter, the source of each as one text."""
    cells = json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in cells]


def chapter_code(name: str) -> list[str]:
    """Read the code cells of a chapter."""
    return [cell["source"] for cell in cells_of(name) if cell["cell_type"] == "code"]


def chapter_source(name: str, function: str) -> str:
    """Read how a chapter types one of its functions."""
    (source,) = [
        ast.get_source_segment(code, node)
        for code in chapter_code(name)
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    return source


def chapter_definitions(name: str) -> SimpleNamespace:
    """Run only the imports, functions and classes of a chapter, and whose functions it takes."""
    nodes = [node for code in chapter_code(name) for node in ast.parse(code).body]
    kept = [node for node in nodes if isinstance(node, KEPT) or _is_choice(node)]
    module = ast.Module(kept, type_ignores=[])
    namespace = {"__name__": name}
    exec(compile(module, f"{name}.ipynb", "exec"), namespace)
    return SimpleNamespace(**namespace)


def _is_choice(node: ast.stmt) -> bool:
    """Return whether a statement takes the reader's functions, or ours where she has none."""
    call = node.value if isinstance(node, ast.Assign) else None
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "running_on"


def outputs_of(name: str) -> list[dict]:
    """List the outputs of a chapter."""
    return [output for cell in cells_of(name) for output in cell.get("outputs", ())]


def printed(name: str) -> str:
    """Join what the cells of a chapter have printed."""
    return "".join("".join(output.get("text", "")) for output in outputs_of(name))


def displayed(name: str) -> str:
    """Join the HTML that the cells of a chapter have displayed."""
    return "".join("".join(o.get("data", {}).get("text/html", "")) for o in outputs_of(name))


def assert_mean_and_sd(told: dict[str, float], values: list[float]) -> None:
    """Hold a mean and a standard deviation to the numbers that they sum up."""
    assert told["mean"] == pytest.approx(statistics.mean(values), abs=6e-5)
    sd = statistics.stdev(values) if len(values) > 1 else 0
    assert told["sd"] == pytest.approx(sd, abs=6e-5)


class EnoughError(Exception):
    """Ends a run that would go on."""


def first_batches(batches, most: int):
    """Let a trainer take so many batches of the first epoch, and no more."""

    class First:
        identity = batches.identity

        def __len__(self):
            return len(batches)

        def __iter__(self):
            return self.epoch(0)

        def epoch(self, number, start=0):
            for place, batch in enumerate(batches.epoch(number, start), start + 1):
                if place == most:
                    raise EnoughError
                yield batch

    return First()
