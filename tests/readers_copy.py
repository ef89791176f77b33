"""A chapter as its reader has it: in each stub stands the solution, under her own names."""

import ast
import copy
from collections.abc import Iterator

from nbformat import NotebookNode
from solutions import under_her_names

from bertbook.reader.definitions import is_skeleton

BETWEEN = "\n\n\n"


def readers_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy a chapter, and fill in each of its stubs."""
    copied = copy.deepcopy(notebook)
    code = [cell for cell in copied.cells if cell.cell_type == "code"]
    solved = [_as_hers(c.source) for c in code if "solution" in c.metadata.get("tags", [])]
    for cell in code:
        stubs = {name for name, text in defined(cell.source).items() if is_skeleton(text)}
        fitting = [text for text in solved if stubs & defined(text).keys()]
        if fitting:
            names = {name for text in fitting for name in defined(text)}
            cell.source = BETWEEN.join([*fitting, _without(names, cell.source)])
    return copied


def defined(code: str) -> dict[str, str]:
    """Give the functions and classes that code defines, by name, as they are written."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: text for node, text in _statements(code) if isinstance(node, kinds)}


def _as_hers(solution: str) -> str:
    """Write a solution under the reader's names, and without the proof that it is right."""
    texts = [text for node, text in _statements(solution) if not isinstance(node, ast.Assert)]
    return under_her_names(BETWEEN.join(texts))


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
