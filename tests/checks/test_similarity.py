"""What a checker says of answers that no usual mistake explains, but that are like the right."""

import numpy as np
import pytest

from bertbook.core.exercises.compare import short_text
from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.similarity import similarity

WANT = [np.array([1.5, -2.0, 0.0]), (0.375, [4.0, 1.5])]


def all_of(change):
    return [change(WANT[0]), (change(WANT[1][0]), [change(x) for x in WANT[1][1]])]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: -x, "Right up to the sign."),
        (np.abs, "The sizes are right, some signs are not."),
        (lambda x: 100 * x, "Each number is 100 times the right one."),
        (lambda x: x + 1, "Each number is too large by 1."),
        (lambda x: 1 - x, "It is turned around: 1 minus yours is right."),
        (lambda x: np.round(x, 1), "These are the right numbers, rounded. Keep all digits."),
        (lambda x: x * (1 + 1e-6), "Nearly right: something small is added or left out."),
        (lambda x: x**2, "You return the squares of the right numbers."),
        (lambda x: x**3, ""),
        (lambda x: x * np.nan, ""),
        (lambda x: "word", ""),
    ],
)
def test_what_all_numbers_have_in_common_is_said(change, told):
    assert similarity(all_of(change), WANT) == told


@pytest.mark.parametrize(
    ("got", "want", "told"),
    [
        (["b", "a"], ["a", "b"], "These are the right entries, in another order."),
        (np.array([0.5, 0.25]), np.array([2.0, 4.0]), "It is upside down: 1 divided by yours"),
        ([[1], [2, 3]], [1, 2, 3], "These are the right entries, differently nested."),
        (["1", 2], [1, 2], "These are the right entries, but some are text where a number"),
        ((["a"], "b"), ["a"], "The first of the things that you return is right."),
        (["b", "b"], ["a", "b"], ""),
        (-1.0, 1.0, ""),
        ([1.0], [1.0, 2.0], ""),
    ],
)
def test_one_number_proves_nothing_and_an_order_is_noticed(got, want, told):
    found = similarity([got], [want])
    assert found == told or (told and found.startswith(told))


def test_what_each_case_is_multiplied_by_is_said():
    """As for somebody who divides by a count that is right in one case only."""
    want = [np.array([1.0, 3.0]), np.array([2.0, 0.0, 5.0]), 4.0]
    told = similarity([want[0], want[1] / 3, 6.0], want)
    assert told.startswith("Right but for a factor, 1, 0.3333, 1.5 in the cases. By what")
    assert similarity([want[0], want[1] / 3, 4 * np.pi], want) == ""  # any number is a multiple
    assert similarity([want[0], want[1] + 1, 6.0], want) == ""


def test_the_one_of_several_results_that_is_wrong_is_named():
    want = [(1.0, np.array([1.0, 2.0])), (3.0, np.array([5.0, 2.0]))]
    told = similarity([(a, [*-b]) for a, b in want], want)
    assert told == "Only the second of the 2 that you return is wrong. Right up to the sign."
    assert similarity([(-a, b * [1, 2]) for a, b in want], want) == ""


def test_an_answer_that_hangs_on_no_argument_is_noticed():
    assert similarity([2.5, 2.5], [1.0, 2.0]).startswith("Your answer is the same for every input.")
    assert similarity([2.5, 2.5], [1.0, 1.0]) == ""


def test_a_verdict_says_it_and_in_how_many_cases_all_is_right():
    exercise = Exercise("Double.", lambda x: 2 * x, [(0.0,), (1.0,), (3.0,)], edges=[(5.0,)])
    told = exercise(lambda x: 200 * x).message
    assert told.endswith(
        "expected 2. Each number is 100 times the right one. Right in 1 of 3 cases."
    )
    told = exercise(lambda x: 2 * x if x < 5 else np.inf).message
    assert told.startswith("Not yet. Some numbers are not finite. <lambda>(5) gives inf")


def test_a_function_is_shown_by_its_name():
    assert short_text((short_text, 1)) == "(short_text, 1)"
