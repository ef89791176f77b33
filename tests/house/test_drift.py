"""The law against drift: what minibert exports is defined once, and chapters agree with it.

In a chapter a name of the package may only be imported, shown with `show_source` (of which nbval
compares the output), or typed with the same code. Everything else has a name of its own, and
`test_witnesses.py` asks for its witness.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import chapters
from planting import DOUBLE, code, says
from python_code import PACKAGES, Definition, Function, bound, exports

Exports = dict[str, list[Definition]]

# The design gives this name to the numbers as well as to the function that makes them. A chapter
# may have either.
ALSO_DATA = {"additive_mask"}


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


def test_this_project_keeps_it(this_project):
    this_project.keeps(one_definition)


def plant(plot, source: str, printed: str = "") -> Path:
    plot.file("bertbook/corpus.py", DOUBLE)
    return plot.chapter("# A chapter", code(source, printed))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("from bertbook.corpus import FACTOR, double", ""),
        ("def double(x):\n    # other words\n    return FACTOR * x", ""),
        ("def f(double):\n    FACTOR = double\n    return FACTOR", ""),
        ("def f():\n    def double(x):\n        return x + x", "defines double"),
        ("if (double := 1):\n    pass", "assigns to double"),
        ("from numpy import double", "imports double from numpy"),
        ("from bertbook.corpus import FACTOR as double", "imports double from bertbook.corpus"),
    ],
)
def test_a_name_of_the_package_has_one_meaning(plot, source, problem):
    says(one_definition(plant(plot, source)), problem)


def test_a_name_that_the_design_gives_to_data_too(plot):
    plot.file("minibert/reference.py", "def additive_mask(x): ...")
    assert one_definition(plot.chapter(code("additive_mask = 1"))) == []
    both = "from minibert.reference import additive_mask\nadditive_mask = additive_mask(1)"
    says(one_definition(plot.chapter(code(both))), "assigns to additive_mask, a name that minib")
