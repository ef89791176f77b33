"""Why an answer is not there: its cell is no Python, is missing or says other things. Chapter 1."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .exercises import Cell, Task, cells_of
from .names import names_from_outside, names_made_by

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAGIC = re.compile(r"^(\s*)(?:[%!].*|\??\??[\w.]+\?\??)$")  # what IPython reads before Python does


class Broken(NamedTuple):
    """A cell that is no Python, and why."""

    cell: Cell
    problem: str  # with the line, and the cell among all, both from 1 on, as editors count


def why_absent(code: str, task: Task, path: Path, chapter: Path) -> str:
    """Say why a notebook has no answer to an exercise; empty if it has one that may be tried.

    Parameters
    ----------
    code : str
        What the notebook says to the exercise, as `code_for` takes it.
    task : Task
        The exercise.
    path, chapter : Path
        The notebook, and the chapter that it is a copy of.

    Returns
    -------
    str
        A sentence for each case: a cell that does not parse, with the line as its writer sees it; a
        function under another name; a cell that is missing; an exercise that is not written yet.
    """
    made = {name for node in ast.parse(code).body for name in names_made_by(node)}
    missing = [name for name in task.names if name not in made]
    broken = [*_broken(cells_of(path))]
    asked = cells_of(chapter)[task.cell].name
    for name in missing:
        if found := _that_defines(name, broken, asked):
            return f"{name} does not parse, {found.problem}"
        return _of_another_name(name, path, chapter, asked)
    page = names_from_outside(task.above) | {
        name for node in ast.parse(task.above).body for name in names_made_by(node)
    }
    for name in sorted(names_from_outside(code) - made - page - {*dir(builtins)}):
        if found := _that_defines(name, broken):
            return f"{task.name} uses {name}, whose cell does not parse, {found.problem}"
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
            told = f"{error}" if isinstance(error, ValueError) else "it is nested too deeply"
            raise SyntaxError(told, ("cell", 1, 1, text.split("\n", 1)[0])) from None


def _broken(cells: list[Cell]) -> Iterator[Broken]:
    for number, cell in enumerate(cells, start=1):
        if cell.kind == "code":
            try:
                parsed(cell.text)
            except SyntaxError as error:
                lines, at = cell.text.split("\n"), error.lineno or 1
                line = lines[min(at, len(lines)) - 1].strip()
                told = f"line {at}: {error.msg}. Line {at} of cell {number} reads: {line}"
                yield Broken(cell, told)


def _that_defines(name: str, broken: list[Broken], asked: str = "") -> Broken | None:
    """Find the cell that would define a name: by its def, by the exercise, or by the name."""
    looks = (
        lambda cell: re.search(
            rf"^\s*(?:def|class)\s+{name}\b|^{name}\s*=", cell.text, re.MULTILINE
        ),
        lambda cell: asked and cell.name == asked,
        lambda cell: asked and re.search(rf"\b{name}\b", cell.text),
    )
    found = (each for look in looks for each in reversed(broken) if look(each.cell))
    return next(found, None)


def _of_another_name(name: str, path: Path, chapter: Path, asked: str) -> str:
    ours = {each for cell in cells_of(chapter) for each in _defined(cell)}
    hers = {cell.name: [*_defined(cell)] for cell in cells_of(path)}
    there = [each for each in hers.get(asked, []) if each not in ours]
    others = [each for names in hers.values() for each in names if each not in ours]
    near = difflib.get_close_matches(name, others, cutoff=0.8)
    if other := next(iter([*near, *there]), ""):
        return f"{name} is not there, but {other} is; the checker asks for {name}."
    if asked not in hers:
        return f"{name} is not there, and its cell is missing from {path.name}."
    return f"{name} is not written yet."


def _defined(cell: Cell) -> Iterator[str]:
    """Name the functions and classes of a cell."""
    if cell.kind == "code":
        try:
            yield from (node.name for node in parsed(cell.text) if isinstance(node, DEFINITIONS))
        except SyntaxError:
            return
