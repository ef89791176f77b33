"""Chapter 2 as somebody hands it in, and its first exercise with a right and a wrong answer."""

from pathlib import Path

import nbformat

from berttools.grade.exercises import tasks_of
from berttools.grade.sandbox import Limits, run_checker

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
ATTENTION = CHAPTERS / "02-self-attention-by-hand.ipynb"
SOFTMAX = tasks_of(ATTENTION)[0]
RIGHT = """def my_softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""
WRONG = "def my_softmax(scores):\n    return scores\n\n"
CHECKED = "\n\nkeep(my_softmax, check_softmax(my_softmax))"


def handed_in(path, source, before=""):
    """Write a copy of Chapter 2 whose first exercise says something; None leaves its cell out."""
    notebook = nbformat.read(ATTENTION, as_version=4)
    place = next(n for n, c in enumerate(notebook.cells) if "def my_softmax" in c.source)
    cell = notebook.cells[place]
    cell.source = source
    new = [nbformat.v4.new_code_cell(before)] if before else []
    notebook.cells[place : place + 1] = [*new, *([] if source is None else [cell])]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def replied(code, **limits):
    return run_checker(SOFTMAX, code, CHAPTERS, Limits(**limits))
