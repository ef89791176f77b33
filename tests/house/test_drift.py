"""The law against drift: what minibert exports is defined once, and chapters agree with it.

In a chapter a name of the package may only be imported, shown with `show_source` (of which nbval
compares the output), or typed with the same code. Everything else has a name of its own, and an
assert that holds it to something else.
"""

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import networkx as nx
import pytest
from book_tree import Cell, Chapter, chapters
from planting import assert_kept, code, says
from python_code import PACKAGES, Definition, Function, bound, calls, exports, is_stub

Exports = dict[str, list[Definition]]

# The design gives this name to the numbers as well as to the function that makes them. A chapter
# may have either.
ALSO_DATA = {"additive_mask"}
DRAWING = {"picture", "explore", "stepwise", "html", "token_row", "bars", "matrix", "tint"}


def one_definition(root: Path) -> list[str]:
    """Find names of the package that a chapter defines anew, with other code."""
    package = exports(root)
    found = []
    for chapter in chapters(root):
        data = ALSO_DATA - {name for cell in chapter.code for name in _imported(cell.tree)}
        found += [
            f"{chapter.name}: {cell} {problem}"
            for cell in chapter.code
            for problem in _redefined(cell.tree, package, data)
        ]
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a cell imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _redefined(tree: ast.Module, package: Exports, data: set[str]) -> Iterator[str]:
    """Say which names of the package one cell gives another meaning."""
    for node in _functions_and_classes(tree):
        homes = package.get(node.name, [])
        if homes and not any(_same(node, home.node) for home in homes):
            yield (
                f"defines {node.name}, but {homes[0].module} exports that name with other code. "
                "Import it, show it with show_source, type the very same code, or choose another "
                "name and assert that both agree."
            )
    for name, value in bound(tree.body):
        homes = package.get(name, [])
        typed = isinstance(value, ast.stmt) and any(_same(value, home.node) for home in homes)
        if homes and not typed and name not in data:
            yield (
                f"assigns to {name}, a name that {homes[0].module} exports. Choose another name, "
                f"for instance my_{name}, so that {name} means one thing in the whole book."
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported_otherwise(node, package)


def _functions_and_classes(node: ast.AST) -> Iterator[Function | ast.ClassDef]:
    """Yield what a cell defines at any depth, but not the methods of classes."""
    for child in ast.iter_child_nodes(node):
        is_method = isinstance(node, ast.ClassDef) and isinstance(child, Function)
        if isinstance(child, Function | ast.ClassDef) and not is_method:
            yield child
        yield from _functions_and_classes(child)


def _same(typed: ast.stmt, home: ast.stmt) -> bool:
    """Compare code; comments and docstrings do not count."""
    return ast.dump(_bare(typed)) == ast.dump(_bare(home))


def _bare(node: ast.stmt) -> ast.stmt:
    """Copy a statement without the docstrings in it."""
    copy = ast.parse(ast.unparse(node)).body[0]
    for inner in ast.walk(copy):
        if isinstance(inner, Function | ast.ClassDef) and ast.get_docstring(inner) is not None:
            del inner.body[0]
    return copy


def _imported_otherwise(node: ast.Import | ast.ImportFrom, package: Exports) -> Iterator[str]:
    """Find a name of the package that comes from elsewhere or stands for something else."""
    source = getattr(node, "module", None) or ""
    for alias in node.names:
        name = alias.asname or alias.name
        ours = source.split(".")[0] in PACKAGES and alias.name == name
        if name in package and not ours:
            yield (
                f"imports {name} from {source or alias.name}, but {package[name][0].module} "
                "exports that name. Call the other one by its module, or give it another name."
            )


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
            changed = {name for name, _ in bound([statement])} | _changed_inside(statement)
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


def test_this_project_keeps_the_law():
    assert_kept(one_definition, witnesses)


OURS = '''
FACTOR = 2


def double(x):
    """Double."""
    return FACTOR * x  # twice


def additive_mask(x): ...
'''
BOTH = "from bertbook.corpus import additive_mask\nadditive_mask = additive_mask(1)"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("from bertbook.corpus import FACTOR\nadditive_mask = 1", ""),
        ("def double(x):\n    # other words\n    return FACTOR * x", ""),
        ("def f():\n    def double(x):\n        return x + x", "defines double"),
        ("if (double := 1):\n    pass", "assigns to double"),
        ("from numpy import double", "imports double from numpy"),
        (BOTH, "assigns to additive_mask, a name that bertbook.corpus exports"),
    ],
)
def test_a_name_of_the_package_has_one_meaning(plot, source, problem):
    plot.file("bertbook/corpus.py", OURS)
    says(one_definition(plot.chapter("# A chapter", code(source))), problem)


TWICE = "def twice(x):\n    return x + x"


@pytest.mark.parametrize(
    ("is_held", "sources"),
    [
        (True, [TWICE, "s = {}", "def watch(x):\n    s[x] = twice(x)", "watch(1)", "assert s"]),
        (False, ["assert twice(1) == 2", TWICE]),
        (False, [TWICE, "y = twice(1)", "print(y)", "assert z == 2"]),
    ],
)
def test_functions_with_and_without_a_witness(plot, is_held, sources):
    told = "defines twice, and no assert in this cell or a later one depends on it"
    root = plot.chapter("# A chapter", *map(code, sources))
    says(witnesses(root), "" if is_held else told)
