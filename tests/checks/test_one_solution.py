"""What a checker holds for right is what its chapter and the package say."""

import ast
import inspect
import re
import subprocess
import sys
import textwrap

import nbformat
import numpy as np
import pytest
from solutions import CHAPTERS
from test_every_exercise import FOUND, MODULES

from bertbook.topics.gradients.tape import check_walk_back
from bertbook.topics.next_sentence.checks import check_negatives
from minibert.data import NOT_NEXT, draw_pairs
from minibert.reference import Tape

CHANGED = {
    name: exercise
    for name, exercise in FOUND.items()
    if any(isinstance(mistake.wrong, str) for mistake in exercise.mistakes)
    and not name.startswith("english ")  # its page is run as a whole, by test_numbers_of_pages
}

# These checkers write what is right in another way, in numpy where the chapter takes PyTorch, with
# shorter names, or in smaller steps, of which each can be changed. The chapter asserts that its
# solution passes.
OTHERWISE = (
    """
answer answer_f1, answer number_of_windows, bugs falling, bugs smallest, many_heads many_heads,
family alibi, family positions, family rotate, faster block_mask, faster online_attention, faster
packing, faster quantize, heads paired_interval, heads rival, machines combine, machines zero,
next_sentence negatives, family.objectives detection_loss, own_data temperature, real_weights
misfits, real_weights sentence_vectors, search contrastive_loss, search hard_negatives, search
lowest_loss, small_world best_loss, small_world posteriors, training_loop accumulation,
training_loop schedule, vectors centered_gap
""".replace("\n", " ")
    .strip()
    .split(", ")
)


def solutions():
    """Find the function that each checker gets in the folded solutions of its chapter."""
    found = {}
    for path in sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if "solution" in cell.metadata.get("tags", []):
                functions = checked(ast.parse(cell.source))
                found |= {(int(path.name[:2]), check): one for check, one in functions.items()}
    return found


def checked(cell):
    """Name the functions of a cell by the checkers that are called with them."""
    functions = {node.name: node for node in cell.body if isinstance(node, ast.FunctionDef)}
    calls = (node for node in ast.walk(cell) if isinstance(node, ast.Call) and node.args)
    pairs = ((ast.unparse(call.func), ast.unparse(call.args[0])) for call in calls)
    return {check: functions[name] for check, name in pairs if name in functions}


def written(function):
    """Write the arguments and the body of a function, without what is no part of the solution."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            node.id = node.id.removeprefix("_")
    body = function.body[1:] if ast.get_docstring(function) else function.body
    names = [argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)]
    return "\n".join([", ".join(names), *map(ast.unparse, body)])


SOLUTIONS = solutions()


@pytest.mark.parametrize("name", CHANGED)
def test_right_is_the_folded_solution(name):
    module, check = name.split()
    chapter = int(re.search(r"Chapter (\d+)", MODULES[module].__doc__)[1])
    right = ast.parse(textwrap.dedent(inspect.getsource(CHANGED[name].right))).body[0]
    is_same = written(right) == written(SOLUTIONS[chapter, f"check_{check}"])
    assert is_same == (name not in OTHERWISE), name


def test_the_package_walks_back_as_the_solution_does():
    """But for its first line, where one has a tape, and its last, where one has no nodes."""
    ours, theirs = (
        ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
        for function in (check_walk_back.right, Tape.walk_back)
    )
    expected = "\n".join(map(ast.unparse, theirs[1:])).replace("self.steps", "steps")
    assert "\n".join(map(ast.unparse, ours[:-1])) == expected


def test_the_negatives_are_those_that_the_package_draws():
    stories = check_negatives.cases[0][0]
    drawn = {
        pair.second
        for seed in range(300)
        for pair in draw_pairs(stories, 0, rng=np.random.default_rng(seed), start=0, stop=1)
        if pair.next_sentence_label == NOT_NEXT
    }
    assert drawn == {*check_negatives.right(stories, 0, 0)}


def test_what_the_first_chapters_import_loads_without_torch():
    nodes = [
        node
        for path in CHAPTERS.glob("0[1-4]-*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        for node in ast.walk(ast.parse(cell.source if cell.cell_type == "code" else ""))
    ]
    modules = {f"{node.module}" for node in nodes if isinstance(node, ast.ImportFrom)}
    modules = {name for name in modules if name.startswith("bertbook.")} - {"bertbook.reader"}
    assert len(modules) > 10
    program = f"import sys; sys.modules['torch'] = None; import {', '.join(sorted(modules))}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
