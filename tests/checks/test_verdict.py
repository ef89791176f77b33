"""What a checker says of every kind of answer."""

import re

import numpy as np
import pytest

from minibert.checks.verdict import Mistake, Verdict, check


def double(x):
    return 2 * x


CASES = [(np.array([1.0, 2.0]),), (np.zeros(3),)]


def judge(function, **changes):
    return check(function, **{"right": double, "cases": CASES, **changes})


def raises(x):
    raise KeyError("lost")


def changes_input(x):
    x *= 2
    return x


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: None, "returns nothing yet"),
        (lambda x: ..., "returns nothing yet"),
        (raises, "stopped with KeyError: 'lost'"),
        (lambda: 1, "stopped with TypeError"),
        (changes_input, "changes its input"),
        (lambda x: 2 * x.sum(), r"shape \(\); it should be \(2,\)"),
        (lambda x: (x, x), r"returns 2 value\(s\); it should return 1"),
        (lambda x: x * np.nan, "not finite"),
        (lambda x: ["a", "b"] if len(x) == 2 else ["a"] * 3, "gives"),
        (lambda x: 3 * x, r"gives \[3., 6.\]; expected \[2., 4.\]"),
    ],
)
def test_wrong_answers_are_explained(function, words):
    verdict = judge(function)
    assert not verdict.passed
    assert re.search(words, verdict.message), verdict.message


def test_right_answer_passes_with_its_name():
    verdict = judge(double)
    assert verdict.passed
    assert repr(verdict) == "Right: double gives the right answer in all 2 cases."


def test_verdicts_wrap_on_a_narrow_page_and_show_readers_their_own_words():
    message = "expected <b> & got [1., 2.]"
    right, wrong = (Verdict(passed, message)._repr_html_() for passed in (True, False))
    assert "expected &lt;b&gt; &amp; got [1., 2.]</p>" in right
    assert right != wrong


def test_known_mistake_gets_its_hint_and_others_do_not():
    mistakes = [Mistake(lambda x: x, "Is it doubled?"), Mistake(lambda x: x / 0, "never")]
    assert judge(lambda x: x + 0, mistakes=mistakes).message == "Not yet. Is it doubled?"
    assert "Is it doubled" not in judge(lambda x: 5 * x, mistakes=mistakes).message


def test_mistake_must_agree_on_every_case():
    """An answer that is wrong in one case only is not the known mistake."""
    mistakes = [Mistake(lambda x: x, "Is it doubled?")]
    message = judge(lambda x: x if len(x) == 2 else x + 1, mistakes=mistakes).message
    assert "Is it doubled" not in message


def test_results_of_several_parts_and_of_text():
    cases = [(1.0, "a")]

    def right(x, name):
        return x, name

    assert check(right, right=right, cases=cases).passed
    assert not check(lambda x, name: (x, "b"), right=right, cases=cases).passed


def test_nan_is_equal_only_to_nan():
    cases = [(np.array([np.nan, 1.0]),)]
    assert check(double, right=double, cases=cases).passed
    assert not check(lambda x: np.nan_to_num(2 * x), right=double, cases=cases).passed
