"""Right answers to the exercises of Chapter 13, written in other ways, pass."""

import re

import numpy as np
import pytest

from minibert.checks.chapter13 import check_clipping, check_decays, check_mean_loss, check_schedule
from minibert.training import learning_rate_factor


def schedule(step, peak, warmup_steps, max_steps):
    """Right, and written as the lower of two straight lines."""
    rise = step / warmup_steps
    fall = (max_steps - step) / (max_steps - warmup_steps)
    return peak * min(rise, fall)


def clipping(weight, bias, longest):
    """Right, and written with the length of all numbers in one row."""
    length = np.linalg.norm([*weight.flat, *bias])
    if length <= longest:
        return weight, bias
    return weight / length * longest, bias / length * longest


def decays(name):
    """Right, and written with the last two parts of the name."""
    *_, module, kind = name.split(".")
    return module != "LayerNorm" and kind == "weight"


def mean_loss(means, labels):
    """Right, and written as a mean over a list of all labels."""
    return float(np.mean([m for m, n in zip(means, labels, strict=True) for _ in range(n)]))


def by_the_package(step, peak, warmup_steps, max_steps):
    return peak * learning_rate_factor(step, warmup_steps=warmup_steps, max_steps=max_steps)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_schedule, schedule),
        (check_clipping, clipping),
        (check_clipping, lambda *given: list(clipping(*given))),
        (check_decays, decays),
        (check_mean_loss, mean_loss),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_schedule, by_the_package, "learning_rate_factor"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
