"""What Chapter 1 and the checkers of Chapters 2 to 4 import loads without PyTorch, in a second."""

import ast
import subprocess
import sys

import nbformat
from solutions import CHAPTERS

WITH_TORCH = {"bertbook.reader"}  # it builds models of the reader's classes


def imported(path):
    """Name the modules of the book that a chapter imports."""
    cells = nbformat.read(path, as_version=4).cells
    for cell in (cell for cell in cells if cell.cell_type == "code"):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith("bertbook."):
                yield node.module


def test_the_first_chapters_load_without_torch():
    modules = {
        module for path in CHAPTERS.glob("0[1-4]-*.ipynb") for module in imported(path)
    } - WITH_TORCH
    assert len(modules) > 10
    program = f"import sys; sys.modules['torch'] = None; import {', '.join(sorted(modules))}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
