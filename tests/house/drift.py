"""The law against drift: what the packages export is defined once, and chapters agree with it.

In a chapter a name of a package may only be imported, shown with `show_source` (of which nbval
compares the output), or typed with the same code. Everything else has a name of its own.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from book_tree import chapters
from python_code import PACKAGES, Function, modules, parse

# The design gives this name to the numbers as well as to the function that makes them. A chapter
# may have either.
ALSO_DATA = {"additive_mask"}
SCOPES = Function | ast.ClassDef | ast.Lambda
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Definition(NamedTuple):
    """Where a public name of a package is defined, and how."""

    module: str
    node: ast.stmt


Exports = dict[str, list[Definition]]


def exports(root: Path) -> Exports:
    """Find every public function, class and constant of the packages."""
    found: Exports = {}
    for module, path in modules(root).items():
        for node in parse(path).body:
            names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
            if isinstance(node, ast.Assign):
                names = [
                    t.id for t in node.targets if isinstance(t, ast.Name) and t.id[0].isupper()
                ]
            for name in names:
                if not name.startswith("_"):
                    found.setdefault(name, []).append(Definition(module, node))
    return found


def one_definition(root: Path) -> list[str]:
    """Find names of the packages that a chapter defines anew, with other code."""
    package, found = exports(root), []
    for chapter in chapters(root):
        imports = [node for cell in chapter.code for node in _imports(cell.tree)]
        data = ALSO_DATA - {a.asname or a.name for node in imports for a in node.names}
        for cell in chapter.code:
            told = _redefined(cell.tree, package, data)
            found += [f"{chapter.name}: {cell} {problem}" for problem in told]
    return found


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _redefined(tree: ast.Module, package: Exports, data: set[str]) -> Iterator[str]:
    """Say which names of the packages one cell gives another meaning."""
    for node in _functions_and_classes(tree):
        homes = package.get(node.name, [])
        if homes and not any(_same(node, home.node) for home in homes):
            yield (
                f"defines {node.name}, but {homes[0].module} exports that name with other code. "
                "Import it, show it with show_source, type the very same code, or choose another "
                "name and assert that both agree."
            )
    for statement in tree.body:
        for name in bound(statement):
            homes = package.get(name, [])
            typed = any(_same(statement, home.node) for home in homes)
            if homes and not typed and name not in data:
                yield (
                    f"assigns to {name}, a name that {homes[0].module} exports. Choose another "
                    f"name, for instance my_{name}, so that {name} means one thing in the book."
                )
    for node in _imports(tree):
        source = getattr(node, "module", None) or ""
        for alias in node.names:
            name = alias.asname or alias.name
            ours = source.split(".")[0] in PACKAGES and alias.name == name
            if name in package and not ours:
                yield (
                    f"imports {name} from {source or alias.name}, but {package[name][0].module} "
                    "exports that name. Call the other by its module, or give it another name."
                )


def _functions_and_classes(node: ast.AST) -> Iterator[Function | ast.ClassDef]:
    """Yield what a cell defines at any depth, but not the methods of classes."""
    for child in ast.iter_child_nodes(node):
        is_method = isinstance(node, ast.ClassDef) and isinstance(child, Function)
        if isinstance(child, Function | ast.ClassDef) and not is_method:
            yield child
        yield from _functions_and_classes(child)


def bound(node: ast.AST) -> Iterator[str]:
    """Yield what a statement assigns outside functions, classes and comprehensions."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for child in () if isinstance(node, SCOPES | COMPREHENSIONS) else ast.iter_child_nodes(node):
        yield from bound(child)


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
