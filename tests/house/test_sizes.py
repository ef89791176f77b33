"""Small files, small functions, no drawers for odds and ends, and nothing left for later."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from book_tree import files, name_of, text_of
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


def docstring_sizes(root: Path) -> list[str]:
    """Limit the docstrings of minibert: on the whole no more lines than there are of code."""
    told = code = 0
    for path in modules(root).values():
        docs = _all_docstring_lines(path)
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        told += docs
        code += sum(bool(line) and line[0] != "#" for line in lines)
        code -= docs - _blank_docstring_lines(path)
    if told <= code:
        return []
    return [
        f"minibert: {told} lines of docstrings stand beside {code} of code. Shorten those of names "
        "that no chapter imports to a line or two."
    ]


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


def _all_docstring_lines(path: Path) -> int:
    return sum(_docstring_lines(node) for node in ast.walk(parse(path)))


def _free_lines(path: Path) -> int:
    """Count the lines of docstrings, and of dicts whose values are texts."""
    tables = (
        node.end_lineno - node.lineno - 1
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Dict) and node.values and all(map(_is_text, node.values))
    )
    return _all_docstring_lines(path) + sum(lines for lines in tables if lines > 0)


def _is_text(node: ast.AST) -> bool:
    """Return whether an expression is a text, or the name of one."""
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_string or isinstance(node, ast.JoinedStr | ast.Name)


def _blank_docstring_lines(path: Path) -> int:
    """Count the empty lines inside docstrings."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return sum(
        not lines[number].strip()
        for node in ast.walk(parse(path))
        if _docstring_lines(node)
        for number in range(node.body[0].lineno - 1, node.body[0].end_lineno)
    )


def test_files_are_small(this_project):
    this_project.keeps(file_sizes)


def test_functions_are_small(this_project):
    this_project.keeps(function_sizes)


def test_docstrings_are_no_longer_than_the_code(this_project):
    this_project.keeps(docstring_sizes)


def test_every_name_says_what_is_inside(this_project):
    this_project.keeps(drawers)


def test_nothing_is_left_for_later(this_project):
    this_project.keeps(left_for_later)


def test_files_that_are_too_long(plot):
    plot.file("minibert/long.py", "x = 1\n" * 251)
    plot.file("minibert/longest.py", '"""Say.\n' + "words\n" * 400 + '"""\n')
    plot.file("tests/test_long.py", "x = 1\n" * 251)
    plot.file("minibert/told.py", '"""Say.\n' + "words\n" * 200 + '"""\n' + "x = 1\n" * 198)
    rows = '    "a → b":\n        "A hint.",\n' * 60
    plot.file("minibert/table.py", "x = 1\n" * 248 + f"hints = {{\n{rows}}}\n")
    plot.file("minibert/numbers.py", "x = 1\n" * 151 + "n = {\n" + "    1: 1,\n" * 98 + "}\n")
    long, longest, numbers = file_sizes(plot.root)
    assert "minibert/long.py: 251 lines without docstrings and tables of texts" in long
    assert "minibert/numbers.py: 251 lines" in numbers
    assert "minibert/longest.py: 402 lines, more than 400" in longest


def _function(name: str, lines: int) -> str:
    return f"def {name}():\n" + '    """Say.\n\n    More.\n    """\n' + "    x = 1\n" * (lines - 1)


def test_a_function_that_is_too_long(plot):
    short = "".join(_function(f"short{i}", 2) for i in range(20))
    plot.file("minibert/long.py", _function("f", 60) + short)
    assert function_sizes(plot.root) == []
    plot.file("minibert/longer.py", _function("f", 61) + short)
    (sentence,) = function_sizes(plot.root)
    assert "minibert/longer.py:1: f has 61 lines without its docstring" in sentence


def test_functions_that_are_too_long_on_the_whole(plot):
    plot.file("minibert/medium.py", "".join(_function(f"f{i}", 13) for i in range(20)))
    (median,) = function_sizes(plot.root)
    assert "one in 2 functions has 13 lines or more; 12 are wanted" in median
    plot.file("minibert/medium.py", "".join(_function(f"f{i}", 2) for i in range(20)))
    plot.file("minibert/tail.py", "".join(_function(f"f{i}", 31) for i in range(5)))
    (tail,) = function_sizes(plot.root)
    assert "one in 10 functions has 31 lines or more; 30 are wanted" in tail


def test_docstrings_that_are_too_long(plot):
    plot.file("minibert/told.py", '"""Say.\n\nMore.\n"""\n\n# why\nx = 1\ny = 2\nz = 3\n')
    (sentence,) = docstring_sizes(plot.root)
    assert "4 lines of docstrings stand beside 3 of code" in sentence
    plot.file("minibert/more.py", "x = 1\n")
    assert docstring_sizes(plot.root) == []


def test_a_drawer(plot):
    plot.file("minibert/utils.py", "")
    plot.file("tests/helpers/one.py", "")
    utils, helpers = drawers(plot.root)
    assert "minibert/utils.py: a file or folder called 'utils' collects" in utils
    assert "tests/helpers/one.py: a file or folder called 'helpers' collects" in helpers


def test_a_mark_for_later(plot):
    plot.file("minibert/a.py", "x = 1\n# TO" + "DO: more\n")
    (sentence,) = left_for_later(plot.root)
    assert "minibert/a.py:2: TO" + "DO marks unfinished work" in sentence
    (plot.root / "picture.png").write_bytes(b"\x89\xff")
    assert len(left_for_later(plot.root)) == 1
