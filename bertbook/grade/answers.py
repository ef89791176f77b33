"""What somebody has written: the notebooks of a folder, and the code of hers in each. Chapter 1."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from bertbook.reader.above import IMPORTS, names_made_by
from bertbook.reader.definitions import names_from_outside

from .exercises import Cell, Task, cells_of

SOLUTION = "solution"  # the tag of a cell
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Submission(NamedTuple):
    """A notebook, and whose it is."""

    student: str
    path: Path


def submissions_in(folder: Path) -> list[Submission]:
    """List the notebooks of a folder: one folder for each student, or one notebook.

    ``anna/08-many-heads.ipynb`` and ``anna.ipynb`` are anna's. Copies that Jupyter keeps for itself
    are left out.
    """
    paths = sorted(path for path in folder.rglob("*.ipynb") if path.is_file())
    return [
        Submission(parts[0].removesuffix(".ipynb"), path)
        for path in paths
        if ".ipynb_checkpoints" not in (parts := path.relative_to(folder).parts)
    ]


def code_for(task: Task, path: Path, chapter: Path) -> str:
    """Take what a notebook says to an exercise: her definition, with all of hers that it needs.

    What stands in the chapter, word for word, is ours, but for the solutions. Of the rest the last
    definition of each name counts, imports and helpers come along, and lines that only do something
    do not run.
    """
    printed = [cell for cell in cells_of(chapter) if SOLUTION not in cell.tags]
    ours = {ast.unparse(node) for node in _statements(printed)}
    hers = [node for node in _statements(cells_of(path)) if ast.unparse(node) not in ours]
    made = [node for node in hers if isinstance(node, (*DEFINITIONS, *IMPORTS, ast.Assign))]
    wanted, kept = {*task.names}, []
    for node in reversed(made):
        if names := wanted & {*names_made_by(node)}:
            wanted -= names if isinstance(node, DEFINITIONS) else set()
            kept.append(ast.unparse(node))
            wanted |= names_from_outside(kept[-1]) - names
    return "\n\n".join(reversed(kept)) + "\n"


def _statements(cells: Iterable[Cell]) -> Iterator[ast.stmt]:
    """Yield the statements of some cells; one that is no Python has none."""
    for cell in cells:
        if cell.kind == "code":
            try:
                yield from ast.parse(cell.text).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
