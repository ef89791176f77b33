"""Every public name says what it computes, in which shapes.

What a chapter imports has all sections of numpydoc. Elsewhere one or two lines are enough; sections
that are there all the same must be right.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from book_tree import chapters, name_of
from numpydoc.hooks.validate_docstrings import AstValidator
from numpydoc.validate import ERROR_MSGS, validate
from planting import code
from python_code import PACKAGES, modules, parse

# No section "See Also", no extended summary where one line will do, and "integer" is a good word.
NUMPYDOC = set(ERROR_MSGS) - {"SA01", "ES01", "EX01", "PR06"}

# What may be wrong with a docstring of one line.
OF_A_LINE = {code for code in NUMPYDOC if code[:2] in ("GL", "SS")}

ARRAYS = {"ndarray", "Tensor"}
SHAPED = {"Bool", "Float", "Int", "Integer", "Num", "Real", "Shaped", "UInt"}
SHAPE = re.compile(r"shape|broadcast|\[.*\"", re.DOTALL)


class Public(NamedTuple):
    """A public function, class or method, and the way to it."""

    module: str
    path: Path
    node: ast.FunctionDef | ast.ClassDef
    ancestry: tuple[ast.AST, ...]

    @property
    def name(self) -> str:
        """The name, after that of its class."""
        names = [node.name for node in self.ancestry if isinstance(node, ast.ClassDef)]
        return ".".join([*names, self.node.name])

    @property
    def annotations(self) -> dict[str, ast.expr | None]:
        """The annotation of each parameter, and of what is returned."""
        if isinstance(self.node, ast.ClassDef):
            fields = [item for item in self.node.body if isinstance(item, ast.AnnAssign)]
            return {item.target.id: item.annotation for item in fields}
        given = self.node.args
        named = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
        found = {arg.arg: arg.annotation for arg in named if arg and arg.arg not in ("self", "cls")}
        return found | {"return": self.node.returns}


def public(root: Path) -> Iterator[Public]:
    """Find every public function, class and method of the package."""
    for module, path in modules(root).items():
        tree = parse(path)
        for node in _visible(tree):
            yield Public(module, path, node, (tree,))
            if isinstance(node, ast.ClassDef):
                yield from (Public(module, path, item, (tree, node)) for item in _visible(node))


def _visible(node: ast.Module | ast.ClassDef) -> list[ast.FunctionDef | ast.ClassDef]:
    kinds = ast.FunctionDef | ast.ClassDef
    return [item for item in node.body if isinstance(item, kinds) and item.name[0] != "_"]


def docstrings(root: Path) -> list[str]:
    """Read every docstring as numpydoc does, and then with the rules of this book."""
    wanted = wanted_whole(root)
    with warnings.catch_warnings():
        # numpydoc warns of an unknown section, and then lists it with the other problems.
        warnings.filterwarnings("ignore", "Unknown section", UserWarning)
        return [
            f"{name_of(thing.path, root)}:{thing.node.lineno}: {thing.name}: {problem}."
            for thing in public(root)
            for problem in _problems(thing, (thing.module, thing.name) in wanted)
        ]


def wanted_whole(root: Path) -> set[tuple[str, str]]:
    """Name what readers meet: what a chapter imports; checkers ask their question in a line."""
    trees = [cell.tree for chapter in chapters(root) for cell in chapter.code]
    met = set(_imported(trees))
    return {
        (thing.module, thing.name)
        for thing in public(root)
        if thing.name in met and not thing.name.startswith("check_")
    }


def _imported(trees: list[ast.Module]) -> Iterator[str]:
    """Yield the names that code imports from the package."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            yield from (alias.name for alias in node.names)


def _problems(thing: Public, wanted: bool) -> Iterator[str]:
    """Say what is wrong with one docstring."""
    reader = AstValidator(
        ast_node=thing.node, filename=thing.path, obj_name=thing.name, ancestry=thing.ancestry
    )
    if not reader.clean_doc:  # ruff asks for one
        return
    brief = not wanted and "\n---" not in reader.clean_doc
    yield from _structure(thing, OF_A_LINE if brief else NUMPYDOC)
    yield from _shapes(thing, reader, brief)


