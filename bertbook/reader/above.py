"""What the code of a cell needs from the cells above it. Chapter 1."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .definitions import names_from_outside

IMPORTS = (ast.Import, ast.ImportFrom)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def statements_above(cells: Iterable[str], wanted: set[str]) -> list[str]:
    """Take from some cells all imports, and what makes the wanted names, with what that needs.

    Parameters
    ----------
    cells : iterable of str
        The code of the cells, from top to bottom.
    wanted : set of str
        The names that code below them reads.

    Returns
    -------
    list of str
        Statements, in the order of the cells.
    """
    kept: list[str] = []
    for node in reversed([node for cell in cells for node in ast.parse(cell).body]):
        if isinstance(node, IMPORTS) or wanted & {*names_made_by(node)}:
            kept.append(ast.unparse(node))
            wanted = wanted | names_from_outside(kept[-1])
    return kept[::-1]


def names_made_by(node: ast.AST) -> Iterator[str]:
    """Name what a statement makes: a definition, assignments, also those in a loop or a block."""
    if isinstance(node, IMPORTS):
        yield from (one.asname or one.name.split(".")[0] for one in node.names)
    elif isinstance(node, SCOPES):
        yield getattr(node, "name", "")
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    else:
        for child in ast.iter_child_nodes(node):
            yield from names_made_by(child)
