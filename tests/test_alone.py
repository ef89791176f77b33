"""minibert stands alone: without the book, and with nothing installed but what it asks for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ASKS_FOR = {"filelock", "jaxtyping", "numpy", "safetensors", "torch", "tqdm"}
WHEN_ASKED = {"huggingface_hub"}  # imported in the function that fetches, with a sentence
ABSENT = {"bertbook", "IPython", "ipywidgets", "matplotlib", "sklearn", "transformers", *WHEN_ASKED}

# What is absent cannot be imported, as if it were not installed.
ALONE = f"""
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({ABSENT!r}))
import minibert
for _, name, _ in pkgutil.walk_packages(minibert.__path__, 'minibert.'):
    name.endswith('__main__') or importlib.import_module(name)
print(len([name for name in sys.modules if name.startswith('minibert.')]))
"""


@pytest.mark.slow
def test_every_module_can_be_imported(tmp_path):
    command = [sys.executable, "-c", ALONE]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 60


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
