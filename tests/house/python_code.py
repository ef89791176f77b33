"""Python as the rules read it: the modules of the packages, what they import, who calls whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
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
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*up, *([node.module] if node.module else [])])
            # `from bertbook import corpus` imports bertbook.corpus.
            names = [f"{base}.{a.name}" if base in PACKAGES else base for a in node.names]
        yield from ((node.lineno, name) for name in names if name.split(".")[0] in PACKAGES)


def room_of(module: str) -> tuple[str, str]:
    """Name the package and the room a module belongs to; no room for a package."""
    package, room, *_ = [*module.split("."), ""]
    return package, room


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


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
