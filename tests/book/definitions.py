"""What a chapter types and prints, taken from it without running it; and what a mean is of."""

import ast
import json
import statistics
from pathlib import Path
from types import SimpleNamespace

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def chapter_code(name: str) -> list[str]:
    """Read the code cells of a chapter."""
    notebook = json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


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
    """Run only the imports, functions and classes at the top level of a chapter's cells.

    A function that reads a variable of the chapter finds none: set it as an attribute of the
    result, or test only functions that take what they need as arguments.
    """
    nodes = [node for code in chapter_code(name) for node in ast.parse(code).body]
    module = ast.Module([node for node in nodes if isinstance(node, KEPT)], type_ignores=[])
    namespace = {"__name__": name}
    exec(compile(module, f"{name}.ipynb", "exec"), namespace)
    return SimpleNamespace(**namespace)


def printed(name: str) -> str:
    """Join what the cells of a chapter have printed."""
    cells = json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    return "".join("".join(output.get("text", "")) for output in outputs)


def displayed(name: str) -> str:
    """Join the HTML that the cells of a chapter have displayed."""
    cells = json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    return "".join("".join(out.get("data", {}).get("text/html", "")) for out in outputs)


def assert_mean_and_sd(told: dict[str, float], values: list[float]) -> None:
    """Hold a mean and a standard deviation to the numbers that they sum up."""
    assert told["mean"] == pytest.approx(statistics.mean(values), abs=6e-5)
    sd = statistics.stdev(values) if len(values) > 1 else 0
    assert told["sd"] == pytest.approx(sd, abs=6e-5)
