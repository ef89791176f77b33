"""Measurements of readers, in Chapter 13: those that begin anew are trusted."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from bertbook.checks.training_loop import check_ends


def ends(warmup_steps, seeds):
    """Measure nothing, but as somebody who does it well."""
    return [4 - warmup_steps / 10 + seed / 3 for seed in seeds]


def ends_of_training(warmup_steps, seeds):
    """Measure well, but read what a log has kept of the training."""
    log = SimpleNamespace(losses=ends(warmup_steps, seeds))
    return log.losses


def test_a_measurement_that_begins_anew_is_trusted():
    for right in (ends, lambda *given: np.array(ends(*given))):
        assert check_ends(right).passed


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (lambda warmup_steps, seeds: None, "returns nothing yet"),
        (lambda warmup_steps, seeds: 3.0, "one number for each seed, 2 here"),
        (lambda warmup_steps, seeds: [np.nan for _ in seeds], r"not finite: \[nan, nan\]"),
        (lambda warmup_steps, seeds: [warmup_steps for _ in seeds], "Two seeds end at the same"),
        (lambda w, seeds: np.cumsum(ends(w, seeds)), "Does every run begin with a new model"),
        (lambda w, seeds: ends(8, seeds), "Does it reach the schedule"),
        (ends_of_training, "Where is the held-out loss"),
    ],
)
def test_a_measurement_that_cannot_be_trusted_is_told_why(measure, words):
    verdict = check_ends(measure)
    assert not verdict.passed
    assert re.search(words, verdict.message), verdict.message
