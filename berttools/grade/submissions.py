"""What was handed in: notebooks, the code of each answer, and why one is absent. Chapter 1."""

import ast
import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from .exercises import Task, cells_of
from .names import IMPORTS, names_from_outside, names_made_by

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAGIC = re.compile(r"^(\s*)(?:[%!].*|\??\??[\w.]+\?\??)$", re.MULTILINE)  # for IPython alone
SOLUTION = "solution"  # the tag of a cell


class Submission(NamedTuple):
    """A notebook, and whose it is."""

    student: str
    path: Path


def submissions_in(folder: Path) -> list[Submission]:
    """List the notebooks of a folder: one folder for each student, or one notebook.

    ``anna/08-many-heads.ipynb`` and ``anna.ipynb`` are anna's. Copies that Jupyter keeps for itself
    are left out; a student's folder without a notebook stands for itself, at the end.
    """
    paths = sorted(path for path in folder.rglob("*.ipynb") if path.is_file())
    found = [
        Submission(parts[0].removesuffix(".ipynb"), path)
        for path in paths
        if ".ipynb_checkpoints" not in (parts := path.relative_to(folder).parts)
    ]
    others = {path.name for path in folder.iterdir() if path.is_dir() and path.name[0] != "."}
    others -= {one.student for one in found}
    return [*found, *(Submission(name, folder / name) for name in sorted(others) if found)]


def code_for(task: Task, path: Path, chapter: Path) -> str:
    """Take what a notebook says to an exercise: its definition, with all that it needs.

    Statements of the chapter, but for the solutions, are left out. Of the rest the last definition
    of each name counts, imports and helpers come along, and lines that only do something do not
    run.
    """
    given = [c for c in cells_of(chapter) if SOLUTION not in c.metadata.get("tags", ())]
    reference = {ast.unparse(node) for node in _statements(given)}
    kinds = (*DEFINITIONS, *IMPORTS, ast.Assign)
    made: list[ast.stmt] = [
        node
        for node in _statements(cells_of(path))
        if isinstance(node, kinds) and ast.unparse(node) not in reference
    ]
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


def _statements(cells: Iterable[NotebookNode]) -> Iterator[ast.stmt]:
    """Yield the statements of some cells; one that is no Python has none."""
    for cell in cells:
        if cell.cell_type == "code":
            try:
                yield from parsed(cell.source)
            except SyntaxError:
                continue


def why_absent(code: str, task: Task, path: Path, chapter: Path) -> str:
    """Say why a notebook has no answer to an exercise; empty if it has one that may be tried."""
    made = {name for node in ast.parse(code).body for name in names_made_by(node)}
    missing = [name for name in task.names if name not in made]
    if not missing:
        return ""
    asked, why = cells_of(chapter)[task.cell].id, f"is not there: {path.name} lacks its cell"
    defined = re.compile(rf"^\s*(?:def|class) {missing[0]}\b", re.MULTILINE)
    for number, cell in enumerate(cells_of(path), start=1):
        is_asked = cell.get("id") == asked
        if cell.cell_type == "code" and (is_asked or defined.search(cell.source)):
            try:
                parsed(cell.source)
                why = "is not written yet" if is_asked else why
            except SyntaxError as error:
                why = f"does not parse, line {error.lineno} of cell {number}: {error.msg}"
                break
    return f"{missing[0]} {why}."


def parsed(text: str) -> list[ast.stmt]:
    """Give the statements of a cell, of which lines such as ``%matplotlib inline`` do nothing."""
    try:
        return ast.parse(text).body
    except SyntaxError:
        return ast.parse(MAGIC.sub(r"\1pass", text)).body
