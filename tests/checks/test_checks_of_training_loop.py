"""Measurements of readers, in Chapter 13: those that begin anew are trusted."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bertbook.topics.training_loop.checks import check_ends


def ends(warmup_steps, seeds, peak=0.03):
    """Train a single number for each seed, and measure as somebody who does it well."""
    found = []
    for seed in seeds:
        weight = torch.nn.Parameter(torch.tensor(4.0 + seed))
        optimizer = torch.optim.SGD([weight])
        for step in range(1, 13):
            optimizer.param_groups[0]["lr"] = peak * min(step / warmup_steps, 1)
            optimizer.zero_grad()
            (weight**2).backward()
            optimizer.step()
        found.append(weight.item())
    return found


def made_up(warmup_steps, seeds):
    """Measure nothing."""
    return [0.1 * seed + warmup_steps for seed in seeds]


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
        (lambda w, seeds: [end * np.nan for end in ends(w, seeds)], r"not finite: \[nan, nan\]"),
        (made_up, "No optimizer made an update"),
        (lambda w, seeds: ends(w, seeds, peak=0.01), "runs is 0.01. Which peak"),
        (lambda w, seeds: [np.mean(ends(w, seeds))] * len(seeds), "Two seeds end at the same"),
        (lambda w, seeds: np.cumsum(ends(w, seeds)), "Does every run begin with a new model"),
        (lambda w, seeds: ends(8, seeds), "Does it reach the schedule"),
        (ends_of_training, "Where is the held-out loss"),
    ],
)
def test_a_measurement_that_cannot_be_trusted_is_told_why(measure, words):
    verdict = check_ends(measure)
    assert not verdict.passed
    assert re.search(words, verdict.message), verdict.message
