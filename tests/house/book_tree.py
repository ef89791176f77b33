"""The project as the rules of the house see it: files, modules, chapters, cells and prose.

A rule is a function that takes the root of a project and returns sentences: which file, what is
wrong, what to do. None means that all is well. Every rule runs on this project, and on small
projects that its tests plant, so that each of its sentences has been seen once.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {"__pycache__", "_build", "_vendor", "build", "dist", "node_modules"}
CHAPTER_FILE = re.compile(r"(\d\d)-[a-z0-9-]+\.ipynb")
CHAPTERS_NAMED = re.compile(r"\bChapters? (\d+(?:(?:, | and )\d+)*)")
TARGET = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
FENCE = re.compile(r"^\{[\w:-]+\}")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Function | ast.ClassDef | ast.Lambda
MARKDOWN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)


def files(root: Path) -> list[Path]:
    """List what belongs to the project: all that git does not ignore, or without git all."""
    paths = [root / name for name in _listed_by_git(root)] or list(root.rglob("*"))
    return sorted(path for path in paths if path.is_file() and _is_ours(path.relative_to(root)))


def _listed_by_git(root: Path) -> list[str]:
    """Ask git for its files and for new ones; an empty list if this is no working copy."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if not (root / ".git").exists() or not shutil.which("git"):
        return []
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    return [name for name in done.stdout.decode().split("\0") if name]


def _is_ours(path: Path) -> bool:
    """Leave out folders that tools make, for a copy without git."""
    hidden = (part.startswith(".") and part not in {".ci", ".github"} for part in path.parts[:-1])
    made = (part in NOT_OURS or part.endswith(".egg-info") for part in path.parts)
    return not any(hidden) and not any(made)


def name_of(path: Path, root: Path) -> str:
    """Write a path as sentences show it, from the root and with slashes."""
    return path.relative_to(root).as_posix()


def text_of(path: Path) -> str:
    """Read a text file; pictures and fonts have no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def modules(root: Path) -> dict[str, Path]:
    """Map the dotted name of every module of the package to its file."""
    named = {}
    for path in sorted((root / "minibert").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def parse(path: Path) -> ast.Module:
    """Parse a Python file."""
    return _parse(path.read_text(encoding="utf-8"))


@cache
def _parse(code: str) -> ast.Module:
    return ast.parse(code)


@dataclass(frozen=True)
class Definition:
    """One public name of the package: where it is defined, and how."""

    name: str
    module: str
    path: Path
    node: ast.stmt


def exports(root: Path) -> dict[str, list[Definition]]:
    """Find every public function, class and constant of the package."""
    found: dict[str, list[Definition]] = {}
    for module, path in modules(root).items():
        for node in parse(path).body:
            for name in _defined(node):
                found.setdefault(name, []).append(Definition(name, module, path, node))
    return found


def _defined(node: ast.stmt) -> list[str]:
    """Name what one statement of a module exports."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.Assign):
        names = [t.id for t in node.targets if isinstance(t, ast.Name) and t.id[0].isupper()]
    else:
        names = []
    return [name for name in names if not name.startswith("_")]


