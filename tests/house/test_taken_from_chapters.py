"""What a program takes out of a chapter by `chapter_definitions` is there, and called as it is.

The names come at run time, so neither a linter nor a type checker sees that a chapter lost one.
"""

import ast
import copy
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import ROOT, chapters, files, name_of
from planting import code, says
from python_code import called, parse

READER = "chapter_definitions"
Bound = dict[str, str]  # names of a program, and of which chapter each has the definitions
Typed = dict[str, ast.AST]  # names of a chapter, and the statements that define them


def taken_from_chapters(root: Path) -> list[str]:
    """Hold what programs take to what the chapters define."""
    typed = {chapter.path.stem: _typed(chapter) for chapter in chapters(root)}
    folders = {root / "benchmarks", root / "tests"}
    paths = [p for p in files(root) if p.suffix == ".py" and folders & {*p.parents}]
    bound = {path: dict(_bound(parse(path))) for path in paths}
    found = []
    for path in paths:
        known = bound[path] | dict(_imported(path, root, bound))
        where = name_of(path, root)
        for node in ast.walk(parse(path)):
            found += [f"{where}:{sentence}" for sentence in _problems(node, known, typed)]
    return found


def _typed(chapter) -> Typed:
    """Find what a chapter imports and defines at the top level of its cells."""
    found: Typed = {}
    for cell in chapter.code:
        for node in getattr(cell.tree, "body", ()):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(n.asname or n.name).partition(".")[0]: node for n in node.names}
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = node
    return found


def _bound(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each name that gets the definitions of a chapter, and which chapter."""
    constants: Bound = {}
    for name, value in _assigned(tree):
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            constants[name] = value.value
        if chapter := _chapter_of(value, constants):
            yield name, chapter


def _chapter_of(value: ast.expr, constants: Bound) -> str | None:
    """Tell the chapter whose definitions an expression reads; None if it is another one."""
    if isinstance(value, ast.Call) and called(value) == READER and len(value.args) == 1:
        (chapter,) = value.args
        if isinstance(chapter, ast.Constant):
            return str(chapter.value)
        return constants.get(ast.unparse(chapter))
    return None


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield names and what they get, in pairs if there are several on both sides."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs = zip(target.elts, value.elts) if both else [(target, value)]
            yield from ((one.id, given) for one, given in pairs if isinstance(one, ast.Name))


def _imported(path: Path, root: Path, bound: dict[Path, Bound]) -> Iterator[tuple[str, str]]:
    """Yield such names that a program imports from another, alone or with its module."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.ImportFrom):
            folder = path.parents[node.level - 1] if node.level else root
            source = folder.joinpath(*(node.module or "").split("."))
            for alias in node.names:
                name = alias.asname or alias.name
                one = bound.get(source.with_suffix(".py"), {})
                if alias.name in one:
                    yield name, one[alias.name]
                module = bound.get(source / f"{alias.name}.py", {})
                yield from ((f"{name}.{inner}", chapter) for inner, chapter in module.items())


def _problems(node: ast.AST, known: Bound, typed: dict[str, Typed]) -> Iterator[str]:
    """Say of an attribute or a call what the chapter does not have, or does not take."""
    target = node.func if isinstance(node, ast.Call) else node
    if not isinstance(target, ast.Attribute) or not isinstance(target.ctx, ast.Load):
        return
    chapter = known.get(ast.unparse(target.value)) or _chapter_of(target.value, {})
    if chapter is None:
        return
    definition = typed.get(chapter, {}).get(target.attr)
    if isinstance(node, ast.Attribute) and definition is None:
        yield (
            f"{node.lineno} takes {node.attr} from {chapter}, which does not define it at the top "
            "level of a cell. Take what it has now, or nothing."
        )
    if isinstance(node, ast.Call) and isinstance(definition, ast.FunctionDef):
        yield from _misfit(node, definition, chapter)


def _misfit(call: ast.Call, function: ast.FunctionDef, chapter: str) -> Iterator[str]:
    """Say why the arguments of a call do not fit the function, if they do not."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(not k.arg for k in call.keywords):
        return
    try:
        _signature(function).bind(*call.args, **{word.arg: word for word in call.keywords})
    except TypeError as error:
        signature = f"{function.name}({ast.unparse(function.args)})"
        yield f"{call.lineno} calls {signature} of {chapter} with other arguments: {error}."


def _signature(function: ast.FunctionDef) -> inspect.Signature:
    """Read the signature of a function, of which neither defaults nor annotations are run."""
    arguments = copy.deepcopy(function.args)
    for node in ast.walk(arguments):
        if isinstance(node, ast.arg):
            node.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
    return inspect.signature(eval(f"lambda {ast.unparse(arguments)}: None"))


def test_what_is_taken_from_chapters_is_there(this_project):
    this_project.keeps(taken_from_chapters)


def test_enough_is_looked_at():
    path = ROOT / "benchmarks" / "tag_and_answer.py"
    assert dict(_bound(parse(path))) == {"tag": "17-tag", "answering": "18-answer"}
    assert dict(_imported(ROOT / "benchmarks" / "search_runs.py", ROOT, {
        ROOT / "benchmarks" / "search.py": {"chapter": "22-search-by-meaning"},
    })) == {"chapter": "22-search-by-meaning"}  # fmt: skip


CHAPTER = "import torch\n\n\ndef double(x, *, by=2):\n    return by * x\n\n\nclass Toy:\n    pass"
PROGRAM = "typed = chapter_definitions('02-a-chapter')\ntyped.{}"
TAKEN = "benchmarks/two.py:2 takes halve from 02-a-chapter, which does not define it"
MISFIT = "benchmarks/two.py:2 calls double(x, *, by=2) of 02-a-chapter with other arguments: "


@pytest.mark.parametrize(
    ("taken", "sentence"),
    [
        ("double(1)", ""),
        ("double(1, by=3)", ""),
        ("double(*pair)", ""),
        ("torch.ones(3), typed.Toy()", ""),
        ("halve(1)", TAKEN),
        ("double(1, 2)", MISFIT + "too many positional arguments"),
        ("double(1, to=2)", MISFIT + "got an unexpected keyword argument 'to'"),
        ("double()", MISFIT + "missing a required argument: 'x'"),
    ],
)
def test_a_program_that_takes(plot, taken, sentence):
    plot.chapter("# A chapter", code(CHAPTER))
    says(taken_from_chapters(plot.file("benchmarks/two.py", PROGRAM.format(taken))), sentence)


@pytest.mark.parametrize(
    "program",
    [
        "from .two import typed\ntyped.halve",
        "from . import two\ntwo.typed.halve",
        "from benchmarks import two as other\nother.typed.halve",
        "halve = chapter_definitions('02-a-chapter').halve",
        "NAME = '02-a-chapter'\nmine, NUMBER = chapter_definitions(NAME), 3\nmine.halve",
    ],
)
def test_a_program_that_takes_it_by_another_way(plot, program):
    plot.chapter("# A chapter", code(CHAPTER))
    plot.file("benchmarks/two.py", PROGRAM.format("double"))
    root = plot.file("benchmarks/three.py", program)
    says(taken_from_chapters(root), "takes halve from 02-a-chapter")
