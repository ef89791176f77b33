"""The packages can be read from top to bottom: a file imports only from rows above it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from book_tree import name_of
from planting import says
from python_code import PACKAGES, imported, modules, parse

ANYTHING = frozenset({"*"})

# The packages, from the one that imports none of the others to the one that may import all.
# What each module or folder of one may import from its own package stands below. Islands import
# nothing of ours, so that they stay witnesses of their own.
MAY_IMPORT = {
    "minibert": {
        "reference": frozenset(),
        "disk": frozenset(),
        "text_files": frozenset(),
        "inputs": frozenset(),
        "config": frozenset({"inputs"}),
        "parts": frozenset(),
        "signature": frozenset(),
        "text": frozenset({"text_files"}),
        "losses": frozenset({"inputs"}),
        "wordpiece": frozenset({"disk", "parts", "text", "text_files", "inputs"}),
        "masking": frozenset({"inputs", "losses"}),  # the one -100, written and read
        "embeddings": frozenset({"config", "inputs", "parts"}),
        "attention": frozenset({"config", "inputs", "parts"}),
        "heads": frozenset({"config", "inputs", "parts"}),
        "layer": frozenset({"config", "parts", "attention"}),
        "data": frozenset({"parts", "masking", "text_files", "inputs", "wordpiece"}),
        "model": frozenset({"config", "inputs", "parts", "embeddings", "attention", "layer"}),
        "pretraining": frozenset({"config", "parts", "signature", "heads", "model", "losses"}),
        "training": frozenset({"disk", "losses", "inputs"}),  # the one -100
        "tasks": frozenset(
            {
                *("config", "parts", "signature", "data", "heads", "losses", "model", "inputs"),
                "wordpiece",
            }
        ),
        "loading": frozenset(
            {
                *("config", "inputs", "parts", "disk", "model", "pretraining"),
                *("tasks", "training", "wordpiece"),
            }
        ),
        "fast": ANYTHING,
    },
    "bertfamily": {
        "": ANYTHING,  # the package hands its members on
        "differences": frozenset(),
        "roberta": frozenset({"differences"}),
        "distilbert": frozenset({"differences"}),
        "albert": frozenset({"differences"}),
        "electra": frozenset({"differences"}),
        "deberta_v2": frozenset({"differences"}),
        "modernbert_config": frozenset({"differences"}),
        "modernbert": frozenset({"differences", "modernbert_config"}),
    },
    "berttools": {
        "cli": frozenset(),
        "pretrain": frozenset({"cli"}),
        "fill": frozenset({"cli"}),
        "classify": frozenset({"cli"}),
        "grade": frozenset({"cli"}),
        "__main__": ANYTHING,
    },
    "bertbook": {
        "records": frozenset(),
        "live": frozenset(),
        "corpus": frozenset(),
        "core": frozenset({"corpus", "records"}),
        "museum": frozenset({"core"}),
        "reader": frozenset({"core"}),
        "topics": ANYTHING,
    },
}
ORDER = [*MAY_IMPORT]
BY_STRING = "from importlib import import_module;"
SLOW = ("torch", "matplotlib", "IPython", "ipywidgets")


def import_order(root: Path) -> list[str]:
    """Hold every import inside the packages to the table."""
    found = []
    for module, path in modules(root).items():
        (package, row), file = _row(module), name_of(path, root)
        if row and row not in MAY_IMPORT[package]:
            found.append(
                f"{file}: the table of imports has no row {row!r}. Add one to MAY_IMPORT in "
                f"{Path(__file__).name}, in the order in which the book builds the package."
            )
            continue
        for line, other in [*imported(module, path), *_named(path, modules(root))]:
            if not _may(package, row, other):
                found.append(f"{file}:{line}: imports {other}, but {_way_out(package, row)}")
    return found


def _may(package: str, row: str, other: str) -> bool:
    """Say whether a row of a package may import a module."""
    its_package, its_row = _row(other)
    if its_package != package:
        return ORDER.index(its_package) < ORDER.index(package) and bool(row)
    allowed = MAY_IMPORT[package].get(row, frozenset())
    return bool(row and its_row == row) or bool({"*", its_row} & allowed)


def _way_out(package: str, row: str) -> str:
    """Say what may be imported, and what to do."""
    if not row:
        return (
            f"`import {package}` must load nothing else. Let readers import from the module itself."
        )
    names = ", ".join(sorted(MAY_IMPORT[package][row])) or f"nothing of {package}"
    return (
        f"{package}.{row} may import {names}. Move the code to the module that may, or pass what "
        "you need as an argument."
    )


def _row(module: str) -> tuple[str, str]:
    """Name the package and the row of the table a module belongs to; no row for a package."""
    package, row, *_ = [*module.split("."), ""]
    return package, row


def _named(path: Path, ours: dict) -> Iterator[tuple[int, str]]:
    """Yield line and name of every module that a string names, where a file imports by name."""
    if "import_module" not in path.read_text(encoding="utf-8"):
        return
    strings = (node for node in ast.walk(parse(path)) if isinstance(node, ast.Constant))
    for node in strings:
        written = [f"{before}{node.value}" for before in ("", *(f"{each}." for each in PACKAGES))]
        ways = {name for full in written for name in (full, full.rpartition(".")[0])}
        yield from ((node.lineno, name) for name in sorted(ways & set(ours) - set(PACKAGES)))


def quick_import(root: Path, package: str = "minibert") -> list[str]:
    """Import the package in a new Python and see which slow libraries came along."""
    program = f"import sys, {package}\nprint(*[name for name in {SLOW!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    return [
        f"{package}/__init__.py: `import {package}` also loads {name}, which takes long. Import "
        f"{name} in the module that needs it."
        for name in done.stdout.split()
    ]


def test_imports_follow_the_table(this_project):
    this_project.keeps(import_order)


@pytest.mark.parametrize("package", ["minibert", "berttools", "bertbook"])
def test_importing_a_package_is_quick(this_project, package):
    this_project.keeps(partial(quick_import, package=package))


@pytest.mark.parametrize(
    ("file", "line", "problem"),
    [
        ("minibert/magic.py", "import numpy", "the table of imports has no row 'magic'"),
        ("minibert/model.py", "import minibert.pretraining", "attention, config, embeddings, inpu"),
        ("minibert/reference/masks.py", "from ..pretraining import x", "nothing of minibert"),
        ("minibert/__init__.py", "from .pretraining import x", "load nothing else"),
        ("minibert/model.py", "from bertbook import corpus", "imports bertbook.corpus"),
        ("minibert/layer.py", f'{BY_STRING} OURS = "model.BertModel"', "layer.py:1: imports mini"),
        ("minibert/reference/layers.py", "from .masks import causal_mask\nimport numpy, torch", ""),
        ("bertbook/core/figures.py", "from .html import Html\nimport bertbook.corpus", ""),
    ],
)
def test_imports_that_are_allowed_and_not(plot, file, line, problem):
    plot.file("minibert/model.py", "")
    says(import_order(plot.file(file, line)), problem)
