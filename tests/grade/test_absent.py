"""What is not there is told, and why: cells that do not parse, notebooks that are none."""

import json
from pathlib import Path

import nbformat
import pytest

from berttools.grade.absent import why_absent
from berttools.grade.answers import code_for
from berttools.grade.exercises import chapter_of, tasks_of, with_needs_of
from berttools.grade.trial import Limits, on_trial

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
ATTENTION = CHAPTERS / "02-self-attention-by-hand.ipynb"
SOFTMAX = tasks_of(ATTENTION)[0]
RIGHT = """def my_softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""
CHECKED = "\n\nkeep(my_softmax, check_softmax(my_softmax))"
OPEN = RIGHT.replace("keepdims=True))", "keepdims=True)", 1)


def handed_in(folder, source, before="", named=True):
    """Write a copy of Chapter 2 whose first exercise says something; None leaves its cell out."""
    folder = folder / f"{len([*folder.iterdir()])}"  # what was read once is known by its path
    folder.mkdir()
    notebook = nbformat.read(ATTENTION, as_version=4)
    place = next(n for n, c in enumerate(notebook.cells) if "def my_softmax" in c.source)
    cell = notebook.cells[place]
    cell.source = f"{source}{CHECKED}" if named else source
    new = [nbformat.v4.new_code_cell(before)] if before else []
    notebook.cells[place : place + 1] = [*new, *([] if source is None else [cell])]
    nbformat.write(notebook, path := folder / "anna.ipynb")
    return path


def told(path):
    code = code_for(SOFTMAX, path, ATTENTION)
    return why_absent(code, with_needs_of(code, SOFTMAX, ATTENTION), path, ATTENTION)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (OPEN, "line 2: '(' was never closed. Line 2 of cell 40 reads: powers = np.exp(scores"),
        ("def my_softmax(scores):\n    return [1,2", "line 2: '[' was never closed"),
        ("\n\ndef my_softmax(scores)\n    return scores", "line 3: expected ':'"),
        ("def my_softmax(scores):\nreturn scores", "line 2: expected an indented block"),
        ("deff my_softmax(scores):\n    return scores", "line 1: invalid syntax"),
        ("def my_softmax(scores):\n    x = 'scores", "line 2: unterminated string"),
        (f"{RIGHT}\nreturn 3", "line 5: 'return' outside function"),
        ("def my_softmax(scores):\n    break", "line 2: 'break' outside loop"),
        ("%matplotlib inline\ndef my_softmax(scores):\n    return (1", "line 3: '(' was never"),
    ],
)
def test_what_does_not_parse_is_told_where(tmp_path, source, words):
    message = told(handed_in(tmp_path, source))
    assert message.startswith("my_softmax does not parse, line ")
    assert words in message


def test_a_helper_that_does_not_parse_is_told(tmp_path):
    source = RIGHT.replace("np.exp(", "powers_of(")
    message = told(handed_in(tmp_path, source, before="def powers_of(x):\n    return np.exp(x"))
    assert message.startswith("my_softmax uses powers_of, whose cell does not parse, line 2: '('")


@pytest.mark.parametrize(
    "source",
    [
        f"%matplotlib inline\n!ls\n{RIGHT}",
        f"%%time\n{RIGHT}",
        f"np.exp?\n{RIGHT}",
        RIGHT.replace("axis=-1, ", "axis=(-8\n    % 7 - 0 ), "),  # 13 % 7, and no magic
    ],
)
def test_lines_for_jupyter_alone_are_no_mistake(tmp_path, source):
    path = handed_in(tmp_path, source)
    assert told(path) == ""
    assert "def my_softmax" in code_for(SOFTMAX, path, ATTENTION)


def test_an_older_answer_counts_while_the_new_one_does_not_parse(tmp_path):
    path = handed_in(tmp_path, OPEN, before=RIGHT)
    assert told(path) == ""
    assert on_trial(SOFTMAX, code_for(SOFTMAX, path, ATTENTION), CHAPTERS, Limits()).passed


def test_what_is_not_there_is_told_apart(tmp_path):
    stub = next(c for c in nbformat.read(ATTENTION, 4).cells if "def my_softmax" in c.source)
    assert told(handed_in(tmp_path, stub.source, named=False)) == "my_softmax is not written yet."
    renamed = told(handed_in(tmp_path, RIGHT.replace("my_softmax", "softmax_of_anna")))
    assert renamed == (
        "my_softmax is not there, but softmax_of_anna is; the checker asks for my_softmax."
    )
    missing = told(handed_in(tmp_path, None))
    assert missing == "my_softmax is not there, and its cell is missing from anna.ipynb."
    assert told(handed_in(tmp_path, "", named=False)) == "my_softmax is not written yet."


def test_a_cell_that_fails_is_quoted():
    reply = on_trial(SOFTMAX, f"import nompy\n\nE = nompy.e\n{RIGHT}", CHAPTERS, Limits())
    assert reply == (
        False,
        "my_softmax cannot be defined: `import nompy` stops with ModuleNotFoundError: No module "
        "named 'nompy'",
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "anna.ipynb is an empty file; it was not saved, or not sent whole"),
        (b'{"cells":\n[1', "is not a notebook: its line 2 is no JSON; save it in Jupyter again"),
        (b"<<<<<<< HEAD\n{}", "its line 1 is no JSON"),
        ("{}é".encode("latin-1"), "it is no text in UTF-8"),
        (b"[1]", "has no cells as Jupyter writes them"),
        (b'{"cells": 3}', "has no cells as Jupyter writes them"),
        (b"[" * 100_000, "is not a notebook"),
        (json.dumps({"nbformat": 3, "worksheets": []}).encode(), "of format 3, which is too old"),
        (json.dumps(nbformat.v4.new_notebook()).encode(), "is an empty notebook; hand in the"),
    ],
)
def test_what_is_no_notebook_is_told_what_it_is(tmp_path, content, words):
    path = tmp_path / "anna.ipynb"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^anna.ipynb .*{words.split('.ipynb ')[-1]}"):
        chapter_of(path, [ATTENTION])
