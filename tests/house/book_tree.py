"""The project as the rules of the house see it: its chapters, their cells and their questions.

A rule is a function that takes the root of a project and returns sentences: which file, what is
wrong, what to do. None means that all is well.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import nbformat
from prose import Block, blocks
from python_code import called, calls

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
SPEAKING = ("picture", "explore", "html")
ASKING = ("ask", "quiz", "which_line", "flashcards")
SAID = {"question", "why", "reply", "right", "wrong", "front", "back"}  # to the reader, in prose
CHAPTER_FILE = re.compile(r"\d\d-[a-z0-9-]+\.ipynb")


@dataclass(frozen=True)
class Cell:
    """One cell of a chapter, with the heading of level 2 above its first line."""

    index: int
    kind: str
    source: str
    section: str
    metadata: dict
    outputs: list[dict]
    id: str

    @property
    def tags(self) -> set[str]:
        return set(self.metadata.get("tags", ()))

    @cached_property
    def tree(self) -> ast.Module:
        """The code, parsed; empty if it cannot be (another rule says so)."""
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return ast.Module([], [])

    @cached_property
    def blocks(self) -> list[Block]:
        return list(blocks(self.source, self.section)) if self.kind == "markdown" else []

    @property
    def texts(self) -> Iterator[str]:
        """What the outputs say, in every format stored."""
        for output in self.outputs:
            yield output.get("text", "") + "\n".join(output.get("traceback", ()))
            yield from map("".join, output.get("data", {}).values())

    def __str__(self) -> str:
        return f"the cell that begins {self.source.strip().partition(chr(10))[0]!r}"


@dataclass(frozen=True)
class Chapter:
    """A notebook of the book."""

    path: Path
    root: Path
    cells: list[Cell]

    @property
    def name(self) -> str:
        return self.path.relative_to(self.root).as_posix()

    @property
    def number(self) -> int:
        return int(self.path.name[:2])

    @property
    def code(self) -> list[Cell]:
        """The code cells, without the one that only installs the package in Colab."""
        return [c for c in self.cells if c.kind == "code" and c.id != "install-in-colab"]

    @cached_property
    def blocks(self) -> list[Block]:
        return [block for cell in self.cells for block in cell.blocks]

    @cached_property
    def spoken(self) -> list[Block]:
        """What figures say, in the calls that draw them, and questions and cards, in their data."""
        found = []
        for cell in self.code:
            for call in calls(cell.tree, *ASKING):
                data = question(self.root, called(call), ast.literal_eval(call.args[0]))
                found += [Block(called(call), cell.section, text, text) for text in said(data)]
            for call in calls(cell.tree, *SPEAKING):
                given = [(called(call), argument) for argument in call.args]
                given += [(keyword.arg, keyword.value) for keyword in call.keywords]
                for kind, value in given:
                    for node in value.elts if isinstance(value, ast.Tuple) else [value]:
                        if isinstance(node, ast.Constant) and isinstance(node.value, str):
                            found.append(Block(kind, cell.section, node.value, node.value))
        return found


def question(root: Path, kind: str, name: str) -> dict | list:
    """Return the data of a question, or the cards of a topic; nothing if there is none."""
    files = _questions(root)
    if kind == "flashcards":
        return files.get(name, {}).get(kind, [])
    return next((file[kind][name] for file in files.values() if name in file.get(kind, {})), {})


@cache
def _questions(root: Path) -> dict[str, dict]:
    paths = sorted((root / "bertbook" / "questions").glob("*.toml"))
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in paths}


def said(data: dict | list) -> Iterator[str]:
    """Yield what is prose in the data of a question or of cards."""
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from said(value)
        elif name in SAID:
            yield value


def chapters(root: Path) -> list[Chapter]:
    """Read the chapters in their order."""
    paths = sorted((root / "book" / "chapters").glob("*.ipynb"))
    paths = [path for path in paths if CHAPTER_FILE.fullmatch(path.name)]
    return [_chapter(path, root, path.read_text(encoding="utf-8")) for path in paths]


@cache
def _chapter(path: Path, root: Path, text: str) -> Chapter:
    cells, section = [], ""
    for index, raw in enumerate(nbformat.reads(text, as_version=4).cells):
        given = (raw.metadata, raw.get("outputs", []), raw.id)
        cells.append(Cell(index, raw.cell_type, raw.source, section, *given))
        section = next((b.section for b in reversed(cells[-1].blocks)), section)
    return Chapter(path, root, cells)
