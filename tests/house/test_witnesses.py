"""Two witnesses for every result: what a chapter types itself is held to something by an assert."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import Cell, Chapter, chapters
from planting import DOUBLE, code, says
from python_code import Definition, Function, bound, calls, exports

DRAWN = ("bertbook.core.palette", "bertbook.core.visualize")
DRAWING = {"picture", "explore", "stepwise", "html", "token_row", "bars", "matrix"}
Exports = dict[str, list[Definition]]


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
    drawing = DRAWING | {name for name, homes in package.items() if homes[0].module in DRAWN}
    drawn = _drawn(chapter)
    for cell in chapter.code:
        for node in cell.tree.body:
            if not isinstance(node, Function | ast.ClassDef) or node.name in package:
                continue
            free = (
                "solution" in cell.tags
                or _is_stub(node)
                or _only_prints(node)
                or node.name in str(cell.metadata.get("reason", ""))
                or node.name in drawn
                or _mentioned(node) & drawing
            )
            reached = _reach(flow, set().union(*asserted[cell.index :]))
            if not free and node.name not in reached:
                yield cell, node.name


def _flow(chapter: Chapter) -> tuple[dict[str, set[str]], list[set[str]]]:
    """Collect what each name is made from, and the names in the asserts of each cell."""
    flow: dict[str, set[str]] = {}
    asserted: list[set[str]] = [set() for _ in chapter.cells]
    asserting: set[str] = set()
    for cell in chapter.code:
        for statement in cell.tree.body:
            mentioned = _mentioned(statement)
            if isinstance(statement, Function | ast.ClassDef):
                flow.setdefault(statement.name, set()).update(mentioned)
                for name in _changed_inside(statement):
                    flow.setdefault(name, set()).add(statement.name)
                if _asserts(statement) or mentioned & asserting:
                    asserting.add(statement.name)
                continue
            for name in _changed(statement):
                flow.setdefault(name, set()).update(mentioned)
            # Calling a function that asserts something is as good as an assert.
            if mentioned & asserting or _asserts(statement):
                asserted[cell.index] |= mentioned
    return flow, asserted


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


def _mentioned(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _changed(statement: ast.stmt) -> set[str]:
    """Name what a statement assigns to, or changes in place as `list.append` does."""
    return {name for name, _ in bound([statement])} | _changed_inside(statement)


def _changed_inside(statement: ast.stmt) -> set[str]:
    """Name what a statement, or the body of a function, changes in place."""
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


def _reach(flow: dict[str, set[str]], start: set[str]) -> set[str]:
    """Follow names to all that they are made from."""
    reached, waiting = set(), set(start)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= flow.get(name, set()) - reached
    return reached


def _drawn(chapter: Chapter) -> set[str]:
    """Name everything that is handed to a figure."""
    shown = (call for cell in chapter.code for call in calls(cell.tree, *DRAWING))
    return set().union(*(_mentioned(call) for call in shown))


def _is_stub(node: Function | ast.ClassDef) -> bool:
    """Say whether a body is just `...`, or a method's is, for the reader to fill in."""
    if isinstance(node, ast.ClassDef):
        return any(_is_stub(inner) for inner in node.body if isinstance(inner, Function))
    last = node.body[-1]
    return isinstance(last, ast.Expr) and getattr(last.value, "value", None) is Ellipsis


def _only_prints(node: Function | ast.ClassDef) -> bool:
    """Say whether a function prints and returns nothing: the stored output is its witness."""
    returns = any(isinstance(inner, ast.Return) and inner.value for inner in ast.walk(node))
    return bool(calls(node, "print")) and not returns


def test_what_a_chapter_types_is_asserted(this_project):
    this_project.keeps(witnesses)


def plant(plot, *sources: str, **options) -> Path:
    plot.file("bertbook/corpus.py", DOUBLE)
    return plot.chapter("# A chapter", *(code(source, **options) for source in sources))


TWICE = "def twice(x):\n    return x + x"


@pytest.mark.parametrize(
    ("is_held", "sources"),
    [
        (True, [TWICE, "assert twice(1) == double(1)"]),
        (True, ["def draw(x):\n    axes.plot(x)\n    return picture(axes)"]),
        (True, [TWICE, "s = {}", "def watch(x):\n    s[x] = twice(x)", "watch(1)", "assert s"]),
        (False, [TWICE]),
        (False, ["assert twice(1) == 2", TWICE]),
        (False, [TWICE, "y = twice(1)", "print(y)", "assert z == 2"]),
    ],
)
def test_functions_with_and_without_a_witness(plot, is_held, sources):
    told = "defines twice, and no assert in this cell or a later one depends on it"
    says(witnesses(plant(plot, *sources)), "" if is_held else told)


def test_a_solution_or_a_reason_is_witness_enough(plot):
    assert witnesses(plant(plot, TWICE, tags=("solution",))) == []
    assert witnesses(plant(plot, TWICE, reason="twice prints only")) == []
    assert len(witnesses(plant(plot, TWICE, reason="its output depends on the machine"))) == 1
