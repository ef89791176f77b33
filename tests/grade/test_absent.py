"""What is not there is told, and why: cells that do not parse, notebooks that are none."""

import json

import nbformat
import pytest
from small_class import ATTENTION, CHECKED, RIGHT, SOFTMAX, handed_in, replied

from berttools.grade.exercises import chapter_of, with_needs_of
from berttools.grade.submissions import code_for, why_absent

OPEN = RIGHT.replace("keepdims=True))", "keepdims=True)", 1)


@pytest.fixture
def written(tmp_path):
    """Hand in a copy whose first exercise says something."""

    def written(source, before="", checked=CHECKED):
        # What was read once is known by its path.
        path = tmp_path / f"{len([*tmp_path.iterdir()])}" / "anna.ipynb"
        return handed_in(path, source if source is None else source + checked, before)

    return written


def reason(path):
    code = code_for(SOFTMAX, path, ATTENTION)
    return why_absent(code, with_needs_of(code, SOFTMAX, ATTENTION), path, ATTENTION)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (OPEN, "line 2: '(' was never closed. Line 2 of cell 37 reads: powers = np.exp(scores"),
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
def test_what_does_not_parse_is_told_where(written, source, words):
    message = reason(written(source))
    assert message.startswith("my_softmax does not parse, line ")
    assert words in message


def test_a_helper_that_does_not_parse_is_told(written):
    source = RIGHT.replace("np.exp(", "powers_of(")
    message = reason(written(source, before="def powers_of(x):\n    return np.exp(x"))
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
def test_lines_for_jupyter_alone_are_no_mistake(written, source):
    path = written(source)
    assert reason(path) == ""
    assert "def my_softmax" in code_for(SOFTMAX, path, ATTENTION)


def test_an_older_answer_counts_while_the_new_one_does_not_parse(written):
    path = written(OPEN, before=RIGHT)
    assert reason(path) == ""
    assert replied(code_for(SOFTMAX, path, ATTENTION)).passed


def test_what_is_not_there_is_told_apart(written):
    stub = next(c for c in nbformat.read(ATTENTION, 4).cells if "def my_softmax" in c.source)
    assert reason(written(stub.source, checked="")) == "my_softmax is not written yet."
    missing = reason(written(None))
    assert missing == "my_softmax is not there: anna.ipynb lacks its cell."
    assert reason(written("", checked="")) == "my_softmax is not written yet."


def test_a_cell_that_fails_is_quoted():
    reply = replied(f"import nompy\n\nE = nompy.e\n{RIGHT}")
    assert reply == (
        False,
        "my_softmax cannot be defined: `import nompy` stops with ModuleNotFoundError: No module "
        "named 'nompy'",
    )


NO_JUPYTER = "its cells are not as Jupyter writes them; save it in Jupyter again"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "an empty file; it was not saved, or not sent whole"),
        (b'{"cells":\n[1', "not a notebook: its line 2 is no JSON; save it in Jupyter again"),
        ("{}é".encode("latin-1"), "not a notebook: it is no text in UTF-8"),
        (b"[1]", NO_JUPYTER),
        (b'{"cells": 3}', NO_JUPYTER),
        (b"[" * 100_000, "not a notebook"),
        (b'{"nbformat": 3, "worksheets": []}', NO_JUPYTER),
        (json.dumps(nbformat.v4.new_notebook()).encode(), "an empty notebook; hand in the"),
    ],
)
def test_what_is_no_notebook_is_told_what_it_is(tmp_path, content, words):
    path = tmp_path / "anna.ipynb"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^anna.ipynb is .*{words}"):
        chapter_of(path, [ATTENTION])
