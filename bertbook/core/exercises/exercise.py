"""An exercise as data: what is right, on which cases, and which mistakes are usual.

Calling it with a reader's function gives a verdict. Known mistakes come before complaints about
form, pairs of mistakes after single ones, and of unknown mistakes one entry is shown. Each chapter
has such exercises, from Chapter 1 on.
"""

from __future__ import annotations

import copy
import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from .common_mistakes import common_mistake, forbidden_way
from .compare import answers_equal, as_array, first_difference, form_problem, short_text
from .mistake import Mistake, as_mistakes, fit_together, rewritten
from .similarity import similarity
from .time_limit import time_limit
from .verdict import Verdict


def as_it_is(value: object) -> object:
    """Return a value as it is; stands for a step that is left out, or not taken."""
    return value


@dataclass(frozen=True)
class _Raised:
    """An error in place of an answer."""

    kind: type
    text: str


@dataclass(frozen=True, repr=False, eq=False)
class Exercise:
    """Exercise of a chapter, called with the reader's function.

    Called with a function, it returns a `Verdict`: it runs the function on copies of all cases and
    compares each answer with that of `right`. Wrong answers are compared with those of the usual
    mistakes, alone and in pairs; the hint of one that gives the same answers is the message.

    Args:
        question: What is asked, in a sentence.
        right: The solution.
        cases: The arguments of each call.
        mistakes: Usual mistakes and their hints; ``bertbook.core.exercises.mistake`` says how they
            are written.
        edges: Further cases, looked at when the others are right.
        rtol: Largest relative difference between equal numbers.
        seconds: Time for one call.
        forbidden: Names that the function may not use.
        given: Turns an argument of a case into what the function gets.
        read: Turns an answer into what is compared.
        then: Says what a function with right answers still lacks; empty if nothing.
        in_place: Whether the function is asked to change what it gets.
    """

    question: str
    right: Callable
    cases: Sequence[tuple]
    mistakes: Mapping | Sequence[Mistake] = ()
    edges: Sequence[tuple] = ()
    rtol: float = 1e-9
    seconds: float = 20
    forbidden: Sequence[str] = ()
    given: Callable = as_it_is
    read: Callable = as_it_is
    then: Callable = lambda function: ""  # what a function with right answers still lacks
    in_place: bool = False  # whether it is asked to change what it gets

    def __post_init__(self):
        object.__setattr__(self, "__doc__", self.question)
        object.__setattr__(self, "mistakes", as_mistakes(self.mistakes))

    def __repr__(self) -> str:
        return self.question

    def __call__(self, function: Callable) -> Verdict:
        """Run the reader's function on all cases and say what is right or wrong."""
        name = getattr(function, "__name__", "your function")
        problem = _call_problem(function, name, self.cases[0]) or self._problem(function, name)
        if problem:
            return Verdict(False, problem)
        if way := forbidden_way(function, self.forbidden):
            message = f"Right, but {name} uses {way}, and this exercise asks to do without."
            return Verdict(False, message)
        if lacks := self.then(function):
            return Verdict(False, f"The numbers are right, but {lacks}")
        count = len(self.cases) + len(self.edges)
        return Verdict(True, f"Right: {name} gives the right answer in all {count} cases.")

    def answers(self, *mistakes: Mistake) -> Callable:
        """Build the function of somebody who makes some mistakes, or none.

        Several mistakes must change different things.

        Args:
            *mistakes: At most two, which change different things.

        Returns:
            Takes what `right` takes.
        """
        wrong = mistakes[0].wrong if mistakes else {}
        if isinstance(wrong, type):
            return _raising(wrong)
        if isinstance(wrong, str):
            return rewritten(self.right, *(f"{m.wrong}" for m in mistakes))
        if not isinstance(wrong, Mapping):
            return wrong
        switches = {name: value for m in mistakes for name, value in m.switches.items()}
        return lambda *case: self.right(*case, **switches)

    def pairs(self) -> Iterator[tuple[Mistake, Mistake]]:
        """Yield every two mistakes that can be made at once, as they change different things.

        Yields:
            The first stands before the second in `mistakes`.
        """
        for pair in combinations(self.mistakes, 2):
            first, second = (mistake.switches.keys() for mistake in pair)
            switched = first and second and not first & second
            if switched or fit_together(self.right, *(mistake.wrong for mistake in pair)):
                yield pair

    def _problem(self, function: Callable, name: str) -> str:
        """Return what is wrong with the answers; empty if nothing is."""
        cases, answers = [*self.cases, *self.edges], []
        for case in cases:
            arguments = tuple(map(self.given, copy.deepcopy(case)))
            with time_limit(self.seconds):
                answer = _outcome(function, arguments)
            if answer is None or answer is Ellipsis:
                return _nothing(name, case, bool(answers))
            if isinstance(answer, _Raised) and answer.kind is TimeoutError:
                return _error(name, [answer], [case])
            if not (self.in_place or all(map(_is_as_given, arguments, case))):
                return f"{name} changes its input. Work on a copy: a caller may need it again."
            answers.append(answer if isinstance(answer, _Raised) else self.read(answer))
        return self._diagnosis(name, answers[: len(self.cases)], self.cases) or self._diagnosis(
            name, answers, cases
        )

    def _diagnosis(self, name: str, answers: Sequence, cases: Sequence[tuple]) -> str:
        """Name the mistake behind the answers to some cases; empty if they are right."""
        wants = _outcomes(self)
        if _same(answers, wants, self.rtol):
            return ""
        return (
            self._known(answers, cases)
            or _error(name, answers, cases)
            or _unknown(name, answers, wants, cases, self.rtol)
        )

    def _known(self, answers: Sequence, cases: Sequence[tuple]) -> str:
        """Name the usual mistake, or the two of them, that give these answers."""
        for mistake in self.mistakes:
            if isinstance(mistake.wrong, type):
                kinds = [a.kind for a in answers if isinstance(a, _Raised)]
                made = any(issubclass(kind, mistake.wrong) for kind in kinds)
            else:
                made = self._gives(answers, mistake)
            if made:
                return f"Not yet. {mistake.hint}"
        for first, second in self.pairs():
            if self._gives(answers, first, second):
                hints = dict.fromkeys((first.hint, second.hint))
                said = "Not yet, for two reasons." if len(hints) > 1 else "Not yet."
                return f"{said} {' And then: '.join(hints)}"
        for mistake in self.mistakes:
            if all(map(mistake.shows, answers, _outcomes(self), cases)):
                return f"Not yet. {mistake.hint}"
        return ""

    def _gives(self, answers: Sequence, *mistakes: Mistake) -> bool:
        """Return whether somebody who makes some mistakes answers so, up to the first that differs.

        Of many pairs of mistakes most differ in the first case, which is the smallest.
        """
        function = self.answers(*mistakes)
        return all(
            _same([answer], [_outcome(function, copy.deepcopy(case))], self.rtol)
            for answer, case in zip(answers, [*self.cases, *self.edges])
        )


