"""A reader's file made of the chapters' own solutions, on which `make mine-book` runs the book."""

import ast
import linecache
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat

from bertbook.contracts import players_of
from bertbook.reader.definitions import is_skeleton, names_from_outside
from bertbook.reader.keeping import HEADING, with_definition

CHAPTERS = Path(__file__).parents[1] / "book" / "chapters"


def file_of_solutions(folder: Path = CHAPTERS) -> str:
    """Keep every solution that is named after a role, as its reader would."""
    text = HEADING
    for path in sorted(folder.glob("[0-9][0-9]-*.ipynb")):
        for thing in _solutions(path):
            text, _ = with_definition(text, thing)
    return text


def file_before(number: int, folder: Path = CHAPTERS) -> str:
    """Write the file of a reader who has kept all that the chapters before this one ask for."""
    text = HEADING
    for path in sorted(folder.glob("[0-9][0-9]-*.ipynb")):
        names = kept_names(nbformat.read(path, as_version=4)) if int(path.name[:2]) < number else []
        things = _defined(path) if names else {}
        for name in names:
            text, _ = with_definition(text, things[name])
    return text


def kept_names(notebook: nbformat.NotebookNode) -> list[str]:
    """Name what a chapter asks its reader to keep, in the order of the page."""
    return [name for cell in notebook.cells if cell.cell_type == "code" for name in kept_in(cell)]


def kept_in(cell: nbformat.NotebookNode) -> list[str]:
    """Name what a cell keeps."""
    nodes = ast.walk(ast.parse(cell.source))
    found = (node for node in nodes if isinstance(node, ast.Call) and node.args)
    return [call.args[0].id for call in found if ast.unparse(call.func) == "keep"]


def _solutions(path: Path) -> Iterator[object]:
    """Yield the parts that the solutions of a chapter define, under the reader's names."""
    hers = {name: thing for name, thing in _defined(path).items() if name.startswith(("My", "my_"))}
    yield from players_of(hers)[0].values()


def _defined(path: Path) -> dict[str, Any]:
    """Run the solutions of a chapter under the reader's names, with what they use of it."""
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    solutions = [c for c in cells if "solution" in c.metadata.get("tags", [])]
    others = {
        node.name: ast.get_source_segment(cell.source, node) or ""
        for cell in cells
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef) and cell not in solutions
    }
    code = "\n\n".join(_renamed(c.source, ast.ClassDef, ast.FunctionDef) for c in solutions)
    used, texts = list(names_from_outside(code)), []
    for name in used:  # which grows
        if (text := others.pop(name, "")) and not is_skeleton(text):
            texts.append(text)
            used += names_from_outside(text)
    imports = [_renamed(cell.source, ast.Import, ast.ImportFrom) for cell in cells]
    return vars(_run("\n\n".join([*imports, *texts, code]), path.stem))


def _renamed(code: str, *kinds: type[ast.stmt]) -> str:
    """Take some statements out of a cell, and call what they define as a reader does."""
    statements = [node for node in ast.parse(code).body if isinstance(node, kinds)]
    code = "\n\n".join(ast.get_source_segment(code, node) or "" for node in statements)
    return under_her_names(code)


def under_her_names(code: str) -> str:
    """Call what a solution defines as a reader does: MyLayer, my_softmax."""
    code = re.sub(r"\b([A-Z]\w*)Solution\b", r"My\1", code)
    return re.sub(r"\b([a-z]\w*)_solution\b", r"my_\1", code)


def _run(code: str, name: str) -> ModuleType:
    """Run code as a notebook does, so that its source can be found again."""
    module = sys.modules[name] = ModuleType(name)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    exec(compile(code, name, "exec"), vars(module))
    return module


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(file_of_solutions(), encoding="utf-8")
