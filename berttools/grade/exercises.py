"""The exercises of the chapters, their checkers, and what stands above them. Chapter 1."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat.reader

from berttools.cli.failures import sentence_of

from .names import is_skeleton, names_from_outside, names_made_by, statements_above

HEADING = re.compile(r"^###? Exercise (\d+\.\d+) · (.+)$", re.MULTILINE)
DIFFICULTY = re.compile(r"Difficulty (●+)○*")


class Task(NamedTuple):
    """What somebody is asked to write, and how it is judged."""

    chapter: str  # "09-the-layer"
    name: str  # of the function or class
    names: tuple[str, ...]  # of all that the checker is called with
    title: str  # "9.2 · The halves", or the name where there is no heading
    points: int  # one for each dot of its difficulty, dealt to all that it asks for
    check: str  # "check_module(MyLayer, 'layer')"
    above: str  # the code of the chapter that it needs
    cell: int  # its number in the chapter


def tasks_of(path: Path) -> list[Task]:
    """List the exercises of a chapter, in the order of the page."""
    codes, tasks, title, points = _codes(path), [], "", 1
    for number, cell in enumerate(cells_of(path)):
        if cell.cell_type != "code":
            for heading in HEADING.finditer(cell.source):
                title = f"{heading[1]} · {heading[2]}"
                dots = DIFFICULTY.search(cell.source, heading.end())
                points = len(dots[1]) if dots else 1
            continue
        calls = [*_checks(cell.source)]
        for call in calls:
            names = tuple(_names_asked(call, cell.source))
            shown = title if len(calls) == 1 and title else f"{title} {names[0]}".strip()
            above, check = _above(codes, number), ast.unparse(call)
            worth = max(1, points // len(calls))
            tasks.append(Task(path.stem, names[0], names, shown, worth, check, above, number))
        if calls:
            title, points = "", 1
    return tasks


def with_needs_of(code: str, task: Task, path: Path) -> Task:
    """Add to what an exercise needs what an answer to it reads of the cells above."""
    return task._replace(above=_above(_codes(path), task.cell, code))


@cache
def cells_of(path: Path) -> list[nbformat.NotebookNode]:
    """Read the cells of a notebook; raise ValueError if the file is none."""
    try:
        with path.open(encoding="utf-8") as file:
            notebook = nbformat.reader.read(file)
        nbformat.validate(notebook)
        return notebook.cells
    except Exception as error:  # of any kind: nbformat reads what is no notebook at all
        told = f"{path.name} is not a notebook: {sentence_of(error)}; save it in Jupyter again"
        raise ValueError(told) from error


def chapter_of(path: Path, chapters: Sequence[Path]) -> Path:
    """Find the chapter that a notebook is a copy of, by its cells; ValueError if there is none."""
    own = {cell.id for cell in cells_of(path) if "id" in cell}
    shared = [len(own & {cell.id for cell in cells_of(chapter)}) for chapter in chapters]
    if not max(shared):
        raise ValueError(f"{path.name} has no cell of any chapter; hand in the chapter's notebook")
    return chapters[shared.index(max(shared))]


def _codes(path: Path) -> list[str]:
    return [cell.source if cell.cell_type == "code" else "" for cell in cells_of(path)]


def _above(codes: Sequence[str], number: int, answer: str = "") -> str:
    """Give the code above a cell that it, its solution and an answer need."""
    made = {name for node in ast.parse(answer).body for name in names_made_by(node)}
    wanted = names_from_outside("\n".join(codes[number : number + 2]))
    wanted |= names_from_outside(answer) - made
    return "\n".join(statements_above(codes[:number], wanted))


def _checks(code: str) -> Iterator[ast.Call]:
    """Find the calls of checkers in a cell whose functions are still to be written."""
    if "check_" in code and is_skeleton(code):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("check_"):
                yield node


def _names_asked(call: ast.Call, code: str) -> Iterator[str]:
    """Name what a checker is called with, of what its cell defines."""
    defined = {getattr(node, "name", "") for node in ast.parse(code).body}
    yield from (ast.unparse(part) for part in call.args if ast.unparse(part) in defined)
