"""A reader's file made of the chapters' own solutions, on which `make mine-book` runs the book."""

import ast
import linecache
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import nbformat

from bertbook.reader.contracts.names import replacements_of
from bertbook.reader.keeping import HEADING, with_definition

CHAPTERS = Path(__file__).parents[1] / "book" / "chapters"


def file_of_solutions(folder: Path = CHAPTERS) -> str:
    """Keep every solution that is named after a role, as its reader would."""
    text = HEADING
    for path in sorted(folder.glob("[0-9][0-9]-*.ipynb")):
        for thing in _solutions(path):
            text, _ = with_definition(text, thing)
    return text


def _solutions(path: Path) -> Iterator[object]:
    """Yield the parts that the solutions of a chapter define, under the reader's names."""
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    codes = [
        _renamed(c.source, ast.ClassDef, ast.FunctionDef)
        for c in cells
        if "solution" in c.metadata.get("tags", [])
    ]
    imports = [_renamed(cell.source, ast.Import, ast.ImportFrom) for cell in cells]
    things = vars(run_as_notebook("\n".join(imports + codes), path.stem))
    hers = {name: thing for name, thing in things.items() if name.startswith(("My", "my_"))}
    yield from replacements_of(hers)[0].values()


def _renamed(code: str, *kinds: type[ast.stmt]) -> str:
    """Take some statements out of a cell, and call what they define as a reader does."""
    statements = [node for node in ast.parse(code).body if isinstance(node, kinds)]
    code = "\n\n".join(ast.get_source_segment(code, node) or "" for node in statements)
    return under_her_names(code)


def under_her_names(code: str) -> str:
    """Call what a solution defines as a reader does: MyLayer, my_softmax."""
    code = re.sub(r"\b([A-Z]\w*)Solution\b", r"My\1", code)
    return re.sub(r"\b([a-z]\w*)_solution\b", r"my_\1", code)


def run_as_notebook(code: str, name: str) -> ModuleType:
    """Run code as a notebook does, so that its source can be found again."""
    module = sys.modules[name] = ModuleType(name)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    exec(compile(code, name, "exec"), vars(module))
    return module


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(file_of_solutions(), encoding="utf-8")