def _structure(thing: Public, checks: set[str]) -> Iterator[str]:
    """Let numpydoc read."""
    # numpydoc does not know that the fields of a dataclass are its parameters.
    skipped = {"PR02"} if isinstance(thing.node, ast.ClassDef) else set()
    report = validate(
        thing.name,
        AstValidator,
        ast_node=thing.node,
        filename=thing.path,
        ancestry=thing.ancestry,
    )
    for check, problem in report["errors"]:
        if check in checks - skipped:
            yield f"{problem.rstrip('.')} ({check})"


def _shapes(thing: Public, reader: AstValidator, brief: bool) -> Iterator[str]:
    """Ask for a shape in each annotation of an array and in its line of the docstring, if any."""
    entries = {n: p.type for p in reader.doc["Parameters"] for n in p.name.split(", ")}
    for name, annotation in thing.annotations.items():
        what = "what it returns" if name == "return" else name
        if annotation is None:
            if name != "return":
                yield f"{name} has no annotation; say its type in the signature"
            continue
        yield from (f"{what}: {problem}" for problem in _annotation(annotation))
        if brief or not _is_array(annotation):
            continue
        lines = [entries.get(name, "")]
        if name == "return":
            lines = [entry.type for entry in reader.doc["Returns"]]
        if not all(SHAPE.search(line) for line in lines):
            yield f"{what}: give the shape in the line of the type, `float array, shape (..., n)`"


def _is_array(annotation: ast.expr) -> bool:
    names = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(annotation)}
    return bool(names & ARRAYS)


def _annotation(annotation: ast.expr) -> Iterator[str]:
    """Find arrays whose shape is not given."""
    if isinstance(annotation, ast.Subscript):
        kind = getattr(annotation.value, "id", getattr(annotation.value, "attr", ""))
        if kind in SHAPED:
            return
    if getattr(annotation, "id", getattr(annotation, "attr", "")) in ARRAYS:
        yield 'annotate the array with its shape, `Float[np.ndarray, "batch seq"]`'
    for child in ast.iter_child_nodes(annotation):
        if isinstance(child, ast.expr):
            yield from _annotation(child)


def test_docstrings(this_project):
    this_project.keeps(docstrings)


GOOD = '''
"""Losses."""

import numpy as np
from jaxtyping import Float


def loss(logits: Float[np.ndarray, "batch vocab"], *, scale: float = 1.0) -> float:
    """Compute the loss.

    ``loss = sum(logits)``.

    Parameters
    ----------
    logits : float array, shape (batch, vocab)
        One score per entry.
    scale : float, default 1.0
        Multiplies the result.

    Returns
    -------
    float
        Nats.
    """
    return logits.sum()

'''


def plant(plot, text: str) -> list[str]:
    return docstrings(plot.file("minibert/losses.py", text))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("    scale : float, default 1.0\n        Multiplies the result.\n", "", "scale"),
        ("shape (batch, vocab)", "large", "logits: give the shape in the line of the type"),
        ("-> float:", '-> Float[np.ndarray, "batch"]:', "what it returns: give the shape"),
        ("scale: float = 1.0", "scale=1.0", "scale has no annotation"),
        ('Float[np.ndarray, "batch vocab"]', "np.ndarray | None", "logits: annotate the array"),
        ("Returns\n    -------", "Gives\n    -----", 'Found unknown section "Gives"'),
    ],
)  # fmt: skip
def test_a_fault(plot, old, new, problem):
    assert old in GOOD
    sentences = plant(plot, GOOD.replace(old, new, 1))
    assert any(problem in sentence for sentence in sentences), sentences


BRIEF = re.sub(r'"""Compute the loss.*?"""', '"""Compute the loss."""', GOOD, flags=re.DOTALL)


def test_what_a_chapter_imports_needs_every_section_and_elsewhere_a_line_is_enough(plot):
    private = "def _hidden(x):\n    return x\n"
    assert plant(plot, GOOD) == plant(plot, BRIEF + private) == []
    plot.chapter("# A\n\nText.", code("from minibert.losses import loss"))
    assert plant(plot, GOOD) == []
    assert any("loss: No Returns section" in sentence for sentence in plant(plot, BRIEF))
