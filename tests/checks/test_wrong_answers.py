"""Ten wrong answers to each exercise of Chapters 1 to 14: none passes, and most are named.

In ``wrong/*.txt`` a block has the number of an exercise, the module of its checker and its name,
then a line for each answer: what the reader writes in place of the solution's lines, as
`bertbook.core.exercises.mistake` reads it, and behind ``::`` words of the reply that names the
mistake. Where the checker is a function, the lines are those of the chapter's folded solution.
Where no words stand behind it, the reply says only that and where the answer is wrong.
"""

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
import torch
from solutions import CHAPTERS, run_as_notebook

from bertbook.core.exercises.compare import as_array
from bertbook.core.exercises.exercise import Exercise, as_it_is
from bertbook.core.exercises.mistake import Mistake
from bertbook.corpus import hundred_sentences

FILES = sorted(Path(__file__).with_name("wrong").glob("*.txt"))
BLOCKS = [block for file in FILES for block in file.read_text("utf-8").strip().split("\n\n")]
NAMED = 0.8  # of all answers


def read(block):
    """Find the checker of a block, and its pairs of a change and the words that name it."""
    head, *lines = block.split("\n")
    number, module, name = head.split()
    module = module if "." in module else f"{module}.checks"
    check = getattr(importlib.import_module(f"bertbook.topics.{module}"), name)
    return number, check, [line.partition("  ::  ")[::2] for line in lines]


@cache
def in_chapter(number, name):
    """Find the folded solution that a chapter gives to a checker, and all that it imports."""
    (path,) = CHAPTERS.glob(f"{int(number.split('.')[0]):02}-*.ipynb")
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    folded = [c.source for c in cells if "solution" in c.metadata.get("tags", [])]
    (source,) = (text for text in folded if f"{name}(" in text)
    imports = [
        ast.get_source_segment(cell.source, node)
        for cell in cells
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return "\n".join(imports), source.split("\nassert ")[0]


def typed(number, name, change):
    """Run the changed solution of a chapter as its reader does, and return what it defines."""
    imports, source = in_chapter(number, name)
    old, _, new = change.partition(" → ")
    assert old in source, f"{old!r} does not stand in the solution"
    defined = re.search(r"^(?:def|class) (\w+)", source, re.MULTILINE)[1]
    changed = source.replace(old, new)
    return getattr(run_as_notebook(f"{imports}\n{changed}", f"wrong_{number}"), defined)


def written(exercise, change):
    """Write a reader's function; where only readers compute with tensors, it gets arrays."""
    function = exercise.answers(Mistake(change, ""))
    if exercise.given is as_it_is:
        return function
    return lambda *given: _with_gradient(function(*map(as_array, given)), *given)


def _with_gradient(answer, *given):
    """Let gradients flow through what numpy has computed, where they are asked for."""
    asked = [value for value in given if getattr(value, "requires_grad", False)]
    return torch.as_tensor(answer) + 0 * sum(map(torch.sum, asked)) if asked else answer


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[0])
def test_no_wrong_answer_passes_and_its_name_is_said(block):
    number, check, answers = read(block)
    assert len(answers) == len({change for change, _ in answers}) == 10
    for change, words in answers:
        is_data = isinstance(check, Exercise)
        answer = written(check, change) if is_data else typed(number, check.__name__, change)
        takes_text = not is_data and "sentences" in inspect.signature(check).parameters
        verdict = check(answer, *([hundred_sentences()] if takes_text else []))
        assert not verdict.passed, change
        assert words in verdict.message, (change, verdict)


def test_four_of_five_are_named():
    answers = [answer for block in BLOCKS for answer in read(block)[-1]]
    named = [words for _, words in answers if words]
    assert len(named) >= NAMED * len(answers), f"{len(named)} of {len(answers)}"
