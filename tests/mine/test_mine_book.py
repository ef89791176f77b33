"""The book on a reader's classes: its own solutions, kept as she would keep hers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from accepted_styles import MIXED, text_of
from bert_pairs import draw_batch
from notebooks import BOOK, execute, read_chapter
from solutions import CHAPTERS, file_of_solutions

from bertbook.reader.contracts.names import replacements_of
from bertbook.reader.reader_file import run_reader_file
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import fast_parts
from minibert.fast.attention import FastSelfAttention
from minibert.parts import override, part
from minibert.pretraining import BertForPreTraining

BUILT_OF_HERS = [next(CHAPTERS.glob(f"{number:02}-*.ipynb")) for number in range(8, 22)]


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


@pytest.mark.weekly
@pytest.mark.thorough
@pytest.mark.parametrize("styles", MIXED, ids=["first", "second", "third"])
@pytest.mark.parametrize("path", BUILT_OF_HERS, ids=lambda path: path.stem)
def test_a_chapter_runs_to_its_end_in_other_styles(tmp_path, monkeypatch, path, styles):
    classes = tmp_path / "my_bert.py"
    classes.write_text(text_of(*styles), encoding="utf-8")
    monkeypatch.setenv("BOOK_MINE", str(classes))
    execute(read_chapter(path, BOOK), tmp_path)  # raises with the cell that has stopped
