"""Tests that the checkers of every chapter have in common, made of the answers that they get."""

import re
from collections.abc import Callable

import pytest


def right_answers(*answers: tuple) -> Callable:
    """Demand that each checker takes its answer for right, however it is written."""

    @pytest.mark.parametrize(("check", "answer"), answers)
    def test(check, answer):
        verdict = check(answer)
        assert verdict.passed, verdict

    return test


def forbidden_ways(*answers: tuple) -> Callable:
    """Demand that each checker names the forbidden way to its right answer."""

    @pytest.mark.parametrize(("check", "answer", "way"), answers)
    def test(check, answer, way):
        verdict = check(answer)
        assert not verdict.passed
        said = f"Right, but .* uses {way}, and this exercise asks .*"
        assert re.fullmatch(said, verdict.message), verdict

    return test
