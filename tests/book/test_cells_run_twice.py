"""A reader runs a cell, changes a number, and runs it again: no cell stops the second time."""

import os

import nbformat
import pytest
from effort import mostly_weekly
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from notebooks import BOOK, QUIET, chapters, kernel_environment

SOME = {7}  # which has been mended


@pytest.mark.parametrize("chapter", mostly_weekly(chapters(BOOK), SOME))
def test_each_cell_runs_again_at_once(chapter, tmp_path):
    notebook = nbformat.read(chapter, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=1200,
        kernel_name="python3",
        extra_arguments=QUIET,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    stopped = []
    with client.setup_kernel(env={**os.environ, **kernel_environment()}):
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                client.execute_cell(cell, index)
                try:
                    client.execute_cell(cell, index)
                except CellExecutionError as error:
                    stopped.append(f"cell {index + 1}: {error.ename}: {error.evalue}")
    assert not stopped, "\n".join(stopped)
