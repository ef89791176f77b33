"""The package can be read from top to bottom: a file imports only from rows above it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import name_of
from python_code import modules, parse

ANYTHING = frozenset({"*"})

# What each module or folder of minibert may import from the others. Islands import nothing of
# minibert, so that they stay witnesses of their own.
MAY_IMPORT = {
    "reference": frozenset(),
    "palette": frozenset(),
    "visualize": frozenset({"palette"}),
    "disk": frozenset(),
    "text_files": frozenset(),
    "whole_numbers": frozenset(),
    "config": frozenset({"whole_numbers"}),
    "parts": frozenset({"config"}),
    "text": frozenset({"text_files"}),
    "losses": frozenset(),
    "wordpiece": frozenset({"disk", "parts", "text", "text_files", "whole_numbers"}),
    "masking": frozenset({"losses"}),  # the one -100, for those who write labels and read them
    "embeddings": frozenset({"config", "parts"}),
    "attention": frozenset({"config", "parts"}),
    "heads": frozenset({"config", "parts"}),
    "layer": frozenset({"config", "parts"}),
    "corpus": frozenset({"text_files"}),
    "data": frozenset({"parts", "text_files", "whole_numbers", "wordpiece"}),
    "model": frozenset({"config", "parts", "attention"}),
    "pretraining": frozenset({"config", "parts", "model", "losses"}),
    "training": frozenset({"disk", "losses", "whole_numbers"}),  # the one -100
    "tasks": frozenset(
        {"config", "parts", "data", "losses", "model", "whole_numbers", "wordpiece"}
    ),
    "family": frozenset(
        {"config", "parts", "embeddings", "attention", "heads", "losses", "model"}
        | {"pretraining", "tasks", "whole_numbers"}
    ),
    "pretrained": frozenset(
        {"config", "parts", "disk", "model", "pretraining", "tasks", "family", "training"}
        | {"wordpiece"}
    ),
    "analysis": frozenset({"model"}),
    "fast": ANYTHING,
    "pretrain": ANYTHING,
    "fill": ANYTHING,
    "checks": ANYTHING,
    "notebook": ANYTHING,
}
SLOW = ("torch", "matplotlib", "IPython", "ipywidgets")


def import_order(root: Path) -> list[str]:
    """Hold every import inside minibert to the table."""
    found = []
    for module, path in modules(root).items():
        row, file = _row(module), name_of(path, root)
        if row and row not in MAY_IMPORT:
            found.append(
                f"{file}: the table of imports has no row {row!r}. Add one to MAY_IMPORT in "
                f"{Path(__file__).name}, in the order in which the book builds the package."
            )
            continue
        for line, other in _imported(module, path):
            if _row(other) == row:
                continue
            allowed = MAY_IMPORT[row] if row else frozenset()
            if allowed != ANYTHING and _row(other) not in allowed:
                names = ", ".join(sorted(allowed)) or "nothing of minibert"
                found.append(
                    f"{file}:{line}: imports {other}, but minibert.{row} may import {names}. Move "
                    "the code to the module that may, or pass what you need as an argument."
                    if row
                    else f"{file}:{line}: imports {other}, but `import minibert` must load nothing "
                    "else. Let readers import from the module itself."
                )
    return found


def _row(module: str) -> str:
    """Name the row of the table a module belongs to; empty for minibert itself."""
    return [*module.split("."), ""][1]


def _imported(module: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and name of every module of minibert that a file imports, wherever it does."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*up, *([node.module] if node.module else [])])
            # `from minibert import corpus` imports minibert.corpus.
            names = [f"{base}.{alias.name}" if base == "minibert" else base for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "minibert")


def quick_import(root: Path, package: str = "minibert") -> list[str]:
    """Import the package in a new Python and see which slow libraries came along."""
    program = f"import sys, {package}\nprint(*[name for name in {SLOW!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    return [
        f"minibert/__init__.py: `import {package}` also loads {name}, which takes long. Import "
        f"{name} in the module that needs it."
        for name in done.stdout.split()
    ]


def test_imports_follow_the_table(this_project):
    this_project.keeps(import_order)


def test_importing_minibert_is_quick(this_project):
    this_project.keeps(quick_import)


def test_a_module_that_is_not_in_the_table(plot):
    (sentence,) = import_order(plot.file("minibert/magic.py", "import numpy"))
    assert "minibert/magic.py" in sentence
    assert "has no row 'magic'" in sentence


@pytest.mark.parametrize(
    ("file", "line", "allowed"),
    [
        (
            "minibert/model.py",
            "import minibert.pretraining",
            "attention, config, parts",
        ),
        (
            "minibert/model.py",
            "from minibert import pretraining",
            "attention, config, parts",
        ),
        (
            "minibert/model.py",
            "from minibert.pretraining import Bert",
            "attention, config, parts",
        ),
        (
            "minibert/model.py",
            "from .pretraining import Bert",
            "attention, config, parts",
        ),
        ("minibert/model.py", "from . import pretraining", "attention, config, parts"),
        ("minibert/model.py", "def late():\n    import minibert.pretraining", "config"),
        ("minibert/reference/masks.py", "from ..pretraining import x", "nothing of minibert"),
        ("minibert/reference/masks.py", "from minibert import pretraining", "nothing of minibert"),
        ("minibert/visualize.py", "from .pretraining import x", "palette"),
        ("minibert/__init__.py", "from .pretraining import x", "load nothing else"),
    ],
)
def test_an_import_from_a_row_below(plot, file, line, allowed):
    (sentence,) = import_order(plot.file(file, line))
    assert f"{file}:" in sentence
    assert "imports minibert.pretraining" in sentence
    assert allowed in sentence


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("minibert/model.py", "from .config import BertConfig\nfrom minibert import attention"),
        ("minibert/reference/__init__.py", "from .masks import causal_mask"),
        ("minibert/reference/layers.py", "from .masks import causal_mask\nimport numpy, torch"),
        ("minibert/checks/chapter02.py", "from minibert.training import BertTrainer"),
        ("minibert/notebook/figures.py", "from .html import Html\nimport minibert.corpus"),
        ("minibert/fill.py", "from .training import BertTrainer"),
    ],
)
def test_imports_that_are_allowed(plot, file, line):
    assert import_order(plot.file(file, line)) == []


def test_an_import_that_makes_minibert_slow(plot):
    (sentence,) = quick_import(plot.file("sluggish.py", "import IPython"), package="sluggish")
    assert "also loads IPython" in sentence
