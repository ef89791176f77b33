"""The configuration refuses what makes no sense; the schedule is the library's."""

import dataclasses
import math

import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st

from minibert.training import TrainingConfig, learning_rate_factor


@given(st.integers(0, 30), st.integers(1, 30))
def test_the_schedule_is_that_of_transformers(warmup_steps, more_steps):
    max_steps = warmup_steps + more_steps
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = transformers.get_linear_schedule_with_warmup(optimizer, warmup_steps, max_steps)
    for step in range(max_steps + 2):
        ours = learning_rate_factor(step, warmup_steps=warmup_steps, max_steps=max_steps)
        assert ours == pytest.approx(theirs.get_last_lr()[0], abs=1e-15)
        optimizer.step()
        theirs.step()


def test_up_on_a_line_down_on_a_line():
    factors = [learning_rate_factor(s, warmup_steps=4, max_steps=14) for s in range(15)]
    assert factors[:5] == [0, 0.25, 0.5, 0.75, 1]
    assert factors[5:] == pytest.approx([s / 10 for s in range(9, -1, -1)], abs=1e-15)


def test_only_warming_up():
    assert learning_rate_factor(3, warmup_steps=4, max_steps=4) == 0.75
    assert learning_rate_factor(4, warmup_steps=4, max_steps=4) == 0


def test_the_highest_rate_comes_after_the_warm_up():
    config = TrainingConfig(max_steps=100, warmup_steps=10, learning_rate=3e-4, seed=0)
    rates = [config.learning_rate_at(step) for step in range(100)]
    assert max(rates) == rates[10] == 3e-4


def test_defaults_are_those_of_the_paper():
    config = TrainingConfig(max_steps=1, seed=0)
    assert (config.learning_rate, config.weight_decay, config.max_grad_norm) == (1e-4, 0.01, 1)
    assert (config.adam_beta1, config.adam_beta2, config.adam_epsilon) == (0.9, 0.999, 1e-6)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"max_steps": 0}, r"max_steps \(0\) must be at least 1"),
        ({"seed": -1}, r"seed \(-1\) must be at least 0"),
        ({"warmup_steps": -1}, r"warmup_steps \(-1\) must be at least 0"),
        ({"warmup_steps": 11}, r"warmup_steps \(11\) must not exceed max_steps \(10\); BERT warms"),
        ({"learning_rate": 0}, r"learning_rate \(0\) must be above 0 and finite"),
        ({"learning_rate": math.inf}, r"learning_rate \(inf\) must be above 0 and finite"),
        ({"learning_rate": math.nan}, r"learning_rate \(nan\) must be above 0 and finite"),
        ({"adam_epsilon": 0.0}, r"adam_epsilon \(0\.0\) must be above 0"),
        ({"adam_beta1": 1}, r"adam_beta1 \(1\) must be at least 0 and below 1"),
        ({"adam_beta2": -0.1}, r"adam_beta2 \(-0\.1\) must be at least 0 and below 1"),
        ({"weight_decay": -0.01}, r"weight_decay \(-0\.01\) must be at least 0 and finite"),
        ({"max_grad_norm": 0}, r"max_grad_norm \(0\) must be above 0; math\.inf shortens no"),
        ({"gradient_accumulation_steps": 0}, r"gradient_accumulation_steps \(0\) must be at least"),
        ({"logging_steps": 0}, r"logging_steps \(0\) must be at least 1"),
        ({"eval_steps": 0}, r"eval_steps \(0\) must be at least 1"),
        ({"save_steps": 0}, r"save_steps \(0\) must be at least 1"),
    ],
)
def test_a_value_out_of_range_is_named(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        TrainingConfig(**{"max_steps": 10, "seed": 0} | changes)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"max_steps": 1.5}, r"max_steps must be a whole number, not 1\.5"),
        ({"max_steps": True}, "max_steps must be a whole number, not True"),
        ({"learning_rate": "1e-4"}, "learning_rate must be a number, not '1e-4'"),
        ({"bf16": 1}, "bf16 must be True or False, not 1"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(changes, sentence):
    with pytest.raises(TypeError, match=sentence):
        TrainingConfig(**{"max_steps": 10, "seed": 0} | changes)


def test_it_cannot_be_changed_and_has_no_default_seed():
    config = TrainingConfig(max_steps=10, seed=0, max_grad_norm=math.inf)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.max_steps = 11
    with pytest.raises(TypeError, match="seed"):
        TrainingConfig(max_steps=10)


def test_differences_name_both_values_and_leave_out_what_changes_no_weight():
    config = TrainingConfig(max_steps=10, seed=0)
    other = dataclasses.asdict(config) | {"seed": 1, "save_steps": 7, "logging_steps": 7}
    assert config.differences(other) == ["seed was 1 and is 0"]
    assert config.differences(dataclasses.asdict(config) | {"momentum": 0.5}) == [
        "momentum was 0.5 and is None"
    ]
