"""minibert stands alone, imports nothing slow, and is packed without what has been there once."""

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from minibert.config import BertConfig
from minibert.loading import save_pretrained
from minibert.pretraining import BertForMaskedLM
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

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


PACKAGES = ("minibert", "bertfamily", "berttools", "bertbook")
PACKED = ("pyproject.toml", "constraints.txt", "README.md", "Makefile", *PACKAGES)


@pytest.fixture
def project(tmp_path):
    """Copy what a wheel is made of, with the environment of the tests as the one that make made."""
    for name in (*PACKED, *(path.name for path in ROOT.glob("LICENSE*"))):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(exist_ok=True)
        copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
    (tmp_path / ".venv" / "installed").touch()
    return tmp_path


def packed(project):
    """Make the wheel, with the setuptools of this environment, and name what is in it."""
    paths = {"PIP_NO_BUILD_ISOLATION": "false", "PYTHONPATH": ""}
    command = ["make", "-C", str(project), f"PYTHON={sys.executable}", "wheel"]
    done = subprocess.run(command, env=os.environ | paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (project / "book" / "_build" / "wheel").glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is missing")
def test_a_module_that_is_gone_is_not_packed(project):
    gone = project / "minibert" / "gone.py"
    gone.write_text('"""It will be gone."""\n', encoding="utf-8")
    assert "minibert/gone.py" in packed(project)
    gone.unlink()
    names = packed(project)
    assert {"minibert/model.py", "bertbook/questions/masks.toml"} <= {*names}
    assert "minibert/gone.py" not in names


PROGRAM = """
import sys
from minibert.embeddings import BertEmbeddings
from minibert.fast import fast_parts
from berttools.fill.command import main
from minibert.parts import override, use
from minibert.loading import load_pretrained
from minibert.config import BertConfig
from minibert.pretraining import BertForMaskedLM
folder = sys.argv[1]

def load_fast():
    with override(fast_parts()):
        load_pretrained(BertForMaskedLM, folder)

for what, first in {
    "load fast": load_fast,
    "a new head": lambda: load_pretrained(BertForMaskedLM, folder, new=("cls",)),
    "use": lambda: use({BertEmbeddings: type("Mine", (BertEmbeddings,), {})}),
    "fill": lambda: main([folder, "the [MASK]"]),
}.items():
    first()
    print(what, "torch._dynamo" in sys.modules)
"""


@pytest.mark.slow
def test_the_compiler_is_not_imported(tmp_path):
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "the", "man"])
    save_pretrained(BertForMaskedLM(BertConfig.tiny(vocab_size=7)), tmp_path, tokenizer)
    done = subprocess.run([sys.executable, "-c", PROGRAM, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.endswith((" True", " False"))]
    assert len(lines) == 4 and all(line.endswith(" False") for line in lines), lines
