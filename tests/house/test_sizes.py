"""Small files, small functions, no drawers for odds and ends, and nothing left for later."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import files, name_of, text_of
from planting import says
from python_code import Function, modules, parse

FILE_LINES, FILE_LIMIT = 250, 400
MEDIAN, MOST, LONGEST = 12, 30, 60
ONE_PAGE = Path("book", "bert.py")  # whole on purpose; its own test counts its lines
DRAWERS = {"utils", "common", "helpers", "misc", "scripts"}
LATER = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b")


def file_sizes(root: Path) -> list[str]:
    """Limit every Python file, and more so those that readers read.

    Docstrings are free there, and so are tables of texts, such as mistakes with their hints.
    """
    found = []
    for path in (path for path in files(root) if path.suffix == ".py"):
        total = len(path.read_text(encoding="utf-8").splitlines())
        inside = path.relative_to(root)
        may_be_long = inside.parts[0] == "tests" or inside == ONE_PAGE
        if total > FILE_LIMIT:
            found.append(f"{name_of(path, root)}: {total} lines, more than {FILE_LIMIT}. Split it.")
        elif not may_be_long and (lines := total - _free_lines(path)) > FILE_LINES:
            found.append(
                f"{name_of(path, root)}: {lines} lines without docstrings and tables of texts, "
                f"more than {FILE_LINES}. Split it where two ideas meet."
            )
    return found


def function_sizes(root: Path) -> list[str]:
    """Limit the functions of minibert: each of them, and the package as a whole."""
    lengths, found = [], []
    for path in modules(root).values():
        for function in _functions(parse(path)):
            length = function.end_lineno - function.lineno + 1 - _docstring_lines(function)
            lengths.append(length)
            if length > LONGEST:
                found.append(
                    f"{name_of(path, root)}:{function.lineno}: {function.name} has {length} lines "
                    f"without its docstring, more than {LONGEST}. Take it apart."
                )
    for share, limit in [(50, MEDIAN), (90, MOST)]:
        value = sorted(lengths)[len(lengths) * share // 100] if lengths else 0
        if value > limit:
            found.append(
                f"minibert: one in {100 // (100 - share)} functions has {value} lines or more; "
                f"{limit} are wanted at most. Take the longest ones apart."
            )
    return found


def drawers(root: Path) -> list[str]:
    """Refuse names that say nothing about what is inside."""
    return [
        f"{name_of(path, root)}: a file or folder called {part!r} collects what has no home. Name "
        "it after what it holds."
        for path in files(root)
        for part in sorted({Path(part).stem for part in path.relative_to(root).parts} & DRAWERS)
    ]


def left_for_later(root: Path) -> list[str]:
    """Refuse marks of unfinished work, in every file."""
    found = []
    for path in files(root):
        text = text_of(path)
        for mark in LATER.finditer(text):
            line = text.count("\n", 0, mark.start()) + 1
            found.append(
                f"{name_of(path, root)}:{line}: {mark.group()} marks unfinished work. Finish it, "
                "or open an issue and remove the mark."
            )
    return found


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _docstring_lines(node: ast.AST) -> int:
    """Count the lines of a docstring."""
    may_have = isinstance(node, Function | ast.ClassDef | ast.Module)
    if not may_have or not ast.get_docstring(node, clean=False):
        return 0
    return node.body[0].end_lineno - node.body[0].lineno + 1


def _free_lines(path: Path) -> int:
    """Count the lines of docstrings, and of dicts whose values are texts."""
    tables = (
        node.end_lineno - node.lineno - 1
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Dict) and node.values and all(map(_is_text, node.values))
    )
    docstrings = map(_docstring_lines, ast.walk(parse(path)))
    return sum(docstrings) + sum(lines for lines in tables if lines > 0)


def _is_text(node: ast.AST) -> bool:
    """Return whether an expression is a text, or the name of one."""
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_string or isinstance(node, ast.JoinedStr | ast.Name)


@pytest.mark.parametrize("rule", [file_sizes, function_sizes, drawers, left_for_later])
def test_this_project_keeps_it(this_project, rule):
    this_project.keeps(rule)


def function(lines: int, count: int = 1) -> str:
    """Write functions of so many lines besides their docstrings."""
    head = '    """Say.\n\n    More.\n    """\n'
    return "".join(f"def f{i}():\n{head}" + "    x = 1\n" * (lines - 1) for i in range(count))


TABLE_OF_TEXTS = "hints = {\n" + '    "a → b":\n        "A hint.",\n' * 60 + "}\n"
TABLE_OF_NUMBERS = "n = {\n" + "    1: 1,\n" * 98 + "}\n"
LONG_STORY = '"""Say.\n' + "words\n" * 50 + '"""\n' + "x = 1\n" * 198


@pytest.mark.parametrize(
    ("rule", "file", "text", "sentence"),
    [
        (file_sizes, "minibert/a.py", "x = 1\n" * 251, "251 lines without docstrings"),
        (file_sizes, "tests/a.py", "x = 1\n" * 401, "tests/a.py: 401 lines, more than 400"),
        (file_sizes, "tests/test_a.py", "x = 1\n" * 251, ""),
        (file_sizes, "minibert/a.py", LONG_STORY + TABLE_OF_TEXTS, ""),
        (file_sizes, "minibert/a.py", "x = 1\n" * 151 + TABLE_OF_NUMBERS, "251 lines"),
        (function_sizes, "minibert/a.py", function(2, 20) + function(60), ""),
        (function_sizes, "minibert/a.py", function(2, 20) + function(61), "f0 has 61 lines"),
        (function_sizes, "minibert/a.py", function(13, 9), "one in 2 functions has 13 lines"),
        (function_sizes, "minibert/a.py", function(2, 9) + function(31, 2), "one in 10 functions"),
        (drawers, "minibert/utils.py", "", "a file or folder called 'utils' collects"),
        (left_for_later, "a.py", "x\n# TO" + "DO: more\n", "a.py:2: TO" + "DO marks"),
    ],
)
def test_a_fault(plot, rule, file, text, sentence):
    says(rule(plot.file(file, text)), sentence)
