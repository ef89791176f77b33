"""A mistake as a change in the source of the solution."""

import re

import pytest

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.mistake import fit_together, rewritten


def mean(numbers, weights):
    total = sum(n * w for n, w in zip(numbers, weights))
    return total / sum(weights)


CASE = [1, 2, 6], [1, 1, 2]


@pytest.mark.parametrize(
    ("wrong", "answer"),
    [
        ("/ sum(weights) →", 15),
        ("n * w → n || sum(weights) → len(weights)", 9 / 3),
        ("numbers → weights || weights → numbers", 15 / 9),
        ("→ max(numbers)", 6),
        ("→ 2 * right(numbers, weights)", 15 / 2),
        ("→ return min(numbers)", 1),
        ("→ for n in numbers:\n    return n", 1),
        ("= sum(…) → = -sum(…)", -15 / 4),
        ("total / sum(…) → (total + sum(…)) / sum(…)", 19 / 4),
    ],
)
def test_what_is_changed_is_computed(wrong, answer):
    assert rewritten(mean, wrong)(*CASE) == answer


@pytest.mark.parametrize(
    ("both", "answer"),
    [
        (("n * w → n", "/ sum(weights) → / len(numbers)"), 9 / 3),
        (("→ 2 * right(numbers, weights)", "n * w → n"), 2 * 9 / 4),  # of what the other makes
    ],
)
def test_two_changes_at_once(both, answer):
    assert fit_together(mean, *both)
    assert rewritten(mean, *both)(*CASE) == answer


def test_what_stays_the_same_is_not_changed():
    assert fit_together(mean, "total / sum( → 2 * total / sum(", "/ sum(weights) → / sum(numbers)")


@pytest.mark.parametrize(
    "wrong", [("n * w → n", "n * w → w"), ("n * w → n", "→ 0"), (max, "n * w → n")]
)
def test_changes_of_one_place_do_not_fit(wrong):
    assert not fit_together(mean, *wrong)


def test_what_does_not_stand_there_is_refused():
    with pytest.raises(ValueError, match=re.escape("mean has no 'tota' to change")):
        rewritten(mean, "tota → 1")
    with pytest.raises(ValueError, match="change the same place of mean"):
        rewritten(mean, "n * w → n || w for → for")


@pytest.mark.parametrize("ways", [("n * w → n", "n * w → w"), "n * w → n ¦ w"])
def test_several_ways_have_one_hint(ways):
    exercise = Exercise("Mean.", mean, [CASE], {ways: "Both?", OSError: "O?"})
    assert [m.hint for m in exercise.mistakes] == ["Both?", "Both?", "O?"]
    assert [exercise.answers(m)(*CASE) for m in exercise.mistakes[:2]] == [9 / 4, 1]
    assert exercise(lambda n, w: sum(n) / sum(w)).message == "Not yet. Both?"


def test_the_last_of_two_changes_may_have_several_ways():
    ways = "n * w → n || sum(weights) → len(weights) ¦ len(numbers) ¦ 1"
    exercise = Exercise("Mean.", mean, [CASE], {ways: "Which?"})
    assert [exercise.answers(m)(*CASE) for m in exercise.mistakes] == [9 / 3, 9 / 3, 9]
