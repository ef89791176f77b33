"""minibert stands alone: without the book, and with nothing installed but what it asks for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ASKS_FOR = {"jaxtyping", "numpy", "safetensors", "torch", "tqdm"}
RUN = "runpy.run_module({!r}, run_name='__main__', alter_sys=True)"
WHEN_ASKED = {"huggingface_hub"}  # imported in the function that fetches, with a sentence

# Nothing else can be imported, as if it were not installed.
ALONE = """
import importlib, pkgutil, runpy, sys
sys.modules.update(dict.fromkeys({absent!r}))
"""
ABSENT = {"bertbook", "IPython", "ipywidgets", "matplotlib", "sklearn", "transformers", *WHEN_ASKED}


def alone(program, *arguments, folder):
    """Run a program in a new Python that has minibert and what it asks for."""
    code = ALONE.format(absent=ABSENT) + program
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


@pytest.mark.slow
def test_every_module_can_be_imported(tmp_path):
    program = (
        "import minibert\n"
        "for _, name, _ in pkgutil.walk_packages(minibert.__path__, 'minibert.'):\n"
        "    name.endswith('__main__') or importlib.import_module(name)\n"
        "print(len([name for name in sys.modules if name.startswith('minibert.')]))"
    )
    done = alone(program, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 60


@pytest.mark.slow
def test_the_commands_run(tmp_path):
    text = "the cat sits\n\nthe dog eats here\nthe cat eats\n\nthe dog sits here\nthe cat runs\n"
    (tmp_path / "text.txt").write_text(text * 8, encoding="utf-8")
    pretrain = ("text.txt", "--out", "my-bert", "--max-steps", 2, "--batch-size", 2)
    for name, arguments in {
        "minibert.pretrain": pretrain,
        "minibert.fill": ("my-bert", "the [MASK] sits"),
    }.items():
        done = alone(RUN.format(name), *arguments, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "the [MASK] sits" in done.stdout


def test_it_imports_nothing_else():
    found = {
        name.partition(".")[0]
        for path in (ROOT / "minibert").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node)
    }
    assert found - sys.stdlib_module_names - {"minibert"} == ASKS_FOR | WHEN_ASKED


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
