"""What somebody has written: the notebooks of a folder, and the code of hers in each. Chapter 1."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import NamedTuple

from .absent import DEFINITIONS, parsed
from .exercises import Cell, Task, cells_of
from .names import IMPORTS, names_from_outside, names_made_by

SOLUTION = "solution"  # the tag of a cell


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
    kinds = (*DEFINITIONS, *IMPORTS, ast.Assign)
    made: list[ast.stmt] = [node for node in hers if isinstance(node, kinds)]
    reads, wanted, kept = [names_from_outside(ast.unparse(node)) for node in made], None, set()
    more = {*task.names}
    while more != wanted:  # a helper may stand below what calls it
        wanted, kept = more, {*_last_of(made, more)}
        more = wanted.union(*(reads[n] for n in kept))
    return "\n\n".join(ast.unparse(made[n]) for n in sorted(kept)) + "\n"


def _last_of(made: list[ast.stmt], wanted: Set[str]) -> Iterator[int]:
    """Find the numbers of the statements that make some names, from the last definition on."""
    for number, node in reversed([*enumerate(made)]):
        if names := wanted & {*names_made_by(node)}:
            wanted = wanted - names if isinstance(node, DEFINITIONS) else wanted
            yield number


def _statements(cells: Iterable[Cell]) -> Iterator[ast.stmt]:
    """Yield the statements of some cells; one that is no Python has none."""
    for cell in cells:
        if cell.kind == "code":
            try:
                yield from parsed(cell.text)
            except SyntaxError:
                continue
