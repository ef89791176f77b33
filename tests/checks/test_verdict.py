"""What a checker says of every kind of answer."""

import math
import re
import signal
import time
from fractions import Fraction

import numpy as np
import pytest
import torch

from bertbook.core.exercises.exercise import Exercise, Mistake
from bertbook.core.exercises.verdict import LONGEST, Verdict

plus = np.add
CASES = [(np.array([1.0, 2.0]),), (np.zeros(3),)]


def double(x, *, factor=2, shift=0, turn=1):
    return turn * (factor * x + shift)


def judge(function, **changes):
    given = {"question": "Double.", "right": double, "cases": CASES} | changes
    return Exercise(**given)(function)


def raises(x):
    raise KeyError("lost")


def asserts(x):
    if len(x) != 7:
        raise AssertionError


def never_ends(x):
    while True:
        x = x + 1


def changes_input(x):
    x *= 2
    return x


def sometimes(x):
    return 2 * x if len(x) == 2 else None


def with_a_loop(x):
    return np.array([2 * entry for entry in x])


def with_while(x):
    result = 0 * x
    while not np.array_equal(result, 2 * x):
        result = result + x
    return result


def through_a_helper(x):
    return with_a_loop(x)


def by_a_library(x):
    return np.add(x, x)


def by_another_name(x):
    return plus(x, x)


def add(x, y):
    return x + y


def by_an_own_function_of_that_name(x):
    return add(x, x)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: None, "returns nothing yet"),
        (sometimes, r"sometimes\(\[0., 0., 0.\]\) returns nothing. Does every way"),
        (raises, "stopped with KeyError: 'lost'. It looks up a name that is not there"),
        (lambda: 1, r"stopped with TypeError: .* called with 1 argument\(s\); leave its first"),
        (changes_input, "changes its input"),
        (lambda x: 2 * x.sum(), r"shape \(\); it should be \(2,\)"),
        (lambda x: "2 4", r"returns one string; it should return an array of shape \(2,\)"),
        (lambda x: x * np.nan, r"not finite. .*\(\[1., 2.\]\) gives nan at \[0\]; expected 2"),
        (lambda x: 2 * x + [0, 1] if len(x) == 2 else x, r"gives 5.* at \[1\]; expected 4"),
        (lambda x: x + np.zeros((2, 2)) + np.zeros(3), "lose its axis. keepdims=True"),
        (lambda x: x[-100], "-100 is no index"),
        (lambda x: x[9], "IndexError.*not there"),
        (lambda x: x[0, 0], "IndexError.*fewer axes than you index"),
        (lambda x: np.ones((3, 4)) @ np.ones((3, 4)), r"\(size 3 is different.*swapaxes\(-1, -2\)"),
        (lambda x: math.exp(x), "np.exp, take whole arrays"),
        (asserts, "stopped with AssertionError. An assert stops the function"),
        (lambda x: torch.zeros(2, 3).T.view(6), "reshape instead of view"),
        (lambda x: x.reshape(3, 5), "sizes of the new shape"),
        (lambda x: 1 / 0, "divides by 0"),
        (lambda x: undefined, "Run the cell that defines"),  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
        (lambda x: x.detach(), "different methods"),
        (lambda x: x + None, "Something is None"),
        (lambda x: x if x > 0 and x < 9 else 0, "joined with & and |"),
        (lambda x: CASES[1][0][x], "Whole numbers belong in the brackets"),
        (lambda x: ["a"].index(2), "For entry number n write"),
        (lambda x: [1.0] / [2.0], r"np.array\(…\)"),
        (lambda x: torch.zeros(2, 3).max(dim=1) / 2, "Take .values, or amax"),
        (
            lambda x: torch.nn.functional.cross_entropy(torch.zeros(2, 3), torch.arange(3)),
            "Each row of scores needs one label",
        ),
        (lambda x: {[1]: 2}, "A list can be no key of a dict"),
        (lambda x: {} - {}, "Their keys\\(\\) have, as sets"),
        (lambda x: np.concatenate([x, [x]]), r"first: \.ravel\(\)"),
        (lambda x: math.log(0), "There is no logarithm of 0"),
        (lambda x: np.frombuffer(b"four"), "takes 8, unless it is told"),
        (lambda x: [].append(1).append(2), "in place, as append does, returns None"),
        (lambda x: {}.weight, r"A dict is asked by \[\"name\"\]"),
    ],
)
def test_wrong_answers_are_explained(function, words):
    verdict = judge(function)
    assert not verdict.passed
    assert re.search(words, verdict.message), verdict.message
    assert len(verdict.message) < 500


