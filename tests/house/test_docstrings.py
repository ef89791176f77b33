"""Every public name says what it computes, in which shapes; its module names the chapter.

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
from book_tree import chapter_numbers, chapters, name_of
from numpydoc.hooks.validate_docstrings import AstValidator
from numpydoc.validate import ERROR_MSGS, validate
from planting import code
from prose import chapters_named
from python_code import PACKAGES, modules, parse

# No section "See Also", no extended summary where one line will do, and "integer" is a good word.
NUMPYDOC = set(ERROR_MSGS) - {"SA01", "ES01", "EX01", "PR06"}
WITH_EXAMPLES = ("minibert.reference", "bertbook.corpus", "minibert.losses")

# What may be wrong with a docstring of one line.
OF_A_LINE = {code for code in NUMPYDOC if code[:2] in ("GL", "SS")}

# A module is finished in one chapter and not reopened. These chapters finish these modules;
# modules that are not named here grow with the book.
FINISHED_IN = {
    "losses": {5, 12, 16, 18, 22}, "corpus": {5, 14, 16, 17, 18, 19, 21}, "text": {6},
    "wordpiece": {6, 18}, "config": {7}, "embeddings": {7}, "attention": {8}, "layer": {9},
    "model": {10}, "masking": {11}, "heads": {11}, "parts": {8}, "pretraining": {12}, "data": {13},
    "training": {13, 24}, "pretrained": {15}, "tasks": {15, 16, 17, 18}, "classify": {19},
    "analysis": {17, 18, 20, 21, 22}, "fast": {23}, "distillation": {23}, "family": {25},
}  # fmt: skip

ARRAYS = {"ndarray", "Tensor"}
SHAPED = {"Bool", "Float", "Int", "Integer", "Num", "Real", "Shaped", "UInt"}
DIMENSIONS = {
    *("batch", "seq", "hidden", "heads", "head_size", "intermediate", "vocab", "layers"),
    *("query", "key", "queries", "keys", "value_size", "in_size", "out_size"),
    *("words", "positions", "classes", "rows", "columns", "dim", "shape"),
}
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
    def is_method(self) -> bool:
        """Whether it belongs to a class."""
        return len(self.ancestry) > 1

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
    numbers, wanted = chapter_numbers(root), wanted_whole(root)
    with warnings.catch_warnings():
        # numpydoc warns of an unknown section, and then lists it with the other problems.
        warnings.filterwarnings("ignore", "Unknown section", UserWarning)
        return [
            f"{name_of(thing.path, root)}:{thing.node.lineno}: {thing.name}: {problem}."
            for thing in public(root)
            for problem in _problems(thing, numbers, (thing.module, thing.name) in wanted)
        ]


def wanted_whole(root: Path) -> set[tuple[str, str]]:
    """Name what readers meet: what a chapter imports; checkers ask their question in a line."""
    trees = [cell.tree for chapter in chapters(root) for cell in chapter.code]
    met = set(_imported(trees))
    return {
        (thing.module, thing.name)
        for thing in public(root)
        if thing.name in met and not thing.module.startswith("bertbook.checks")
    }


def _imported(trees: list[ast.Module]) -> Iterator[str]:
    """Yield the names that code imports from the package."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            yield from (alias.name for alias in node.names)


def _problems(thing: Public, numbers: set[int], wanted: bool) -> Iterator[str]:
    """Say what is wrong with one docstring."""
    reader = AstValidator(
        ast_node=thing.node, filename=thing.path, obj_name=thing.name, ancestry=thing.ancestry
    )
    if not reader.clean_doc:
        yield "has no docstring; write one in numpydoc sections, as its neighbors have"
        return
    brief = not wanted and "\n---" not in reader.clean_doc
    yield from _structure(thing, OF_A_LINE if brief else NUMPYDOC)
    if isinstance(thing.node, ast.ClassDef) and not brief:
        yield from _fields(thing, reader)
    yield from _shapes(thing, reader, brief)
    if not thing.is_method:
        yield from _references(thing, reader, numbers)
        if wanted and thing.module.startswith(WITH_EXAMPLES) and ">>>" not in reader.raw_doc:
            yield "has no Examples; add a short one with >>>, which the tests run"


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


def _fields(thing: Public, reader: AstValidator) -> Iterator[str]:
    """Compare the fields of a dataclass or named tuple with the parameters in its docstring."""
    fields = [name for name in thing.annotations if name[0] != "_"]
    told = [name for p in reader.doc["Parameters"] for name in p.name.split(", ")]
    if fields and told != fields:
        yield f"has the fields {', '.join(fields)}, but its Parameters are {', '.join(told)}"


def _shapes(thing: Public, reader: AstValidator, brief: bool) -> Iterator[str]:
    """Ask for a shape in each annotation of an array and in its line of the docstring, if any."""
    entries = {n: p.type for p in reader.doc["Parameters"] for n in p.name.split(", ")}
    for name, annotation in thing.annotations.items():
        what = "what it returns" if name == "return" else name
        if annotation is None:
            if name != "return":
                yield f"{name} has no annotation; say its type in the signature"
            continue
        yield from (f"{what}: {problem}" for problem in _annotation(annotation, thing))
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


def _annotation(annotation: ast.expr, thing: Public) -> Iterator[str]:
    """Find arrays whose shape is not given, and dimensions that are not words."""
    if isinstance(annotation, ast.Subscript):
        kind = getattr(annotation.value, "id", getattr(annotation.value, "attr", ""))
        if kind in SHAPED:
            yield from _dimensions(annotation.slice.elts[1].value, thing)
            return
    if getattr(annotation, "id", getattr(annotation, "attr", "")) in ARRAYS:
        yield 'annotate the array with its shape, `Float[np.ndarray, "batch seq"]`'
    for child in ast.iter_child_nodes(annotation):
        if isinstance(child, ast.expr):
            yield from _annotation(child, thing)


