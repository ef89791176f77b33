"""What was handed in: notebooks, the code of each answer, and why one is absent. Chapter 1."""

import ast
import builtins
import re
import warnings
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import NamedTuple

from .exercises import Cell, Task, cells_of
from .names import IMPORTS, names_from_outside, names_made_by

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAGIC = re.compile(r"^(\s*)(?:[%!].*|\??\??[\w.]+\?\??)$")  # what IPython reads before Python does
SOLUTION = "solution"  # the tag of a cell


class Submission(NamedTuple):
    """A notebook, and whose it is."""

    student: str
    path: Path


class Broken(NamedTuple):
    """A cell that is no Python, and why."""

    cell: Cell
    problem: str  # with the line, and the cell among all, both from 1 on, as editors count


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
    reference = {
        ast.unparse(node)
        for node in _statements(cell for cell in cells_of(chapter) if SOLUTION not in cell.tags)
    }
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


def _statements(cells: Iterable[Cell]) -> Iterator[ast.stmt]:
    """Yield the statements of some cells; one that is no Python has none."""
    for cell in cells:
        if cell.kind == "code":
            try:
                yield from parsed(cell.text)
            except SyntaxError:
                continue


def why_absent(code: str, task: Task, path: Path, chapter: Path) -> str:
    """Say why a notebook has no answer to an exercise; empty if it has one that may be tried.

    Told is a cell that does not parse, with the line as its writer sees it; a cell that is missing;
    an exercise that is not written yet.
    """
    made = {name for node in ast.parse(code).body for name in names_made_by(node)}
    missing = [name for name in task.names if name not in made]
    broken = [*_broken(cells_of(path))]
    asked = cells_of(chapter)[task.cell].name
    if missing:
        if cell := _that_defines(missing[0], broken, asked):
            return f"{missing[0]} does not parse, {cell.problem}"
        is_there = any(cell.name == asked for cell in cells_of(path))
        lacks = "is not written yet" if is_there else f"is not there: {path.name} lacks its cell"
        return f"{missing[0]} {lacks}."
    page = names_from_outside(task.above) | {
        name for node in ast.parse(task.above).body for name in names_made_by(node)
    }
    for name in sorted(names_from_outside(code) - made - page - {*dir(builtins)}):
        if cell := _that_defines(name, broken):
            return f"{task.name} uses {name}, whose cell does not parse, {cell.problem}"
    return ""


def parsed(text: str) -> list[ast.stmt]:
    """Give the statements of a cell; raise SyntaxError if it is no Python.

    Lines for IPython alone, such as ``%matplotlib inline``, do nothing here.
    """
    try:
        return _compiled(text)
    except SyntaxError:
        plain = "\n".join(MAGIC.sub(r"\1pass", line) for line in text.split("\n"))
        if plain == text:
            raise
        return _compiled(plain)


def _compiled(text: str) -> list[ast.stmt]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            return ast.parse(text).body
        except (ValueError, RecursionError, MemoryError) as error:
            problem = f"{error}" if isinstance(error, ValueError) else "it is nested too deeply"
            raise SyntaxError(problem, ("cell", 1, 1, text.split("\n", 1)[0])) from None


def _broken(cells: list[Cell]) -> Iterator[Broken]:
    for number, cell in enumerate(cells, start=1):
        if cell.kind == "code":
            try:
                parsed(cell.text)
            except SyntaxError as error:
                lines, at = cell.text.split("\n"), error.lineno or 1
                line = lines[min(at, len(lines)) - 1].strip()
                problem = f"line {at}: {error.msg}. Line {at} of cell {number} reads: {line}"
                yield Broken(cell, problem)


def _that_defines(name: str, broken: list[Broken], asked: str = "") -> Broken | None:
    """Find the cell that would define a name: by its def, or by the exercise."""
    looks = (
        lambda cell: re.search(
            rf"^\s*(?:def|class)\s+{name}\b|^{name}\s*=", cell.text, re.MULTILINE
        ),
        lambda cell: asked and cell.name == asked,
    )
    return next((each for look in looks for each in reversed(broken) if look(each.cell)), None)
