"""Which names the code of a cell sets, reads, and needs from the cells above it. Chapter 1."""

import ast
import symtable
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

IMPORTS = (ast.Import, ast.ImportFrom)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Statement(NamedTuple):
    """A statement of a cell, with the names that it makes and those that it reads."""

    code: str
    imports: bool
    makes: frozenset[str]
    reads: frozenset[str]


def statements_above(cells: Iterable[str], wanted: set[str]) -> list[str]:
    """Take from some cells all imports, and what makes the wanted names, with what that needs."""
    kept: list[str] = []
    for statement in reversed([one for cell in cells for one in _statements(cell)]):
        if statement.imports or wanted & statement.makes:
            kept.append(statement.code)
            wanted = wanted | statement.reads
    return kept[::-1]


@cache  # each exercise of a chapter asks for the cells above it
def _statements(cell: str) -> list[Statement]:
    return [
        Statement(
            code := ast.unparse(node),
            isinstance(node, IMPORTS),
            frozenset(names_made_by(node)),
            frozenset(names_from_outside(code) | _added_to(node)),
        )
        for node in ast.parse(cell).body
    ]


def _added_to(node: ast.AST) -> set[str]:
    """Name what a statement adds to: ``x += 1`` reads x, which a symbol table does not tell."""
    added = (each.target for each in ast.walk(node) if isinstance(each, ast.AugAssign))
    return {target.id for target in added if isinstance(target, ast.Name)}


def names_made_by(node: ast.AST) -> Iterator[str]:
    """Name what a statement makes: a definition, assignments, also those in a loop or a block."""
    inside = [node]
    while inside:
        node = inside.pop()
        if isinstance(node, IMPORTS):
            yield from (one.asname or one.name.split(".")[0] for one in node.names)
        elif isinstance(node, SCOPES):
            yield getattr(node, "name", "")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        else:
            inside += ast.iter_child_nodes(node)


def names_from_outside(source: str) -> set[str]:
    """Return the names that code reads and does not set itself."""
    return {
        symbol.get_name()
        for table in _with_tables_inside(symtable.symtable(source, "<kept>", "exec"))
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module")
    }


def _with_tables_inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _with_tables_inside(child)


def is_skeleton(source: str) -> bool:
    """Return whether a function, or a method of a class, still ends in the dots."""
    return any(
        isinstance(last := node.body[-1], ast.Expr)
        and getattr(last.value, "value", None) is Ellipsis
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
    )
