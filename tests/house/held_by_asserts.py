"""The law against drift, second half: each function that a chapter types is held by an assert."""

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import networkx as nx
from book_tree import Cell, Chapter, chapters
from drift import Exports, bound, exports
from python_code import Function, calls, is_stub

DRAWING = {"picture", "explore", "stepwise", "html", "token_row", "bars", "matrix", "tint"}


def witnesses(root: Path) -> list[str]:
    """Find functions and classes of a chapter that no assert ever looks at."""
    package = exports(root)
    return [
        f"{chapter.name}: {cell} defines {name}, and no assert in this cell or a later one depends "
        f"on it. Assert that it agrees with the package (or, for a bug, that it does not); if that "
        f"makes no sense, give the cell a metadata `reason` that names {name}."
        for chapter in chapters(root)
        for cell, name in _unwitnessed(chapter, package)
    ]


def _unwitnessed(chapter: Chapter, package: Exports) -> Iterator[tuple[Cell, str]]:
    """Yield the definitions that no assert reaches, by the names that statements mention."""
    flow, asserted = _flow(chapter)
    drawn = _drawn(chapter)
    for cell in chapter.code:
        for node in cell.tree.body:
            if not isinstance(node, Function | ast.ClassDef) or node.name in package:
                continue
            free = (
                "solution" in cell.tags
                or is_stub(node)
                or _only_prints(node)
                or node.name in str(cell.metadata.get("reason", ""))
                or node.name in drawn
                or _mentioned(node) & DRAWING
            )
            made_from_it = nx.ancestors(flow, node.name) | {node.name}
            if not free and not made_from_it & set().union(*asserted[cell.index :]):
                yield cell, node.name


def _flow(chapter: Chapter) -> tuple[nx.DiGraph, list[set[str]]]:
    """Lead from each name to what it is made from, and collect the names each cell asserts."""
    flow = nx.DiGraph()
    asserted: list[set[str]] = [set() for _ in chapter.cells]
    asserting: set[str] = set()
    for cell in chapter.code:
        for statement in cell.tree.body:
            mentioned = _mentioned(statement)
            if isinstance(statement, Function | ast.ClassDef):
                flow.add_edges_from(product([statement.name], {statement.name} | mentioned))
                flow.add_edges_from(product(_changed_inside(statement), [statement.name]))
                if _asserts(statement) or mentioned & asserting:
                    asserting.add(statement.name)
                continue
            changed = {*bound(statement)} | _changed_inside(statement)
            flow.add_edges_from(product(changed, mentioned))
            # Calling a function that asserts something is as good as an assert.
            if mentioned & asserting or _asserts(statement):
                asserted[cell.index] |= mentioned
    return flow, asserted


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


def _mentioned(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _changed_inside(statement: ast.stmt) -> set[str]:
    """Name what a statement, or the body of a function, changes in place as `list.append` does."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            names |= _owner(node.value.func)
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            names |= _owner(node)
    return names


def _owner(node: ast.expr) -> set[str]:
    """Name the variable that an attribute or an entry belongs to."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
        if isinstance(node, ast.Name):
            return {node.id}
    return set()


def _drawn(chapter: Chapter) -> set[str]:
    """Name everything that is handed to a figure."""
    shown = (call for cell in chapter.code for call in calls(cell.tree, *DRAWING))
    return set().union(*(_mentioned(call) for call in shown))


def _only_prints(node: Function | ast.ClassDef) -> bool:
    """Say whether a function prints and returns nothing: the stored output is its witness."""
    returns = any(isinstance(inner, ast.Return) and inner.value for inner in ast.walk(node))
    return bool(calls(node, "print")) and not returns