def attempt(function: Callable, *case: object, copied: Callable = copy.deepcopy) -> tuple[Any, str]:
    """Run a reader's function for a checker of its own kind: the answer, and what is wrong."""
    name = getattr(function, "__name__", "your function")
    if problem := _call_problem(function, name, case):
        return None, problem
    with time_limit(20):
        answer = _outcome(function, copied(case))
    if answer is None or answer is Ellipsis:
        return None, _nothing(name, case, False)
    return answer, _error(name, [answer], [case])


def _is_as_given(argument: object, original: object) -> bool:
    """Return whether a function has left an argument as it was; an iterator is there to be used."""
    before, after = (getattr(one, "grad", None) is None for one in (original, argument))
    left = before and not after  # a gradient, which adds to the next one
    return not left and (isinstance(argument, Iterator) or answers_equal(argument, original, 0.0))


def _raising(kind: type[Exception]) -> Callable:
    def function(*case):
        raise kind.__new__(kind)  # some errors take arguments of their own

    return function


@cache
def _outcomes(exercise: Exercise, *mistakes: Mistake) -> list:
    """Run the right function, or one with mistakes, on all cases, once."""
    function = exercise.answers(*mistakes)
    cases = [*exercise.cases, *exercise.edges]
    return [_outcome(function, copy.deepcopy(case)) for case in cases]


