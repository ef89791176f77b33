"""A reader's own notebooks: filled in and run from top to bottom, each works with what she kept.

Her copy of a chapter has the solutions in its stubs, under her names; beside it lies the file of
all that the chapters before have asked her to keep. Nothing is stored, so her parts play.
"""

import ast
import os
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from effort import mostly_weekly
from nbclient import NotebookClient
from notebooks import QUIET, kernel_environment
from readers_copy import file_before, kept_in, kept_names, readers_copy
from solutions import CHAPTERS

from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import my_name, replacements_of, spoken_name
from bertbook.reader.reader_file import run_reader_file
from minibert.config import BertConfig
from minibert.parts import override, part
from minibert.pretraining import BertForPreTraining
from minibert.reference import additive_mask, causal_mask

OFTEN, SOME = {8}, {2, 10, 15, 20, 26}
SECONDS_PER_CELL = 600


def chapters_that_keep() -> list:
    """List the chapters that ask their reader to keep something."""
    paths = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
    return mostly_weekly((p for p in paths if kept_names(nbformat.read(p, 4))), SOME, OFTEN)


@pytest.fixture
def desk(tmp_path):
    """Give the reader a folder for her notebooks, in a project that has all else."""
    folder = tmp_path / "book" / "chapters"
    folder.mkdir(parents=True)
    return folder


def run(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Run every cell as Jupyter does for a reader; stop where one raises."""
    env = {**os.environ, **kernel_environment()}
    env = {name: text for name, text in env.items() if name not in ("BOOK_STORED", "BOOK_MINE")}
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        extra_arguments=QUIET,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=env)


def said(cell: nbformat.NotebookNode) -> str:
    """Give what a cell has printed and displayed, as text."""
    shown = (out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
    return "\n".join(shown)


def asked(cell: nbformat.NotebookNode) -> list[list[str]]:
    """List the calls of running_on in a cell, each with the names of the functions it asks for."""
    nodes = ast.walk(ast.parse(cell.source))
    found = (node for node in nodes if isinstance(node, ast.Call))
    found = (call for call in found if ast.unparse(call.func) == "running_on")
    return [[str(keyword.arg) for keyword in call.keywords] for call in found]


def roles(names: set[str]) -> set[str]:
    """Name the parts of a model that are among what a reader has kept."""
    return {spoken_name(role) for role in ROLES if my_name(role) in names}


def problems(notebook: nbformat.NotebookNode, before: set[str]) -> list[str]:
    """Say where a run did not keep what it should, or did not run on what was kept."""
    kept, found = set(before), []
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        for name in kept_in(cell):
            kept.add(name)
            if not re.search(rf"Kept in my_bert\.py: .*\b{name}\b", said(cell)):
                found.append(f"{name} is not kept: {said(cell)}")
        for names in asked(cell):
            hers = {name for name in names if f"my_{name}" in kept} if names else roles(kept)
            (line,) = re.findall(r"^Running on: (.*)\.$", said(cell), re.MULTILINE) or [""]
            players = line.partition(": ")[0].split(", ")
            if missing := hers - {name.removeprefix("your ") for name in players}:
                found.append(f"{', '.join(sorted(missing))} kept, but it runs on {line}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", chapters_that_keep())
def test_a_chapter_runs_on_what_its_reader_writes(path, desk):
    before = file_before(int(path.name[:2]))
    (desk / "my_bert.py").write_text(before, encoding="utf-8")
    notebook = readers_copy(nbformat.read(path, 4))
    run(notebook, desk)
    names = set(re.findall(r"^(?:class|def) (\w+)", before, re.MULTILINE))
    assert problems(notebook, names) == []


@pytest.mark.slow
def test_after_chapter_12_the_whole_model_is_hers_and_what_was_kept_first_still_works(tmp_path):
    path = tmp_path / "my_bert.py"
    path.write_text(file_before(13), encoding="utf-8")
    hers, mask = run_reader_file(path), np.array([[1, 1, 0], [1, 1, 1]])
    both = np.minimum(additive_mask(mask), causal_mask(3))
    assert np.array_equal(hers["my_padding_and_causal"](mask), both)
    players, nameless = replacements_of(hers)
    assert nameless == []
    with override(players):
        model = part(BertForPreTraining)(
            BertConfig(hidden_size=8, num_attention_heads=2, vocab_size=9)
        )
    ours = {type(m).__name__ for m in model.modules() if type(m).__module__.startswith("minibert")}
    assert not ours, f"no exercise asks for {', '.join(sorted(ours))}"
