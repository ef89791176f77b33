"""The source of what a reader has defined in a notebook, and what it needs in a file. Chapter 7."""

import ast
import builtins
import contextlib
import inspect
import linecache
import sys
import textwrap
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from berttools.grade.names import names_from_outside

from .reader_file import READER_FILE

# Where what does not know its home may stand: some functions, and the table of activations.
LIBRARIES = ("torch", "numpy", "minibert.config")


class NotKeptError(Exception):
    """Stop because something cannot stand in a file of its own; the message is for the reader."""


class Needs(NamedTuple):
    """What a piece of code needs from around it."""

    lines: list[str]  # imports, and constants such as EPSILON = 1e-12
    others: list[Any]  # other functions and classes of the reader's


def source_of(thing: Any) -> str:
    """Return the code of a function or class as it was typed, with its decorators."""
    name, home = thing.__name__, _cell_of(thing)
    node = _definition(home, name, getattr(inspect.unwrap(thing), "__code__", None))
    if node is None:
        raise NotKeptError(
            f"The code of {name} cannot be found. Run the cell that defines it again, with its def "
            "or class in sight; what exec makes has no source"
        )
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return textwrap.dedent("\n".join(home.splitlines()[first - 1 : node.end_lineno])) + "\n"


def needs_of(thing: Any, source: str) -> Needs:
    """Find what the code of a function or class takes from the notebook that it stands in."""
    around = vars(sys.modules[thing.__module__])
    lines, others = [], []
    for name in sorted(names_from_outside(source) - {thing.__name__}):
        if name not in around:
            if not hasattr(builtins, name):
                raise NotKeptError(
                    f"{thing.__name__} uses {name}, which is nowhere defined. Is it misspelled"
                )
        elif _is_made_here(around[name], around["__name__"]):
            others.append(around[name])
        elif getattr(around[name], "__module__", "") == READER_FILE.stem:
            continue  # it stands there already
        elif line := _line_for(name, around[name]):
            lines.append(line)
        else:
            raise NotKeptError(
                f"{thing.__name__} uses {name}, {_kind(around[name])} of this notebook. A file "
                f"cannot know it: pass it in as an argument, or make it inside {thing.__name__}"
            )
    return Needs(lines, others)


def _cell_of(thing: Any) -> str:
    """Return the text of the cell or file in which something is defined, or an empty one."""
    is_class = isinstance(thing, type)
    for method in vars(thing).values() if is_class else [thing]:
        # A method that a decorator has made may stand elsewhere.
        code = getattr(inspect.unwrap(getattr(method, "fget", method)), "__code__", None)
        text = "".join(linecache.getlines(code.co_filename)) if code else ""
        if _definition(text, thing.__name__):
            return text
    # A class without methods does not know its cell: take the last one that defines its name.
    cells = getattr(sys.modules["__main__"], "In", []) if is_class else []
    return next((cell for cell in reversed(cells) if _definition(cell, thing.__name__)), "")


def _definition(
    text: str, name: str, code: Any = None
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None:
    """Return the last definition of a name in a text, or the one with this code object."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return None  # a cell with a magic line
    definitions = [
        node
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name == name
    ]
    firsts = [min([node.lineno, *(d.lineno for d in node.decorator_list)]) for node in definitions]
    if code is not None and code.co_firstlineno in firsts:
        return definitions[firsts.index(code.co_firstlineno)]
    return definitions[-1] if definitions else None


def _is_made_here(thing: Any, here: str) -> bool:
    is_code = inspect.isfunction(thing) or isinstance(thing, type)
    return is_code and thing.__module__ == here and thing.__name__ != "<lambda>"


def _line_for(name: str, thing: Any) -> str | None:
    """Write the import or the assignment that gives a name its value; None if there is none."""
    if isinstance(thing, ModuleType):
        module, _, own_name = thing.__name__.rpartition(".")
        return _import(module, own_name, name)
    with contextlib.suppress(ValueError, SyntaxError):
        ast.literal_eval(repr(thing))
        return f"{name} = {thing!r}"
    home, own_name = getattr(thing, "__module__", None), getattr(thing, "__name__", name)
    modules = (_nearest_module(start, own_name, thing) for start in ([home] if home else LIBRARIES))
    return next((_import(module, own_name, name) for module in modules if module), None)


def _import(module: str, own_name: str, name: str) -> str:
    start = f"from {module} import {own_name}" if module else f"import {own_name}"
    return start if own_name == name else f"{start} as {name}"


def _nearest_module(home: str, name: str, thing: Any) -> str | None:
    """Return the shortest of a, a.b and a.b.c from which a name can be imported."""
    steps = home.split(".")
    for module in (".".join(steps[: count + 1]) for count in range(len(steps))):
        with contextlib.suppress(ImportError):
            value = getattr(import_module(module), name, None)
            if value is thing and module != "__main__":
                return module
    return None


def _kind(thing: Any) -> str:
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
