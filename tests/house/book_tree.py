"""The project as the rules of the house see it: its files, chapters and cells.

A rule is a function that takes the root of a project and returns sentences: which file, what is
wrong, what to do. None means that all is well. Every rule runs on this project, and on a small
project that its test plants.
"""

from __future__ import annotations

import ast
import re
import subprocess
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
MADE = {".venv", "__pycache__", "_build", "_vendor", "build", "dist", "node_modules"}  # by tools
SPEAKING = ("picture", "explore", "html")
ASKING = ("ask", "quiz", "which_line", "flashcards")
SAID = {"question", "why", "reply", "right", "wrong", "front", "back"}  # to the reader, in prose
CHAPTER_FILE = re.compile(r"(\d\d)-[a-z0-9-]+\.ipynb")


def files(root: Path) -> list[Path]:
    """List what belongs to the project: all that git does not ignore, or without git all."""
    if (root / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=True
        ).stdout
        found = (root / name for name in listed.split("\0") if name)
    else:
        found = (path for path in root.rglob("*") if not MADE & {*path.relative_to(root).parts})
    return sorted(path for path in found if path.is_file())


def name_of(path: Path, root: Path) -> str:
    """Write a path as sentences show it, from the root and with slashes."""
    return path.relative_to(root).as_posix()


def text_of(path: Path) -> str:
    """Read a text file; pictures and fonts have no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@dataclass(frozen=True)
class Cell:
    """One cell of a chapter."""

    index: int
    kind: str
    source: str
    section: str
    """The heading of level 2 above it; for prose, the one above its first line."""
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
        """The prose, in pieces."""
        return list(blocks(self.source, self.section))

    @property
    def texts(self) -> Iterator[str]:
        """What the outputs say, in every format stored."""
        for output in self.outputs:
            yield output.get("text", "") + "\n".join(output.get("traceback", ()))
            yield from map("".join, output.get("data", {}).values())

    def __str__(self) -> str:
        """Name the cell by its first line."""
        lines = self.source.strip().splitlines()
        return f"the cell that begins {lines[0]!r}" if lines else "an empty cell"


@dataclass(frozen=True)
class Chapter:
    """A notebook of the book."""

    path: Path
    root: Path
    cells: list[Cell]

    @property
    def name(self) -> str:
        """The file, as a reader of a sentence finds it."""
        return name_of(self.path, self.root)

    @property
    def number(self) -> int:
        return int(self.path.name[:2])

    @property
    def code(self) -> list[Cell]:
        """The code cells, without the one that only installs the package in Colab."""
        return [cell for cell in self.cells if cell.kind == "code" and not is_colab(cell)]

    @cached_property
    def blocks(self) -> list[Block]:
        """All prose, in pieces."""
        return [block for cell in self.cells if cell.kind == "markdown" for block in cell.blocks]

    @cached_property
    def spoken(self) -> list[Block]:
        """What figures say, in the calls that draw them, and questions and cards, in their data."""
        return [
            Block(called(call), cell.section, text, text)
            for cell in self.code
            for call in calls(cell.tree, *ASKING)
            for text in said(question(self.root, called(call), ast.literal_eval(call.args[0])))
        ] + [
            Block(kind, cell.section, node.value, node.value)
            for cell in self.code
            for call in calls(cell.tree, *SPEAKING)
            for kind, value in [
                *((called(call), argument) for argument in call.args),
                *((keyword.arg, keyword.value) for keyword in call.keywords),
            ]
            for node in (value.elts if isinstance(value, ast.Tuple) else [value])
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]

    @property
    def title(self) -> str:
        """The heading of level 1."""
        return next((b.text for b in self.blocks if b.kind == "heading" and b.level == 1), "")


def question(root: Path, kind: str, name: str) -> dict | list:
    """Return the data of a question, or the cards of a topic; nothing if there is none."""
    files = questions(root)
    if kind == "flashcards":
        return files.get(name, {}).get(kind, [])
    return next((file[kind][name] for file in files.values() if name in file.get(kind, {})), {})


@cache
def questions(root: Path) -> dict[str, dict]:
    """Read the questions of a project, by topic."""
    paths = sorted((root / "bertbook" / "questions").glob("*.toml"))
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in paths}


def said(data: dict | list) -> Iterator[str]:
    """Yield what is prose in the data of a question or of cards."""
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from said(value)
        elif name in SAID:
            yield value


def is_colab(cell: Cell) -> bool:
    """Say whether this is the cell that `make notebooks` puts first."""
    return cell.id == "install-in-colab"


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
        if raw.cell_type == "markdown":
            section = next((b.section for b in reversed(cells[-1].blocks)), section)
    return Chapter(path, root, cells)
