"""What a program takes out of a chapter by `chapter_definitions` is there, and called as it is.

The names come at run time, so neither a linter nor a type checker sees that a chapter lost one.
"""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace

import pytest
from book_tree import ROOT
from python_code import parse

FAR = ("__", "mutants")  # nothing is taken there, and the mutants need cosmic-ray


def misfits(tree: ast.Module, names: dict[str, object]) -> Iterator[str]:
    """Say of each attribute and each call what the definitions of a chapter do not have or take."""
    for node in ast.walk(tree):
        call = node if isinstance(node, ast.Call) else None
        taken = call.func if call else node
        if not isinstance(taken, ast.Attribute):
            continue
        owner, *rest = ast.unparse(taken.value).split(".")
        chapter = names.get(owner)
        for name in rest:
            chapter = getattr(chapter, name, None)
        if not isinstance(chapter, SimpleNamespace) or "__builtins__" not in vars(chapter):
            continue
        if not hasattr(chapter, taken.attr):
            yield f"{node.lineno}: {taken.attr} is not defined at the top level of a cell"
        elif call and not _fits(call, getattr(chapter, taken.attr)):
            yield f"{node.lineno}: {taken.attr} is called with other arguments than it takes"


def _fits(call: ast.Call, function: object) -> bool:
    """Say whether the arguments of a call fit a function of a chapter; those of *values do."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    if starred or not all(word.arg for word in call.keywords) or not inspect.isfunction(function):
        return True
    try:
        inspect.signature(function).bind(*call.args, **{word.arg: word for word in call.keywords})
    except TypeError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
def test_what_is_taken_from_chapters_is_there():
    found = []
    for path in sorted((ROOT / "benchmarks").rglob("*.py")):
        if not path.stem.startswith(FAR):
            module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            found += [f"{module.__name__}:{one}" for one in misfits(parse(path), vars(module))]
    assert found == []


@pytest.mark.parametrize(
    ("taken", "count"), [("two.typed.double(1)", 0), ("halve", 1), ("double(1, 2)", 1)]
)
def test_a_program_that_takes(taken, count):
    names = {}
    exec("def double(x, *, by=2):\n    return by * x", names)
    typed = SimpleNamespace(**names)
    code = taken if "." in taken else f"typed.{taken}"
    given = {"typed": typed, "two": SimpleNamespace(typed=typed)}
    assert len([*misfits(ast.parse(code), given)]) == count
