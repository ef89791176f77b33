"""A chapter as its reader has it, with the solutions in its stubs under her names; and her file."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from solutions import CHAPTERS, run_as_notebook, under_her_names

from bertbook.reader.keeping import HEADING, with_definition
from berttools.grade.names import is_skeleton, names_from_outside

BETWEEN = "\n\n\n"
IMPORTS, DEFINITIONS = (ast.Import, ast.ImportFrom), (ast.FunctionDef, ast.ClassDef)


def readers_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy a chapter, and fill in each of its stubs."""
    copied = copy.deepcopy(notebook)
    cells = _code(copied)
    solved = {place: _as_hers(cell.source) for place, cell in enumerate(cells) if _is_solved(cell)}
    stubs = {place: _skeletons(cell.source) for place, cell in enumerate(cells)}
    asked = set().union(*stubs.values())
    others = {place: text for place, text in solved.items() if not asked & defined(text).keys()}
    for place, names in stubs.items():
        fitting = [text for text in solved.values() if names & defined(text).keys()]
        following = (text for number, text in others.items() if number > place)
        if len(names) == 1 and not fitting and (text := next(following, "")):
            fitting = [_called(*names, text)]
        if fitting:
            made = {name for text in fitting for name in defined(text)}
            cells[place].source = BETWEEN.join([*fitting, _without(made, cells[place].source)])
    return copied


def kept_names(notebook: NotebookNode) -> list[str]:
    """Name what a chapter asks its reader to keep, in the order of the page."""
    return [name for cell in _code(notebook) for name in kept_in(cell)]


def kept_in(cell: NotebookNode) -> list[str]:
    """Name what a cell keeps."""
    nodes = ast.walk(ast.parse(cell.source))
    found = (node for node in nodes if isinstance(node, ast.Call) and node.args)
    return [ast.unparse(call.args[0]) for call in found if ast.unparse(call.func) == "keep"]


def file_before(number: int, folder: Path = CHAPTERS) -> str:
    """Write the file of a reader who has kept all that the chapters before this one ask for."""
    text = HEADING
    for path in sorted(folder.glob("[0-9][0-9]-*.ipynb")):
        if int(path.name[:2]) < number:
            notebook = readers_copy(nbformat.read(path, as_version=4))
            names = kept_names(notebook)
            things = _things(notebook, names, path.stem)
            for name in names:
                text, _ = with_definition(text, things[name])
    return text


def defined(code: str) -> dict[str, str]:
    """Give the functions and classes that code defines, by name, as they are written."""
    return {node.name: text for node, text in _statements(code) if isinstance(node, DEFINITIONS)}


def _things(notebook: NotebookNode, names: list[str], module: str) -> dict[str, Any]:
    """Define what a reader keeps, and what it uses of the notebook, with all imports."""
    sources = [cell.source for cell in _code(notebook)]
    every = {name: text for source in sources for name, text in defined(source).items()}
    imports = [text for source in sources for node, text in _statements(source)
               if isinstance(node, IMPORTS)]  # fmt: skip
    wanted = [*names]
    for name in wanted:  # which grows
        wanted += sorted((names_from_outside(every[name]) & every.keys()) - {*wanted})
    code = [text for name, text in every.items() if name in wanted]
    return vars(run_as_notebook(BETWEEN.join([*imports, *code]), module))


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _is_solved(cell: NotebookNode) -> bool:
    return "solution" in cell.metadata.get("tags", [])


def _skeletons(code: str) -> set[str]:
    """Name what is left to the reader."""
    return {name for name, text in defined(code).items() if is_skeleton(text)}


def _as_hers(solution: str) -> str:
    """Write a solution under the reader's names, and without the proof that it is right."""
    texts = [text for node, text in _statements(solution) if not isinstance(node, ast.Assert)]
    return under_her_names(BETWEEN.join(texts))


def _called(name: str, solution: str) -> str:
    """Give what a solution is about, which it defines last, the name that its stub has."""
    return re.sub(rf"\b{[*defined(solution)][-1]}\b", name, solution) if defined(solution) else ""


def _without(names: set[str], stub: str) -> str:
    """Leave out of a stub what is filled in."""
    texts = [text for node, text in _statements(stub) if getattr(node, "name", "") not in names]
    return BETWEEN.join(texts)


def _statements(code: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield the statements of a cell, each with its text and what stands above it."""
    lines, end = code.splitlines(), 0
    for node in ast.parse(code).body:
        yield node, "\n".join(lines[end : node.end_lineno]).strip("\n")
        end = node.end_lineno or 0
