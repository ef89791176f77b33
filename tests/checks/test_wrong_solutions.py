"""The solutions after a slip: none passes, each is told what it is, and in few words."""

import ast
import functools

import pytest
from solutions import file_of_solutions
from wrong_solutions import WRONG

from minibert.checks.module import check_module
from minibert.checks.verdict import LONGEST
from minibert.parts import role_of

pytestmark = pytest.mark.usefixtures("unchecked")


@functools.cache
def solved():
    return file_of_solutions()


def after_a_slip(name, old, new):
    """Take a class of the solutions with something else typed in it."""
    nodes = {node.name: node for node in ast.parse(solved()).body if isinstance(node, ast.ClassDef)}
    right = wrong = ast.get_source_segment(solved(), nodes[name])
    for was, typed in zip(old.split("|"), new.split("|"), strict=True):
        assert was in wrong, was
        wrong = wrong.replace(was, typed)
    space = {"__name__": "my_bert"}
    exec(compile(solved().replace(right, wrong), "my_bert.py", "exec"), space)
    return space[name]


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (name, *slip) if n % 4 == 0 else pytest.param(name, *slip, marks=pytest.mark.slow)
        for name in WRONG
        for n, slip in enumerate(WRONG[name])
    ],
)
def test_a_slip_is_named(name, old, new, words):
    verdict = check_module(after_a_slip(name, old, new), role_of(name))
    assert not verdict.passed
    assert words in verdict.message
    assert len(verdict.message) < LONGEST


@pytest.mark.parametrize("name", WRONG)
def test_without_a_slip_it_passes(name):
    verdict = check_module(after_a_slip(name, "", ""), role_of(name))
    assert verdict.passed, verdict
