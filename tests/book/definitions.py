"""What a chapter types, taken from it without running it."""

import ast
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

from torch.optim.optimizer import register_optimizer_step_post_hook

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


class EnoughError(Exception):
    """Ends a run that would go on."""


@contextmanager
def stopped_after(updates: int) -> Iterator[None]:
    """End what trains after so many updates of an optimizer."""
    count = itertools.count(1)

    def stop(*_given):
        if next(count) == updates:
            raise EnoughError

    with register_optimizer_step_post_hook(stop), suppress(EnoughError):
        yield