def test_right_answer_passes_with_its_name():
    verdict = judge(double)
    assert verdict.passed
    exercise = Exercise("Double a number.", double, CASES)
    assert repr(exercise) == exercise.__doc__ == "Double a number."
    assert repr(verdict) == "Right: double gives the right answer in all 2 cases."


def test_verdicts_wrap_on_a_narrow_page_and_show_readers_their_own_words():
    message = "expected <b> & got [1., 2.]"
    right, wrong = (Verdict(passed, message)._repr_html_() for passed in (True, False))
    assert "expected &lt;b&gt; &amp; got [1., 2.]</p>" in right
    assert right != wrong


def test_no_message_is_longer_than_anybody_reads():
    message = Verdict(False, "word " * 500).message
    assert len(message) == LONGEST == 600
    assert message.endswith("word…")
    assert Verdict(False, "x" * LONGEST).message == "x" * LONGEST


@pytest.mark.parametrize(
    ("want", "answers"),
    [
        (np.array([1.0, 2.0]), [[1, 2], (1.0, 2.0), torch.tensor([1.0, 2.0]), [Fraction(1), 2]]),
        (3.0, [3, np.float32(3), np.array(3), torch.tensor(3.0), Fraction(3)]),
        (True, [np.True_, torch.tensor(True)]),
        ((1.0, 2.0), [[1.0, 2.0], np.array([1, 2]), torch.tensor([1, 2]), (Fraction(1), 2)]),
        ((np.ones(2), 1), [[[1, 1], 1], (torch.ones(2), torch.tensor(1))]),
        ([1, -100], [(1, -100), np.array([1, -100]), torch.tensor([1, -100]), iter([1, -100])]),
        (["a", "b"], [("a", "b"), np.array(["a", "b"]), {"a": 1, "b": 2}.keys()]),
        ([("a", "b")], [[["a", "b"]], np.array([["a", "b"]])]),
        ({"a", "b"}, [["a", "b"], ("b", "a"), frozenset("ab"), {"a": 1, "b": 2}.keys()]),
    ],
)
def test_no_right_answer_is_refused_for_its_dress(want, answers):
    for answer in [want, *answers]:
        verdict = Exercise("Be still.", lambda: want, [()])(lambda answer=answer: answer)
        assert verdict.passed, (answer, verdict)


@pytest.mark.parametrize(
    ("want", "answer", "words"),
    [
        (3.0, [3.0], r"returns shape \(1,\); it should be \(\)"),
        (3.0, "3", "returns one string; it should return a number"),
        ((1.0, 2.0), 1.0, r"returns 1 value\(s\); it should return 2"),
        ((1.0, 2.0, 3.0), np.ones((2, 4)), r"one array of shape \(2, 4\); it should return 3"),
        ((np.ones(2), 1), (np.ones(3), 1), r"shape \(3,\); it should be \(2,\)"),
        (["a", "b"], "ab", "returns one string; it should return a list"),
        (["a", "b"], ["b", "a"], r"gives 'b' at \[0\]; expected 'a'"),
        (["a", "b"], ["a"], r"gives \['a'\]; expected \['a', 'b'\]"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, r"gives 2 at \['a'\]\['b'\]; expected 1"),
        ({"a": 1}, {}, r"gives 'nothing' at \['a'\]; expected 1"),
        (np.eye(30), np.ones((30, 30)), r"gives 1.* at \[0, 1\]; expected 0"),
        (np.array([np.nan, 1.0]), np.array([0.0, 1.0]), r"gives 0.* at \[0\]; expected nan"),
    ],
)
def test_one_thing_that_differs_is_shown(want, answer, words):
    verdict = Exercise("Be still.", lambda: want, [()])(lambda: answer)
    assert not verdict.passed
    assert re.search(words, verdict.message), verdict.message


def test_the_smallest_case_is_shown_and_large_arguments_by_their_shape():
    cases = [(np.ones((9, 9)),), (np.ones(2),)]
    assert "([1., 1.]) gives 3 at [0]; expected 2." in judge(lambda x: 3 * x, cases=cases).message
    assert "(array (9, 9)) gives" in judge(lambda x: 3 * x, cases=cases[:1]).message


IS_IT = Mistake({"factor": 1}, "Is it doubled?")
SHIFTED = Mistake({"shift": 1}, "What is added?")
TURNED = Mistake({"turn": -1}, "Which sign?")


def test_known_mistake_gets_its_hint_and_others_do_not():
    mistakes = [IS_IT, Mistake(lambda x: x.sum(), "A sum."), Mistake(KeyError, "Which key?")]
    assert judge(lambda x: x + 0, mistakes=mistakes).message == "Not yet. Is it doubled?"
    assert "Is it doubled" not in judge(lambda x: 5 * x, mistakes=mistakes).message


