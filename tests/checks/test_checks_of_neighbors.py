"""A sentence that turns a word's vector, in Chapter 1: it passes, or is told what it lacks."""

import numpy as np
import pytest

from bertbook.topics.neighbors.checks import check_sentence

STATIC = {
    "a": [4, 4], "light": [2, 2], "pie": [3, 1], "with": [1, 0], "two": [0, 1], "rooms": [0, 1],
    "between": [0, 1], "cherry": [5, 1], "digital": [1, 5], "signal": [0, 3],
}  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        "A light pie between two rooms, two rooms.",
        np.array(["“Light”", "pie", "two", "two", "two"]),
    ],
)
def test_a_sentence_that_turns_light_passes(answer):
    verdict = check_sentence(lambda: answer, STATIC)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (None, "returns nothing yet"),
        ("a light pie with cherry", "cosine 0.97 with cherry and 0.59 with digital"),
        ("a light pie with a signal", "'signal' is not allowed"),
        ("a pie between two rooms", "has light 0 times"),
        ("light between two rooms", "should be about a pie"),
        ("a light pie upstairs", "'upstairs' does not stand in the tiny corpus"),
        (3, "'3' does not stand"),
    ],
)
def test_a_sentence_that_does_not(answer, hint):
    verdict = check_sentence(lambda: answer, STATIC)
    assert not verdict.passed
    assert hint in verdict.message
