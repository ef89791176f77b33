"""What an answer reaches for that none needs: its checker, the insides of Python, our own answer.

Read from outside, before anybody believes what the process of the answer has said. Chapter 1.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .above import IMPORTS, names_made_by
from .definitions import names_from_outside

CHECKER = "check_"  # begins the name of each
OURS = ("minibert", "bertbook")
MODULES = frozenset(
    {"_thread", "builtins", "ctypes", "gc", "importlib", "inspect", "multiprocessing", "sys"}
    | {"threading", "bertbook.core.exercises", "berttools.grade"}
)
FUNCTIONS = frozenset({"__import__", "compile", "eval", "exec", "globals", "vars"})
INSIDES = frozenset(
    {"__builtins__", "__closure__", "__code__", "__defaults__", "__globals__", "__kwdefaults__"}
    | {"__loader__", "__spec__", "__subclasses__", "_getframe", "ag_frame", "cr_frame", "gi_frame"}
    | {"currentframe", "f_back", "f_builtins", "f_globals", "f_locals", "tb_frame", "walk_stack"}
)


def reached_for(code: str) -> str:
    """Name the first thing in an answer that no answer needs; empty if there is none."""
    return next(_reached(code), "")


def ours_in(code: str, above: str) -> list[tuple[str, str]]:
    """List what an answer takes from our packages: the import that it needs, and how to say it."""
    tree = ast.parse(code)
    hers = [node for node in ast.walk(tree) if isinstance(node, IMPORTS)]
    pages = [node for node in ast.parse(above).body if isinstance(node, IMPORTS)]
    homes = {name: "" for node in pages if _is_ours(node) for name in names_made_by(node)}
    for node in filter(_is_ours, hers):
        homes |= dict.fromkeys(names_made_by(node), ast.unparse(node))
    said = {name: home for name, home in homes.items() if home} if hers else {}
    used = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    for node in used:
        root = _root(node)
        if root in homes:
            said[ast.unparse(node)] = homes[root]
    return [(home, thing) for thing, home in said.items()]


def _reached(code: str) -> Iterator[str]:
    made = {name for node in ast.parse(code).body for name in names_made_by(node)}
    outside = names_from_outside(code) - made
    yield from sorted(outside & (MODULES | FUNCTIONS | INSIDES))
    yield from sorted(name for name in outside if name.startswith(CHECKER))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            named = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Attribute):
            named = [ast.unparse(node)] + ([node.attr] if node.attr in MODULES | INSIDES else [])
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            if not isinstance((node.args[1:] or [None])[0], ast.Constant | ast.Name):
                yield "getattr of a name that it puts together"
            continue
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = INSIDES & {*re.findall(r"\w+", node.value)}
        else:
            continue
        yield from (name for name in named if name in INSIDES or _is_inside(name, MODULES))


def _is_inside(name: str, modules: frozenset[str] | tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def _is_ours(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return _is_inside(node.module or "", OURS)
    return isinstance(node, ast.Import) and any(_is_inside(one.name, OURS) for one in node.names)


def _root(node: ast.AST) -> str:
    """Name the variable that an expression begins with, if it is one of names, dots and calls.

    A call is one only with arguments that are written down, as in ``part(BertLayer)``.
    """
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Attribute):
            node = node.value
            continue
        given = [*node.args, *(each.value for each in node.keywords)]
        written = ast.Constant | ast.Name if ast.unparse(node.func) == "part" else ast.Constant
        if not all(isinstance(each, written) for each in given):
            return ""
        node = node.func
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else ""
