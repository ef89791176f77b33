"""Answers as readers type them: right ones pass in any form, and wrong ones are named.

``wrong/*.txt`` has ten wrong answers to each exercise of Chapters 1 to 14: none passes, and most
are named. A block has the number of an exercise, the module of its checker and its name, then a
line for each answer: what the reader writes in place of the solution's lines, as
`bertbook.core.exercises.mistake` reads it, and behind ``::`` words of the reply. Where no words
stand behind it, the reply says only that and where the answer is wrong. Where the checker is a
function, the lines are those of the chapter's folded solution.

``typed/*.txt`` has all other answers. After the name of a checker stand, in brackets, what it is
called with, then code, and then changes of this code. An arrow with nothing before it gives other
arguments, ``::`` with nothing before it is about the code as it stands, which passes otherwise.
✓ says that an answer passes. ``\\n`` is a new line; … among the words may be anything. Without
brackets the changes are those of the chapter's folded solution.
"""

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from solutions import CHAPTERS, run_as_notebook
from test_every_exercise import written

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.mistake import Mistake
from bertbook.core.exercises.verdict import LONGEST
from bertbook.corpus import hundred_sentences

SLOW = {"26.3", "26.4"}  # which build models
NAMED = 0.8  # of the ten answers to each exercise
IMPORTED = """import math
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
"""


def blocks(folder):
    """List the blocks of a folder, each with the number of its exercise."""
    found = []
    for file in sorted(Path(__file__).with_name(folder).glob("*.txt")):
        for block in file.read_text("utf-8").strip().split("\n\n"):
            head, *lines = block.split("\n")
            number, module, call = head.split(" ", 2)
            marks = pytest.mark.slow if number in SLOW else ()
            found.append(pytest.param(number, module, call, lines, id=number, marks=marks))
    return found


WRONG = blocks("wrong")


def checker(module, name):
    """Find the checker of an exercise."""
    module = module if "." in module else f"{module}.checks"
    return getattr(importlib.import_module(f"bertbook.topics.{module}"), name)


@cache
def in_chapter(number, name):
    """Find the folded solution that a chapter gives to a checker, and the name of its answer."""
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
    source = source.split("\nassert ")[0]
    defined = re.search(r"^(?:def|class) (\w+)", source, re.MULTILINE)[1]
    return "\n".join([*imports, source]), defined


def changed(code, change):
    """Write what is typed in the places that a change, or several, name."""
    for part in change.split(" || ") if change else ():
        old, new = (side.strip().replace("\\n", "\n") for side in part.split("→"))
        assert old in code, f"{old!r} does not stand in the code"
        code = code.replace(old, new)
    return code


def told(number, name, check, code, arguments, change):
    """Run code after a change as a notebook does, and return what the checker says of it."""
    if change.startswith("→"):
        arguments, change = change.removeprefix("→"), ""
    space = vars(run_as_notebook(changed(code, change), f"typed_{number}"))
    return eval(f"{name}({arguments})", space if check is None else {**space, name: check})


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("number", "module", "name", "lines"), WRONG)
def test_no_wrong_answer_passes_and_its_name_is_said(number, module, name, lines):
    check = checker(module, name)
    changes = dict(line.partition("  ::  ")[::2] for line in lines)
    assert len(lines) == len(changes) == 10
    for change, words in changes.items():
        if isinstance(check, Exercise):
            verdict = check(written(check, Mistake(change, "")))
        else:
            code, arguments = in_chapter(number, name)
            if "sentences" in inspect.signature(check).parameters:
                arguments += f", {hundred_sentences()}"
            verdict = told(number, name, check, code, arguments, change)
        assert not verdict.passed, change
        assert words in verdict.message, (change, verdict)


def test_four_of_five_are_named():
    answers = [line for block in WRONG for line in block.values[3]]
    assert sum("  ::  " in line for line in answers) >= NAMED * len(answers)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("number", "module", "call", "lines"), blocks("typed"))
def test_what_is_typed_gets_its_reply(number, module, call, lines):
    name, _, arguments = call.removesuffix(")").partition("(")
    check = None if module == "-" else checker(module, name)
    replies = [line for line in lines if re.search(r"(^|  )::  ", line)]
    code = "\n".join([IMPORTED, *lines[: len(lines) - len(replies)]])
    if not arguments:
        code, arguments = in_chapter(number, name)
    answers = dict(line.rpartition("::  ")[::2] for line in replies)
    assert len(answers) == len(replies)
    unlike = {}
    for change, words in ({"": "✓ "} | answers).items():
        verdict = told(number, name, check, code, arguments, change.rstrip())
        pattern = ".*".join(map(re.escape, re.split(" ?… ?", words.lstrip("✓ "))))
        is_said = re.search(pattern, verdict.message) and len(verdict.message) < LONGEST
        if not is_said or verdict.passed != words.startswith("✓"):
            unlike[change, words] = verdict
    assert unlike == {}