def test_known_mistakes_come_before_shapes_and_errors():
    mistakes = [Mistake(lambda x: x.sum(), "A sum."), Mistake(KeyError, "Which key?"),
                Mistake(lambda x: x @ np.ones((5, 5)), "Transposed?")]  # fmt: skip
    assert judge(np.sum, mistakes=mistakes).message == "Not yet. A sum."
    assert judge(raises, mistakes=mistakes).message == "Not yet. Which key?"
    wrong = judge(lambda x: x @ np.zeros((5, 5)), mistakes=mistakes)
    assert wrong.message == "Not yet. Transposed?"


def test_a_mistake_with_many_faces_is_known_by_its_trace():
    constant = Mistake(np.ones_like, "A constant.", trace=lambda got, want, x: np.ptp(got) == 0)
    assert judge(lambda x: 0 * x - 7, mistakes=[constant]).message == "Not yet. A constant."
    assert "A constant" not in judge(np.negative, mistakes=[constant]).message
    assert "shape" in judge(np.sum, mistakes=[constant]).message


def test_numbers_of_32_bits_are_as_near_as_they_can_be():
    cases = [(np.array([0.1, 1 / 3]),)]
    assert judge(lambda x: np.float32(2 * x), cases=cases).passed
    assert not judge(lambda x: np.float16(2 * x), cases=cases).passed
    assert not judge(lambda x: 2 * x + 1e-6, cases=cases).passed


def test_mistake_must_agree_on_every_case():
    """An answer that is wrong in one case only is not the known mistake."""
    message = judge(lambda x: x if len(x) == 2 else x + 1, mistakes=[IS_IT]).message
    assert "Is it doubled" not in message


def test_two_mistakes_at_once_get_both_hints():
    mistakes = [IS_IT, SHIFTED, Mistake({"shift": 2}, "Two?"), TURNED]
    verdict = judge(lambda x: -(2 * x + 1), mistakes=mistakes)
    assert verdict.message == "Not yet, for two reasons. What is added? And then: Which sign?"
    exercise = Exercise("Double.", double, CASES, mistakes)
    assert len([*exercise.pairs()]) == 5  # the two that switch the same thing are no pair
    assert not exercise(lambda x: -(x + 1)).message.startswith("Not yet, for two")


def test_edges_decide_when_all_else_is_right():
    edges = [(np.array([1e300]),)]
    mistakes = [IS_IT, Mistake(lambda x: (2 * x * 1e10) / 1e10, "It overflows.")]

    def fragile(x):
        return x * 1e10 * 2 / 1e10

    assert judge(fragile, mistakes=mistakes).passed
    verdict = judge(fragile, mistakes=mistakes, edges=edges)
    assert verdict.message == "Not yet. It overflows."
    half = judge(lambda x: fragile(x) / 2, mistakes=mistakes, edges=edges)
    assert half.message == "Not yet. Is it doubled?"
    assert judge(double, edges=edges).message.endswith("in all 3 cases.")


@pytest.mark.parametrize(
    ("function", "way"),
    [
        (with_a_loop, "a loop"),
        (with_while, "a loop"),
        (through_a_helper, "a loop"),
        (by_a_library, "add"),
        (by_another_name, "add"),
        (by_an_own_function_of_that_name, ""),
        (double, ""),
        (np.positive, None),
        (np.exp, None),
    ],
)
def test_a_forbidden_way_is_noticed(function, way):
    verdict = judge(function, forbidden=["a loop", "add"])
    assert verdict.passed == (way == "")
    if way:
        assert f"Right, but {function.__name__} uses {way}, and" in verdict.message
        assert judge(function).passed


def test_a_function_may_be_given_tensors():
    cases = [(np.array([1.0, 2.0]), 3)]
    given = {"cases": cases, "right": lambda x, n: n * x}

    def to_tensor(x):
        return torch.from_numpy(x) if isinstance(x, np.ndarray) else x

    assert judge(lambda x, n: x.mul(n).requires_grad_(), given=to_tensor, **given).passed
    changed = judge(lambda x, n: x.mul_(n), given=to_tensor, **given)
    assert "changes its input" in changed.message


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows cannot interrupt")
def test_an_answer_that_never_ends_is_interrupted():
    start = time.monotonic()
    told = judge(never_ends, seconds=0.2).message
    assert "TimeoutError: no answer after 0.2 seconds. A loop may not end" in told
    assert time.monotonic() - start < 10
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert judge(double, seconds=0.2).passed
