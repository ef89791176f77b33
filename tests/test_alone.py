"""minibert stands alone, and imports nothing slow."""

import ast
import subprocess
import sys
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
    trees = (ast.parse(path.read_text("utf-8")) for path in (ROOT / "minibert").rglob("*.py"))
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [a.name for node in nodes if isinstance(node, ast.Import) for a in node.names]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom) and not n.level]
    found = {name.partition(".")[0] for name in names}
    assert found - sys.stdlib_module_names - {"minibert"} == ASKS_FOR | WHEN_ASKED


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
