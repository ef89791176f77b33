"""Right answers to the exercises of Chapter 13, written in other ways, pass."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from kinds_of_answers import forbidden_ways, right_answers

from bertbook.checks.training_loop import (
    check_accumulation,
    check_clipping,
    check_ends,
    check_going_on,
    check_schedule,
)
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


def clipping_by_pytorch(weight, bias, longest):
    """Right, and with the small number that PyTorch adds to the length."""
    parts = [torch.nn.Parameter(torch.tensor(part)) for part in (weight, bias)]
    for part in parts:
        part.grad = part.data.clone()
    torch.nn.utils.clip_grad_norm_(parts, longest)
    return [part.grad for part in parts]


def accumulation(gradients, labels, longest):
    """Right, and written as a mean over a list with one gradient for each label."""
    each = [g for g, n in zip(gradients, labels, strict=True) for _ in range(n)]
    return clipping(np.mean(each, axis=0), np.zeros(1), longest)[0]


def going_on(saved, gradients, lr):
    """Right, and written with a counter of its own."""
    t, weight, m, v = (saved[name] for name in ("step", "weight", "m", "v"))
    for g in gradients[t:]:
        t += 1
        m += (g - m) / 10
        v += (g * g - v) / 1000
        weight -= lr * m / (1 - 0.9**t) / np.sqrt(v / (1 - 0.999**t))
    return weight


def by_the_package(step, peak, warmup_steps, max_steps):
    return peak * learning_rate_factor(step, warmup_steps=warmup_steps, max_steps=max_steps)


test_right_answers_pass_however_they_are_written = right_answers(
    (check_schedule, schedule),
    (check_clipping, clipping),
    (check_clipping, lambda *given: list(clipping(*given))),
    (check_clipping, clipping_by_pytorch),
    (check_accumulation, accumulation),
    (check_accumulation, lambda *given: accumulation(*given).tolist()),
    (check_accumulation, lambda *given: tuple(accumulation(*given))),
    (check_going_on, going_on),
    (check_going_on, lambda *given: np.array(going_on(*given))),
)


test_a_right_answer_by_a_forbidden_way_is_noticed = forbidden_ways(
    (check_schedule, by_the_package, "learning_rate_factor"),
)


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
        (lambda warmup_steps: [], r"called with 2 argument\(s\)"),
        (lambda warmup_steps, seeds: [][9], "stopped with IndexError"),
        (lambda warmup_steps, seeds: 3.0, "one number for each seed, 2 here"),
        (lambda warmup_steps, seeds: ["a", "b"], "one number for each seed, 2 here"),
        (lambda warmup_steps, seeds: [1.0, 2.0], "one number for each seed, 1 here"),
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
