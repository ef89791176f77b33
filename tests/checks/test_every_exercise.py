"""Every exercise: right passes, each planted mistake gets its hint, and so do pairs of them."""

import copy
import importlib
import inspect
import pkgutil
import random
import re

import numpy as np
import pytest
import torch
from definitions import CHAPTERS
from effort import WEEKLY, sampled

from bertbook import topics
from bertbook.core.exercises.compare import answers_equal, as_array
from bertbook.core.exercises.exercise import Exercise, _outcomes, as_it_is
from bertbook.core.exercises.verdict import LONGEST

MODULES = {
    name.removeprefix("bertbook.topics."): importlib.import_module(name)
    for _, name, _ in pkgutil.walk_packages(topics.__path__, "bertbook.topics.")
}
FOUND = {
    f"{name.removesuffix('.checks')} {key.removeprefix('check_')}": value
    for name, module in MODULES.items()
    for key, value in vars(module).items()
    if isinstance(value, Exercise)
}
WAYS = 60  # so many ways are forbidden
every_exercise = pytest.mark.parametrize("exercise", FOUND.values(), ids=FOUND.keys())
often = pytest.mark.parametrize(  # for what hangs on the kind of the arguments
    "exercise", sampled(FOUND.values(), often=4, seldom=1), ids=FOUND.keys()
)
pytestmark = pytest.mark.usefixtures("unchecked")


def written(exercise, *mistakes, instead=None):
    """Write a function as a reader would, who makes some mistakes.

    Where only readers compute with tensors, they come as arrays.
    """
    function = instead or exercise.answers(*mistakes)

    def written(*given):
        if exercise.given is as_it_is:
            return function(*given)
        return _with_gradient(function(*map(as_array, given)), *given)

    return written


def _with_gradient(answer, *given):
    """Let gradients flow through what numpy has computed, where they are asked for."""
    asked = [*filter(lambda value: getattr(value, "requires_grad", False), given)]
    return torch.as_tensor(answer) + 0 * sum(map(torch.sum, asked)) if asked else answer


def outcomes(exercise, *mistakes):
    """Run somebody who makes some mistakes on all cases, as quietly as the exercise does.

    An error counts as its text; a warning does not count, for no checker sees it.
    """
    found = _outcomes(exercise, *mistakes)
    return [getattr(outcome, "text", outcome) for outcome in found]


def same(exercise, one, other, edges=True):
    """Compare the answers of somebody who makes some mistakes with those of somebody else."""
    count = None if edges else len(exercise.cases)
    pairs = zip(outcomes(exercise, *one)[:count], outcomes(exercise, *other))
    return all(answers_equal(a, b, exercise.rtol) for a, b in pairs)


def test_all_exercises_are_found():
    sources = map(inspect.getsource, MODULES.values())
    assert len(FOUND) == sum(source.count("= Exercise(") for source in sources)
    modules = [module for module in MODULES.values() if "= Exercise(" in inspect.getsource(module)]
    said = " ".join(module.__doc__ for module in modules)
    ways = [way for exercise in FOUND.values() for way in exercise.forbidden]
    assert len(ways) >= WAYS, "none goes by mistake"
    numbers = {int(path.name[:2]) for path in CHAPTERS.glob("[0-9][0-9]-*.ipynb")}
    of_classes = {10}  # which asks for classes alone, and those are checked by their contracts
    assert {int(number) for number in re.findall(r"Chapter (\d+)", said)} == numbers - of_classes


@every_exercise
def test_it_asks_in_one_line_and_right_passes(exercise):
    assert re.fullmatch(r"[A-Z][^\n]{10,98}\.", exercise.question), exercise.question
    verdict = exercise(written(exercise))
    assert verdict.passed, verdict
    count = len(exercise.cases) + len(exercise.edges)
    assert verdict.message == f"Right: written gives the right answer in all {count} cases."


