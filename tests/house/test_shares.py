"""How large minibert is, how much of its heart only checks arguments, what an exercise costs."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from planting import says
from python_code import called, parse

HEART = ("config", "inputs", "text", "losses", "embeddings", "attention", "layer", "heads", "model",
         "pretraining", "masking", "parts")  # fmt: skip
CHECKS, EXERCISE = 12, 45  # a share of the lines of code, in percent, and lines
LINES, CODE = 14_500, 8_000  # of minibert
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
CHECK = re.compile(r"_?(require|check)_\w+")


def size_of_minibert(root: Path) -> list[str]:
    """Limit the lines of minibert, and those that hold code: a BERT, and small."""
    paths = sorted((root / "minibert").rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    code = sum(len(_code_lines(path)) for path in paths)
    return [
        f"minibert: {count:,} {what}, more than {most:,}. What teaches belongs to bertbook; which "
        "option, wording or check has nobody asked for?"
        for what, count, most in (("lines", lines, LINES), ("lines of code", code, CODE))
        if count > most
    ]


def checks_of_arguments(root: Path) -> list[str]:
    """Limit the lines of the heart that only check arguments.

    These are all of inputs.py, what is imported from there and the calls of it, functions called
    `require_…` or `check_…`, and what only raises, with the conditions and loops around it.
    """
    paths = [path for name in HEART if (path := root / "minibert" / f"{name}.py").exists()]
    code = checks = 0
    for path in paths:
        lines = _code_lines(path)
        code += len(lines)
        checks += len(lines if path.stem == "inputs" else lines & {*_lines_of_checks(parse(path))})
    if 100 * checks <= CHECKS * code:
        return []
    return [
        f"minibert: {checks} of {code} lines of the heart only check arguments, more than "
        f"{CHECKS:.0f} %. Which checks say the same, or what PyTorch says as well?"
    ]


def lines_of_exercises(root: Path) -> list[str]:
    """Limit the lines of code of an exercise, on average over the modules that have some."""
    code = exercises = 0
    for path in sorted((root / "bertbook" / "checks").glob("*.py")):
        names = {name for node in parse(path).body for name in _names(node)}
        if found := [name for name in names if name.startswith("check_")]:
            exercises += len(found)
            code += len(_code_lines(path))
    if code <= EXERCISE * exercises:
        return []
    return [
        f"bertbook/checks: an exercise costs {code / exercises:.1f} lines of code, more than "
        f"{EXERCISE}. Which mistakes are forms of one slip, which hints could be a question?"
    ]


def _code_lines(path: Path) -> set[int]:
    """Number the lines that hold code: no comment, no docstring, not empty."""
    text = path.read_text(encoding="utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {
        line
        for token in tokens
        if token.type not in SILENT and token.string
        for line in range(token.start[0], token.end[0] + 1)
    }
    docs = (node.body[0] for node in ast.walk(parse(path)) if _has_docstring(node))
    return code - {line for doc in docs for line in range(doc.lineno, doc.end_lineno + 1)}


def _has_docstring(node: ast.AST) -> bool:
    may_have = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
    return may_have and ast.get_docstring(node, clean=False) is not None


def _lines_of_checks(node: ast.AST) -> Iterator[int]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and _only_checks(child):
            yield from range(child.lineno, child.end_lineno + 1)
        else:
            yield from _lines_of_checks(child)


def _only_checks(node: ast.stmt) -> bool:
    """Return whether a statement does nothing but check arguments."""
    match node:
        case ast.FunctionDef(name=name):
            return CHECK.fullmatch(name) is not None
        case ast.ImportFrom(module=module):
            return module is not None and module.endswith("inputs")
        case ast.Expr(value=ast.Call() as call):
            return CHECK.fullmatch(called(call)) is not None
        case ast.If(body=body, orelse=[]) | ast.For(body=body):
            *before, last = body
            named = all(isinstance(each, ast.Assign) or _only_checks(each) for each in before)
            return named and _only_checks(last)
    return isinstance(node, ast.Raise)


def _names(node: ast.stmt) -> list[str]:
    """Name what one statement of a module defines."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


@pytest.mark.parametrize("rule", [size_of_minibert, checks_of_arguments, lines_of_exercises])
def test_this_project_keeps_it(this_project, rule):
    this_project.keeps(rule)


def heart(checked: int) -> str:
    """Write a hundred lines of code, of which some only check."""
    check = 'if not x:\n    way = "y"\n    raise ValueError(way)\n'
    return '"""Say."""\n\n' + check * (checked // 3) + "x = 1  # why\n" * (100 - checked)


@pytest.mark.parametrize(
    ("rule", "file", "text", "sentence"),
    [
        (checks_of_arguments, "minibert/model.py", heart(12), ""),
        (checks_of_arguments, "minibert/model.py", heart(15), "15 of 100 lines of the heart only"),
        (checks_of_arguments, "minibert/inputs.py", "x = 1\n", "1 of 1 lines"),
        (checks_of_arguments, "minibert/text.py", "def _require_x():\n    x = 1\n", "2 of 2 lines"),
        (size_of_minibert, "minibert/a/b.py", "x = 1\n" * CODE + "# a\n" * (LINES - CODE), ""),
        (size_of_minibert, "minibert/a/b.py", "x = 1\n" * (CODE + 1), "8,001 lines of code, more"),
        (size_of_minibert, "minibert/a/b.py", "# a\n" * (LINES + 1), "14,501 lines, more than"),
        (lines_of_exercises, "bertbook/checks/a.py", "x = 1\n" * 44 + "check_a = 1\n", ""),
        (
            lines_of_exercises,
            "bertbook/checks/a.py",
            "x = 1\n" * 45 + "check_a = 1\n",
            "46.0",
        ),
    ],
)
def test_a_fault(plot, rule, file, text, sentence):
    says(rule(plot.file(file, text)), sentence)
