"""The loops of the chapters that choose a device run where there is another one than the CPU."""

from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import nbformat
import pytest
import torch
from other_device import other_device
from torch.optim.optimizer import register_optimizer_step_post_hook

from berttools.grade.names import names_from_outside, statements_above

CHAPTERS = sorted((Path(__file__).parents[2] / "book" / "chapters").glob("[0-9]*.ipynb"))
LOOPS = (".backward(", ".fit(", "Trainer(")
# Where the name stands that a chapter or a trainer asks.
CHOICES = ("minibert.training.choose_device", "minibert.training.trainer.choose_device")


class TrainedEnoughError(Exception):
    """Stop after the second step."""


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
    steps = []

    def count(*_given):
        steps.append(1)
        if len(steps) == 2:
            raise TrainedEnoughError

    hook, precision = register_optimizer_step_post_hook(count), torch.get_default_dtype()
    try:
        with other_device() as there, ExitStack() as choices:
            for name in CHOICES:
                choices.enter_context(patch(name, lambda name=None: there))
            exec(compile(code, "chapter", "exec"), {"__name__": "chapter"})
    except TrainedEnoughError:
        pass
    finally:
        hook.remove()
        torch.set_default_dtype(precision)  # Chapter 5 computes in 64 bits
    return len(steps)


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # as a reader's kernel is
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_loops_of_a_chapter_run_on_another_device(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = nbformat.read(path, as_version=4).cells
    for code in loops_of([cell.source for cell in cells if cell.cell_type == "code"]):
        run(code)