@pytest.mark.slow
@every_exercise
def test_each_mistake_gets_its_hint_and_none_earlier(exercise):
    assert len(exercise.mistakes) >= 3
    for mistake in exercise.mistakes:
        verdict = exercise(written(exercise, mistake))
        assert not verdict.passed, mistake.hint
        assert verdict.message == f"Not yet. {mistake.hint}"
        assert re.fullmatch(r"\S.*[.?)\]]", mistake.hint), mistake.hint
    told = (f"Not yet, for two reasons. {a.hint} And then: {b.hint}" for a, b in exercise.pairs())
    assert max(map(len, told), default=0) <= LONGEST
    # A planted mistake that stops with one of these would be named whoever meets the error.
    planted = [m for m in exercise.mistakes if not isinstance(m.wrong, type)]
    kinds = {getattr(o, "kind", None) for m in planted for o in _outcomes(exercise, m)}
    assert not kinds & {TypeError, NameError, AttributeError}


@pytest.mark.slow
@pytest.mark.parametrize("some", [2, pytest.param(10**6, marks=WEEKLY, id="all")])
@every_exercise
def test_pairs_of_mistakes_are_named(exercise, some):
    """Demand one of the two, or a mistake or two that give the same answers to the cases.

    A trace, or a kind of error, names whoever shows it. Two that cancel make a right function.
    """
    pairs = [*exercise.pairs()]
    for pair in random.Random(0).sample(pairs, min(some, len(pairs))):
        verdict = exercise(written(exercise, *pair))
        if verdict.passed:
            assert same(exercise, (), pair), pair
            continue
        named = [m for m in exercise.mistakes if m.hint in verdict.message]
        shown = any(m in pair or m.trace or isinstance(m.wrong, type) for m in named)
        both = [p for p in exercise.pairs() if p[0] in named and p[1] in named]
        ways = [*((m,) for m in named), *both]
        assert shown or any(same(exercise, way, pair, edges=False) for way in ways), (pair, verdict)


@every_exercise
def test_each_forbidden_way_is_noticed(exercise):
    for way in exercise.forbidden:
        space = {"right": written(exercise)}
        taken = "[x for x in given]" if way == "a loop" else f"lambda: np.{way}"
        exec(f"def answer(*given):\n    {taken}\n    return right(*given)", space)
        said = exercise(space["answer"]).message
        assert said.startswith(f"Right, but answer uses {way}, and this exercise asks"), said


@pytest.mark.parametrize("exercise", [e for e in FOUND.values() if e.then is not Exercise.then])
def test_right_numbers_that_lack_something_are_told_what(exercise):
    """Such as a gradient, or the type that is asked for."""
    plain = written(exercise)
    verdict = exercise(lambda *given: torch.as_tensor(as_array(plain(*given)), dtype=torch.double))
    assert not verdict.passed
    assert verdict.message.startswith("The numbers are right, but"), verdict


@pytest.mark.slow
@often
def test_nothing_a_wrong_shape_and_an_unknown_mistake_get_a_kind_sentence(exercise):
    """One entry is shown, and no wall of numbers."""
    told = exercise(written(exercise, instead=lambda *case: ...)).message
    assert "written returns nothing yet. Replace the …" in told
    told = exercise(written(exercise, instead=lambda *case: np.zeros((7, 7, 7, 7)))).message
    assert re.search(r"it should (be|return)|; expected", told), told
    assert len(told) < 400
    told = exercise(written(exercise, instead=lambda *case: _off(exercise.right(*case)))).message
    assert re.search("^Not yet. .* gives .*; expected ", told), told
    assert len(told) < 420


def _off(answer):
    """Write what is a little wrong, in the form of the right answer."""
    if isinstance(answer, tuple | list):
        return type(answer)(map(_off, answer)) or ["?"]
    if isinstance(answer, set | dict):
        return {*answer, "?"} if isinstance(answer, set) else {**answer, "?": 1}
    if isinstance(answer, bool):
        return not answer or 0.5
    return f"{answer}?" if isinstance(answer, str) else answer + 0.4321


@every_exercise
def test_a_changed_input_is_noticed(exercise):
    def spoiled(*given):
        for value in given:
            _spoil(value)
        return written(exercise)(*given)

    if not exercise.in_place and any(map(_spoil, copy.deepcopy(exercise.cases[0]))):
        assert "changes its input" in exercise(spoiled).message


def _spoil(value):
    """Change a value in place; say whether it can be changed."""
    if isinstance(value, np.ndarray) or hasattr(value, "detach"):
        if len(value):
            value[0] = value[0] * 0 + 1 if not bool((value[0] == 1).all()) else value[0] * 0
        return len(value) > 0
    if isinstance(value, list | dict) and value:
        value.clear()
        return True
    return False
