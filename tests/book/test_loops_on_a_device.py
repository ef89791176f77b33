"""The loops of the chapters that choose a device run where there is another one than the CPU."""

from contextlib import ExitStack
from unittest.mock import patch

import nbformat
import pytest
import torch
from definitions import CHAPTERS, stopped_after
from other_device import other_device

from berttools.grade.names import names_from_outside, statements_above

LOOPS = (".backward(", ".fit(", "Trainer(")
LONG = ("14", "16")  # they make many texts first, and train as others do
# Where the name stands that a chapter or a trainer asks.
CHOICES = ("minibert.training.choose_device", "minibert.training.trainer.choose_device")


def loops_of(cells):
    """Yield each cell that trains on a device of its choice, below the statements it needs."""
    for number, cell in enumerate(cells):
        if any(sign in cell for sign in LOOPS):
            code = [*statements_above(cells[:number], names_from_outside(cell)), cell]
            if chooses("\n".join(code)):
                yield "\n".join(code)


def chooses(code):
    """Tell whether some code asks for a device, or leaves it to the trainer."""
    return "= choose_device(" in code or ("Trainer(" in code and "device=" not in code)


def run(code):
    """Run code where the other device is the one to choose, for two steps of training."""
    precision = torch.get_default_dtype()
    with stopped_after(2), other_device() as there, ExitStack() as choices:
        choices.callback(torch.set_default_dtype, precision)  # Chapter 5 computes in 64 bits
        for name in CHOICES:
            choices.enter_context(patch(name, lambda name=None: there))
        exec(compile(code, "chapter", "exec"), {"__name__": "chapter"})


def effort(path):
    """Leave the chapters that take a minute to `make thorough`."""
    marks = pytest.mark.thorough if path.name.startswith(LONG) else ()
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # as a reader's kernel is
@pytest.mark.parametrize("path", [*map(effort, sorted(CHAPTERS.glob("[0-9]*.ipynb")))])
def test_the_loops_of_a_chapter_run_on_another_device(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = nbformat.read(path, as_version=4).cells
    for code in loops_of([cell.source for cell in cells if cell.cell_type == "code"]):
        run(code)
