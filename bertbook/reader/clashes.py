"""Names that mean one thing in a reader's file and another in what she keeps. Chapter 2.

The numpy chapters and the PyTorch chapters both have an ``additive_mask``. In one file the later
import would win, and what was kept before would compute with the wrong one.
"""

import ast
import textwrap

from berttools.grade.names import names_from_outside

from .definitions import NotKeptError


def bindings(code: str) -> dict[str, str]:
    """Say what the imports and constants at the top of a code stand for, by name."""
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            found |= {alias.asname or alias.name: f"{home}{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.unparse(node.value)
    return found


def clashes(line: str, known: dict[str, str]) -> bool:
    """Return whether a line gives another meaning to a name that a file knows already."""
    return any(known.get(name, meaning) != meaning for name, meaning in bindings(line).items())


def with_line_inside(source: str, line: str) -> str:
    """Put an import or a constant into each function, or method, that needs it."""
    (name,) = bindings(line)
    top, lines = ast.parse(source).body[0], source.splitlines()
    inner = top.body if isinstance(top, ast.ClassDef) else [top]
    for node in reversed([node for node in inner if isinstance(node, ast.FunctionDef)]):
        own = textwrap.dedent("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        first = node.body[bool(ast.get_docstring(node)) and len(node.body) > 1]
        if name in names_from_outside(own) and first.lineno > node.lineno:
            lines.insert(first.lineno - 1, " " * first.col_offset + line)
    made = "\n".join(lines) + "\n"
    if name in names_from_outside(made):
        raise NotKeptError(
            f"{getattr(top, 'name', '')} uses {name}, which is something else in the file already. "
            f"Give one of the two another name, for example with import {name} as …"
        )
    return made
