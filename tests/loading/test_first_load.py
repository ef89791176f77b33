"""The first load of a process: PyTorch's compiler, an import of seconds, stays where it is."""

import subprocess
import sys

import pytest
from saved_folders import small_folder

from minibert.loading import save_pretrained
from minibert.pretraining import BertForMaskedLM
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

PROGRAM = """
import sys
from minibert.embeddings import BertEmbeddings
from minibert.fast import fast_parts
from berttools.fill.command import main
from minibert.parts import override, use
from minibert.loading import load_pretrained
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
    save_pretrained(small_folder(tmp_path, BertForMaskedLM), tmp_path, tokenizer)
    done = subprocess.run([sys.executable, "-c", PROGRAM, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.endswith((" True", " False"))]
    assert len(lines) == 4 and all(line.endswith(" False") for line in lines), lines
