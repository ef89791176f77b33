"""The configuration refuses what makes no sense; the schedule is the library's."""

import dataclasses
import math

import pytest
import torch
import transformers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.training import TrainingConfig, learning_rate_factor


@examples(25)
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


def test_the_defaults_are_those_of_bert_and_a_warm_up_may_take_all_steps():
    config = TrainingConfig(max_steps=10, seed=0)
    assert (config.weight_decay, config.adam_beta1, config.adam_beta2) == (0.01, 0.9, 0.999)
    assert (config.adam_epsilon, config.max_grad_norm) == (1e-6, 1.0)
    assert learning_rate_factor(4, warmup_steps=4, max_steps=4) == 0


OUT_OF_RANGE = [
    ("max_steps", 0), ("seed", -1), ("warmup_steps", -1), ("warmup_steps", 11),
    ("learning_rate", 0), ("learning_rate", math.inf), ("adam_epsilon", 0.0), ("adam_beta1", 1),
    ("adam_beta2", -0.1), ("weight_decay", -0.01), ("max_grad_norm", 0), ("eval_steps", 0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), OUT_OF_RANGE)
def test_a_value_out_of_range_is_named(name, value):
    with pytest.raises(ValueError, match=rf"{name} \({value}\) must "):
        TrainingConfig(**{"max_steps": 10, "seed": 0} | {name: value})


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"max_steps": 1.5}, r"max_steps must be a whole number, not 1\.5"),
        ({"learning_rate": "1e-4"}, "learning_rate must be a number, not '1e-4'"),
        ({"bf16": 1}, "bf16 must be True or False, not 1"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(changes, sentence):
    with pytest.raises(TypeError, match=sentence):
        TrainingConfig(**{"max_steps": 10, "seed": 0} | changes)


def test_differences_name_both_values_and_leave_out_what_changes_no_weight():
    config = TrainingConfig(max_steps=10, seed=0)
    other = dataclasses.asdict(config) | {"seed": 1, "save_steps": 7, "logging_steps": 7}
    assert config.differences(other) == ["seed was 1 and is 0"]
    assert config.differences(dataclasses.asdict(config) | {"momentum": 0.5}) == [
        "momentum was 0.5 and is None"
    ]
