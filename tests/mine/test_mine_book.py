"""The book on a reader's classes: its own solutions, kept as she would keep hers."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from solutions import CHAPTERS, file_of_solutions

from minibert.notebook.her_file import run_her_file
from minibert.parts import default_part, players_of

LONGEST = 15  # statements of a solution, without those that its skeleton gives


@pytest.fixture(scope="module")
def solutions(tmp_path_factory) -> Path:
    """Write the file that the solutions make."""
    path = tmp_path_factory.mktemp("mine") / "solved_bert.py"
    path.write_text(file_of_solutions(), encoding="utf-8")
    return path


def test_the_solutions_play_their_parts(solutions):
    players, nameless = players_of(run_her_file(solutions))
    assert {"embeddings", "self_attention", "intermediate", "output", "layer"} <= {*players}
    assert nameless == []
    for role, player in players.items():
        assert player is not default_part(role)


def test_no_solution_is_long(solutions):
    for node in ast.parse(solutions.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            statements = [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
            given = [n for n in statements if isinstance(n, ast.If | ast.FunctionDef)]
            assert len(statements) - 2 * len(given) <= LONGEST, node.name


@pytest.mark.slow
def test_a_chapter_gives_the_same_numbers_on_them(solutions):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         str(next(CHAPTERS.glob("09-*.ipynb")))],
        env={**os.environ, "BOOK_MINE": str(solutions)},
        cwd=CHAPTERS.parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
