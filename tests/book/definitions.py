"""Take the functions and classes that a chapter types, without running the chapter."""

import ast
import json
from pathlib import Path
from types import SimpleNamespace

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def chapter_definitions(name: str) -> SimpleNamespace:
    """Run only the imports, functions and classes at the top level of a chapter's cells.

    A function that reads a variable of the chapter finds none: set it as an attribute of the
    result, or test only functions that take what they need as arguments.
    """
    notebook = json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    nodes = [node for source in sources for node in ast.parse(source).body]
    module = ast.Module([node for node in nodes if isinstance(node, KEPT)], type_ignores=[])
    namespace = {"__name__": name}
    exec(compile(module, f"{name}.ipynb", "exec"), namespace)
    return SimpleNamespace(**namespace)