def _outcome(function: Callable, arguments: Sequence) -> object:
    """Run a function quietly; whatever it raises is an answer to explain."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = function(*arguments)
            return list(answer) if isinstance(answer, Iterator) else answer
        except Exception as error:
            return _Raised(type(error), str(error))


def _same(answers: Sequence, wants: Sequence, rtol: float) -> bool:
    """Compare the outcomes of all cases; an error equals one of its kind that says the same."""
    return all(
        got == want
        if isinstance(got, _Raised) and isinstance(want, _Raised)
        else not isinstance(got, _Raised | type(None))
        and not isinstance(want, _Raised)
        and answers_equal(got, want, rtol)
        for got, want in zip(answers, wants)
    )


def _call_problem(function: Callable, name: str, case: tuple) -> str:
    """Return that a function does not take the arguments of a case."""
    try:
        inspect.signature(function).bind(*case)
    except TypeError as error:
        return (
            f"{name} stopped with TypeError: {error}. It is called with {len(case)} argument(s); "
            "leave its first line as the exercise has it."
        )
    except ValueError:  # some functions written in C do not tell
        return ""
    return ""


def _nothing(name: str, case: tuple, elsewhere: bool) -> str:
    if elsewhere:
        return f"{_call(name, case)} returns nothing. Does every way through it end in a return?"
    return f"{name} returns nothing yet. Replace the … by your code and return the result."


def _error(name: str, answers: Sequence, cases: Sequence[tuple]) -> str:
    """Explain the first error by the mistake that usually raises it; empty if there is none."""
    for answer, case in zip(answers, cases):
        if isinstance(answer, _Raised):
            said = re.sub(", with gufunc signature .*?->.*? ", " ", answer.text)[:200].rstrip(". ")
            text = f"{name} stopped with {': '.join(filter(None, [answer.kind.__name__, said]))}."
            cause = common_mistake(answer.kind, answer.text)
            return " ".join(filter(None, [text, cause, f"Called as {_call(name, case)}."]))
    return ""


def _unknown(
    name: str, answers: Sequence, wants: Sequence, cases: Sequence[tuple], rtol: float
) -> str:
    """Complain about the form, or show one entry that differs in the smallest case."""
    alike, count = similarity(answers, wants[: len(cases)]), len(cases)
    for answer, want, case in zip(answers, wants, cases):
        if problem := form_problem(answer, want):
            parts = [f"{name} {problem}.", alike, f"Called as {_call(name, case)}."]
            return " ".join(filter(None, parts))
    wrong = [trio for trio in zip(answers, wants, cases) if not answers_equal(*trio[:2], rtol)]
    answer, want, case = min(wrong, key=lambda trio: _size(trio[2]))
    where, got, right = first_difference(answer, want, rtol)
    strange = isinstance(got, float) and not np.isfinite(got)
    shown = short_text(got) + (f" at {where}" if where else "")
    message = f"{_call(name, case)} gives {shown}; expected {short_text(right)}."
    rest = f"Right in {count - len(wrong)} of {count} cases." if len(wrong) < count else ""
    parts = ["Not yet.", "Some numbers are not finite." if strange else "", message]
    return " ".join(filter(None, [*parts, alike, rest]))


def _size(value: object) -> int:
    """Count the numbers and words in the arguments of a case."""
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    array = as_array(value)
    return int(np.size(array)) if isinstance(array, np.ndarray) else 1


def _call(name: str, case: tuple) -> str:
    return f"{name}({', '.join(map(short_text, case))})"
