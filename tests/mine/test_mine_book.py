"""The book on a reader's classes: its own solutions, kept as she would keep hers."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from bert_pairs import draw_batch
from solutions import CHAPTERS, file_of_solutions

from bertbook.reader.contracts.names import replacements_of
from bertbook.reader.reader_file import run_reader_file
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import fast_parts
from minibert.fast.attention import FastSelfAttention
from minibert.parts import override, part
from minibert.pretraining import BertForPreTraining

LONGEST = 15  # statements of a solution, without those that its skeleton gives


@pytest.fixture(scope="module")
def solutions(tmp_path_factory) -> Path:
    """Write the file that the solutions make."""
    path = tmp_path_factory.mktemp("mine") / "solved_bert.py"
    path.write_text(file_of_solutions(), encoding="utf-8")
    return path


def test_a_model_of_them_draws_the_same_numbers(solutions):
    config = BertConfig.tiny(vocab_size=19)
    batch = draw_batch(config, seed=3)
    labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
    found = []
    for players in ({}, replacements_of(run_reader_file(solutions))[0]):
        with override(players), override(fast_parts()), override(fast_parts()):
            torch.manual_seed(0)
            model = part(BertForPreTraining)(config).train()
        same_class = players.get(BertSelfAttention, FastSelfAttention)
        assert type(model.bert.encoder.layer[0].attention.self) is same_class
        loss = model(**batch, labels=labels).loss
        loss.backward()
        found.append([loss, *model.state_dict().values(), *(p.grad for p in model.parameters())])
    for hers, ours in zip(*found, strict=True):
        torch.testing.assert_close(hers, ours, rtol=1e-4, atol=1e-5)


def test_no_solution_is_long(solutions):
    for node in ast.parse(solutions.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            statements = [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
            given = [n for n in statements if isinstance(n, ast.If | ast.FunctionDef)]
            assert len(statements) - 2 * len(given) <= LONGEST, node.name


@pytest.mark.thorough
@pytest.mark.parametrize("number", ["08", "09"])
def test_a_chapter_gives_the_same_numbers_on_them(solutions, number):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         str(next(CHAPTERS.glob(f"{number}-*.ipynb")))],
        env={**os.environ, "BOOK_MINE": str(solutions)},
        cwd=CHAPTERS.parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
