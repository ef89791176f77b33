"""Python as the rules read it: the modules of the packages, what they export, who calls whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Function | ast.ClassDef | ast.Lambda
PACKAGES = ("minibert", "bertfamily", "berttools", "bertbook")


def modules(root: Path) -> dict[str, Path]:
    """Map the dotted name of every module of the packages to its file."""
    named = {}
    for path in (path for name in PACKAGES for path in sorted((root / name).rglob("*.py"))):
        parts = path.relative_to(root).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def imported(module: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and name of every module of ours that a file imports, wherever it does."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*up, *([node.module] if node.module else [])])
            # `from bertbook import corpus` imports bertbook.corpus.
            names = [f"{base}.{a.name}" if base in PACKAGES else base for a in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] in PACKAGES)


def parse(path: Path) -> ast.Module:
    """Parse a Python file."""
    return _parse(path.read_text(encoding="utf-8"))


@cache
def _parse(code: str) -> ast.Module:
    return ast.parse(code)


class Definition(NamedTuple):
    """Where a public name of a package is defined, and how."""

    module: str
    node: ast.stmt


def exports(root: Path) -> dict[str, list[Definition]]:
    """Find every public function, class and constant of the packages."""
    found: dict[str, list[Definition]] = {}
    for module, path in modules(root).items():
        for node in parse(path).body:
            for name in _defined(node):
                found.setdefault(name, []).append(Definition(module, node))
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


def calls(tree: ast.AST, *names: str) -> list[ast.Call]:
    """Find the calls of some functions, by the last part of their name, in reading order."""
    return [call for call in _calls(tree) if called(call) in names]


@cache
def _calls(tree: ast.AST) -> list[ast.Call]:
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def called(call: ast.Call) -> str:
    """Name the function that a call calls; empty if it has no name."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def is_stub(node: ast.stmt) -> bool:
    """Say whether a body is just `...`, or a method's is, for the reader to fill in."""
    if isinstance(node, ast.ClassDef):
        return any(map(is_stub, node.body))
    last = node.body[-1] if isinstance(node, Function) else None
    return isinstance(last, ast.Expr) and getattr(last.value, "value", None) is Ellipsis
