"""What all exercises share: mistakes that are written as changes, verdicts, and a limit of time."""

import signal
import time

import pytest

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.mistake import fit_together, rewritten
from bertbook.core.exercises.verdict import LONGEST, Verdict


def mean(numbers, weights):
    total = sum(n * w for n, w in zip(numbers, weights))
    return total / sum(weights)


CASE = [1, 2, 6], [1, 1, 2]


@pytest.mark.parametrize(
    ("wrong", "answer"),
    [
        ("/ sum(weights) →", 15),
        ("n * w → n || sum(weights) → len(weights)", 9 / 3),
        ("→ max(numbers)", 6),
        ("→ for n in numbers:\n    return n", 1),
        ("total / sum(…) → (total + sum(…)) / sum(…)", 19 / 4),
    ],
)
def test_what_is_changed_is_computed(wrong, answer):
    assert rewritten(mean, wrong)(*CASE) == answer


def test_two_changes_fit_if_they_touch_different_places():
    both = "→ 2 * right(numbers, weights)", "n * w → n"  # twice what the other makes
    assert fit_together(mean, *both) and rewritten(mean, *both)(*CASE) == 2 * 9 / 4
    assert fit_together(mean, "total / sum( → 2 * total / sum(", "/ sum(weights) → / sum(numbers)")
    assert not any(fit_together(mean, "n * w → n", other) for other in ("n * w → w", "→ 0", max))
    with pytest.raises(ValueError, match="change the same place of mean"):
        rewritten(mean, "n * w → n || w for → for")
    with pytest.raises(ValueError, match="mean has no 'tota' to change"):
        rewritten(mean, "tota → 1")


def test_several_ways_have_one_hint():
    last = "n * w → n || sum(weights) → len(weights) ¦ len(numbers) ¦ 1"
    mistakes = {last: "Which?", ("n * w → n", "n * w → w"): "Both?"}
    exercise = Exercise("Mean.", mean, [CASE], mistakes)
    assert [m.hint for m in exercise.mistakes] == [*["Which?"] * 3, *["Both?"] * 2]
    assert [exercise.answers(m)(*CASE) for m in exercise.mistakes] == [3, 3, 9, 9 / 4, 1]


def test_verdicts_show_readers_their_own_words_and_are_no_longer_than_anybody_reads():
    right, wrong = (Verdict(passed, "expected <b> & got [1., 2.]") for passed in (True, False))
    assert "expected &lt;b&gt; &amp; got [1., 2.]</p>" in right._repr_html_()
    assert right._repr_html_() != wrong._repr_html_()
    message = Verdict(False, "word " * 500).message
    assert len(message) == LONGEST == 600 and message.endswith("word…")
    assert Verdict(False, "x" * LONGEST).message == "x" * LONGEST


def never_ends(x):
    while True:
        x = x + 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows cannot interrupt")
def test_an_answer_that_never_ends_is_interrupted():
    start = time.monotonic()
    told = Exercise("Double.", lambda x: 2 * x, [(1,)], seconds=0.2)(never_ends).message
    assert "TimeoutError: no answer after 0.2 seconds. A loop may not end" in told
    assert time.monotonic() - start < 10
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