def _dimensions(shape: str, thing: Public) -> Iterator[str]:
    """Find dimensions that are neither numbers, nor parameters in braces, nor known words."""
    for dimension in shape.split():
        name = dimension.lstrip("*#?").strip("{}")
        known = name in thing.annotations if "{" in dimension else name in DIMENSIONS
        if not (known or name.isdigit() or name == "..."):
            yield (
                f"the dimension {dimension!r} is not in the list of words; use one of "
                f"{', '.join(sorted(DIMENSIONS))}, or add the word to DIMENSIONS in "
                f"{Path(__file__).name} and to book/notation.md"
            )


def _references(thing: Public, reader: AstValidator, numbers: set[int]) -> Iterator[str]:
    """Ask for the chapter that builds the thing."""
    module = ast.get_docstring(thing.ancestry[0]) or ""
    told = f"{module} {' '.join(reader.doc['References'])}"
    named = chapters_named(told)
    if not named:
        yield "its module names no chapter; end its docstring with the one that builds it"
    for number in sorted(named - numbers):
        yield f"its module names Chapter {number}, which is not in book/_toc.yml"
    parts = thing.module.split(".")
    expected = FINISHED_IN.get(parts[1])
    if named and expected and not named & expected:
        wanted = " or ".join(f"Chapter {number}" for number in sorted(expected))
        yield f"it names another chapter than the one of {thing.module}: {wanted}"


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

    References
    ----------
    Someone (2019). Chapter 5.

    Examples
    --------
    >>> loss(1)
    1
    """
    return logits.sum()


class Pair(NamedTuple):
    """Hold two numbers.

    Parameters
    ----------
    left, right : int
        A number.

    References
    ----------
    Chapter 5.

    Examples
    --------
    >>> Pair(1, 2)
    """

    left: int
    right: int

    def total(self) -> int:
        """Add the two.

        Returns
        -------
        int
            The sum.
        """
        return self.left + self.right
'''
TOC = "root: index\nparts:\n- chapters:\n  - file: chapters/02-b\n  - file: chapters/05-a\n"


def plant(plot, text: str, name: str = "losses") -> list[str]:
    plot.file("book/_toc.yml", TOC)
    return docstrings(plot.file(f"minibert/{name}.py", text))


def test_a_good_docstring(plot):
    assert plant(plot, GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('    """Compute the loss.', "    ", "loss: has no docstring"),
        ("Compute the loss.", "Computes the loss.", "infinitive verb, not third person"),
        ("    scale : float, default 1.0\n        Multiplies the result.\n", "", "scale"),
        ("        Nats.\n", "", "Return value has no description (RT03)"),
        ("shape (batch, vocab)", "large", "logits: give the shape in the line of the type"),
        ("-> float:", '-> Float[np.ndarray, "batch"]:', "what it returns: give the shape"),
        ("scale: float = 1.0", "scale=1.0", "scale has no annotation"),
        ('Float[np.ndarray, "batch vocab"]', "np.ndarray | None", "logits: annotate the array"),
        ('"batch vocab"', '"B vocab"', "logits: the dimension 'B' is not in the list of words"),
        ('"batch vocab"', '"batch {size}"', "logits: the dimension '{size}'"),
        ("Someone (2019). Chapter 5.", "Someone (2019).", "its module names no chapter"),
        ("(2019). Chapter 5.", "(2019). Chapter 5. Chapter 6.", "Chapter 6, which is not in"),
        ("Someone (2019). Chapter 5.", "Chapter 2.", "another chapter than the one of minibert"),
        ("Returns\n    -------", "Gives\n    -----", 'Found unknown section "Gives"'),
        ("left, right : int", "left : int", "Pair: has the fields left, right, but its Parameters"),
        ("Chapter 5.\n\n    Examples\n    --------\n    >>> Pair", ">>> Pair", "Pair: its module"),
        ('"""Add the two.', '"""Add the two', "Pair.total: Summary does not end"),
    ],
)  # fmt: skip
def test_a_fault(plot, old, new, problem):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if new == "    ":  # the whole docstring goes
        text = re.sub(r'\n    \n.*?"""\n', "\n", text, count=1, flags=re.DOTALL)
    sentences = plant(plot, text)
    assert any(problem in sentence for sentence in sentences), sentences
    assert all(s.startswith("minibert/losses.py:") for s in sentences)


def test_what_a_chapter_imports_needs_every_section(plot):
    plot.chapter("# A\n\nText.", code("from minibert.losses import loss"), number=5)
    assert plant(plot, GOOD) == []
    (sentence,) = plant(plot, GOOD.replace(">>> loss(1)\n    1", "Call it."))
    assert "loss: has no Examples" in sentence
    brief = re.sub(r'"""Compute the loss.*?"""', '"""Compute the loss."""', GOOD, flags=re.DOTALL)
    assert any("loss: No Returns section" in sentence for sentence in plant(plot, brief))


def test_elsewhere_a_line_is_enough(plot):
    brief = re.sub(r'"""Compute the loss.*?"""', '"""Compute the loss."""', GOOD, flags=re.DOTALL)
    assert plant(plot, brief.replace('"""Losses."""', '"""Losses. Chapter 5."""')) == []


def test_what_needs_no_docstring(plot):
    private = "def _hidden(x):\n    return x\n\n\nclass A:\n"
    documented = '    """Hold.\n\n    References\n    ----------\n    Chapter 2.\n    """\n'
    methods = "    def __repr__(self):\n        return ''\n\n    def _hidden(self): ...\n"
    assert plant(plot, private + documented + methods, "visualize") == []