@dataclass(frozen=True)
class Block:
    """A piece of prose: a heading, a paragraph, a row of a table, or a displayed formula."""

    kind: str
    section: str
    text: str
    """All of it, formulas and code included."""
    words: str
    """Without formulas, code and addresses."""
    links: tuple[str, ...] = ()
    level: int = 0
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Begin as the piece begins."""
        return self.text if len(self.text) <= 70 else self.text[:69] + "…"


def blocks(markdown: str, section: str = "") -> Iterator[Block]:
    """Cut markdown into headings, paragraphs, table rows and formulas."""
    tokens = MARKDOWN.parse(TARGET.sub("", markdown))
    for number, token in enumerate(tokens):
        kind = tokens[number - 1].type if number else ""
        if token.type == "inline" and kind == "heading_open":
            level = int(tokens[number - 1].tag[1])
            section = token.content if level == 2 else section
            yield Block("heading", section, *_prose([token]), level=level)
        elif token.type == "inline" and kind not in ("td_open", "th_open"):
            yield Block("paragraph", section, *_prose([token]))
        elif token.type == "tr_open":
            end = next(i for i in range(number, len(tokens)) if tokens[i].type == "tr_close")
            row = [t for t in tokens[number:end] if t.type == "inline"]
            yield Block("row", section, *_prose(row), columns=tuple(t.content for t in row))
        elif token.type in ("math_block", "math_block_eqno"):
            yield Block("formula", section, token.content, "")
        elif token.type == "fence" and FENCE.match(token.info):
            yield from blocks(token.content, section)


def _prose(inlines: list[Token]) -> tuple[str, str, tuple[str, ...]]:
    """Separate text, words and links of some inline elements."""
    text, words, links = [], [], []
    for token in (child for inline in inlines for child in [*inline.children, None]):
        if token is None or token.type in ("softbreak", "hardbreak"):
            text.append(" ")
            words.append(" ")
        elif token.type == "link_open":
            links.append(token.attrs["href"])
        elif token.type == "image":
            links.append(token.attrs["src"])
            text.append(token.content)
        elif token.type == "code_inline":
            text.append(f"`{token.content}`")
            words.append("…")
        elif token.type.startswith("math"):
            text.append(f"${token.content}$")
            words.append("…")
        else:
            text.append(token.content)
            words.append(token.content)
    return "".join(text).strip(), "".join(words).strip(), tuple(links)


@dataclass(frozen=True)
class Cell:
    """One cell of a chapter."""

    index: int
    kind: str
    source: str
    section: str
    """The heading of level 2 above it; for prose, the one above its first line."""
    metadata: dict = field(default_factory=dict)
    outputs: tuple[dict, ...] = ()
    count: int | None = None
    id: str = ""

    @property
    def tags(self) -> set[str]:
        """The tags of the cell."""
        return set(self.metadata.get("tags", ()))

    @cached_property
    def tree(self) -> ast.Module:
        """The code, parsed; empty if it cannot be (another rule says so)."""
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return ast.Module([], [])

    @property
    def blocks(self) -> list[Block]:
        """The prose, in pieces."""
        return list(blocks(self.source, self.section))

    @property
    def texts(self) -> Iterator[str]:
        """What the outputs say, in every format stored."""
        for output in self.outputs:
            if output["output_type"] == "stream":
                yield "".join(output["text"])
            elif output["output_type"] == "error":
                yield "\n".join([f"{output['ename']}: {output['evalue']}", *output["traceback"]])
            else:
                yield from ("".join(text) for text in output["data"].values())

    def __str__(self) -> str:
        """Name the cell by its first line."""
        lines = self.source.strip().splitlines()
        return f"the cell that begins {lines[0]!r}" if lines else "an empty cell"


@dataclass(frozen=True)
class Chapter:
    """A notebook of the book."""

    path: Path
    root: Path
    metadata: dict
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """The file, as a reader of a sentence finds it."""
        return name_of(self.path, self.root)

    @property
    def number(self) -> int:
        """The number the file name begins with."""
        return int(self.path.name[:2])

    @property
    def code(self) -> list[Cell]:
        """The code cells, without the one that only installs the package in Colab."""
        return [cell for cell in self.cells if cell.kind == "code" and not is_colab(cell)]

    @cached_property
    def blocks(self) -> list[Block]:
        """All prose, in pieces."""
        return [block for cell in self.cells if cell.kind == "markdown" for block in cell.blocks]

    @property
    def title(self) -> str:
        """The heading of level 1."""
        return next((b.text for b in self.blocks if b.kind == "heading" and b.level == 1), "")


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
    notebook = json.loads(text)
    cells, section = [], ""
    for index, raw in enumerate(notebook["cells"]):
        outputs, source = tuple(raw.get("outputs", ())), "".join(raw["source"])
        cell = Cell(
            index, raw["cell_type"], source, section, raw["metadata"], outputs,
            raw.get("execution_count"), raw.get("id", ""),
        )  # fmt: skip
        cells.append(cell)
        if cell.kind == "markdown":
            section = next((b.section for b in reversed(cell.blocks)), section)
    return Chapter(path, root, notebook["metadata"], tuple(cells))


def toc(root: Path) -> list[str]:
    """List the pages of the book in reading order, without their endings."""
    path = root / "book" / "_toc.yml"
    contents = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    pages = [entry["file"] for part in contents.get("parts", ()) for entry in part["chapters"]]
    return [contents["root"], *pages] if contents else []


def chapter_numbers(root: Path) -> set[int]:
    """List the numbers of the chapters that the table of contents announces."""
    found = (re.fullmatch(r"chapters/(\d\d)-.*", page) for page in toc(root))
    return {int(match.group(1)) for match in found if match}


def bound(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a cell assigns outside functions, and the statement that does."""
    for statement in body:
        for node in _outside_functions(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, statement


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a statement; functions, classes and comprehensions keep their names to themselves."""
    yield node
    if isinstance(node, Scope | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    for child in ast.iter_child_nodes(node):
        yield from _outside_functions(child)


def chapters_named(text: str) -> set[int]:
    """Find the chapters that some text names, as in "Chapter 2" or "Chapters 4 and 5"."""
    named = CHAPTERS_NAMED.findall(text)
    return {int(number) for numbers in named for number in re.findall(r"\d+", numbers)}


def calls(tree: ast.AST, *names: str) -> list[ast.Call]:
    """Find the calls of some functions, by the last part of their name, in reading order."""
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and called(n) in names]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def called(call: ast.Call) -> str:
    """Name the function that a call calls; empty if it has no name."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))
