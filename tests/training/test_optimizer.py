"""Weight decay on matrices only, the schedule of the library, and what a configuration refuses."""

import dataclasses
import math

import pytest
import torch
import transformers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from small_model import SmallModel
from torch import nn

from minibert.training import TrainingConfig, learning_rate_factor, make_optimizer, parameter_groups


def test_the_groups_are_those_of_transformers():
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    model = transformers.BertForPreTraining(config)
    named = {parameter: name for name, parameter in model.named_parameters()}
    decaying, free = parameter_groups(model, 0.01)
    theirs = set(transformers.Trainer.get_decay_parameter_names(None, model))
    # Theirs names the tied weight twice.
    expected = theirs - {"cls.predictions.decoder.weight"}
    assert {named[parameter] for parameter in decaying["params"]} == expected
    assert len(decaying["params"]) + len(free["params"]) == len(named)


def test_a_tied_weight_is_taken_once_a_frozen_one_not_at_all_and_no_group_is_empty():
    model = SmallModel()
    model.dense.requires_grad_(False)
    taken = [p for group in parameter_groups(model, 0.1) for p in group["params"]]
    assert len(set(taken)) == len(taken)
    assert set(taken) == {p for p in model.parameters() if p.requires_grad}
    (group,) = parameter_groups(nn.LayerNorm(3), 0.1)
    assert group["weight_decay"] == 0
    with pytest.raises(ValueError, match="no parameter of the model needs a gradient"):
        parameter_groups(nn.Linear(2, 2).requires_grad_(False), 0.1)


def test_adam_gets_all_numbers_of_the_configuration_and_the_defaults_are_those_of_bert():
    config = TrainingConfig(max_steps=2, seed=0)
    assert (config.weight_decay, config.adam_beta1, config.adam_beta2) == (0.01, 0.9, 0.999)
    assert (config.adam_epsilon, config.max_grad_norm) == (1e-6, 1.0)
    numbers = {"adam_beta1": 0.7, "adam_beta2": 0.8, "adam_epsilon": 1e-3, "weight_decay": 0.2}
    config = TrainingConfig(max_steps=2, seed=0, learning_rate=0.01, **numbers)
    decaying, free = make_optimizer(SmallModel(), config).param_groups
    for group, decay in ((decaying, 0.2), (free, 0)):
        found = [group[name] for name in ("betas", "eps", "lr", "weight_decay", "fused")]
        assert found == [(0.7, 0.8), 1e-3, 0.01, decay, True]


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
    # A warm-up may take all steps.
    assert learning_rate_factor(max_steps, warmup_steps=max_steps, max_steps=max_steps) == 0


REFUSED = [
    *((ValueError, {name: value}, rf"{name} \({value}\) must ") for name, value in (
        ("max_steps", 0), ("seed", -1), ("warmup_steps", -1), ("warmup_steps", 11),
        ("learning_rate", 0), ("learning_rate", math.inf), ("adam_epsilon", 0.0),
        ("adam_beta1", 1), ("adam_beta2", -0.1), ("weight_decay", -0.01), ("max_grad_norm", 0),
        ("eval_steps", 0),
    )),
    (ValueError, {"early_stopping_patience": 2}, r"_patience \(2\) counts evaluations"),
    (ValueError, {"eval_steps": 1, "early_stopping_patience": 0}, r"\(0\) must be at least 1"),
    (TypeError, {"eval_steps": 1, "early_stopping_patience": 1.5}, "early_stopping_patience"),
    (TypeError, {"max_steps": 1.5}, r"max_steps must be a whole number, not 1\.5"),
    (TypeError, {"learning_rate": "1e-4"}, "learning_rate must be a number, not '1e-4'"),
    (TypeError, {"bf16": 1}, "bf16 must be True or False, not 1"),
]  # fmt: skip


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("error", "changes", "words"), REFUSED)
def test_a_value_that_will_not_do_is_named(error, changes, words):
    with pytest.raises(error, match=words):
        TrainingConfig(**{"max_steps": 10, "seed": 0} | changes)


def test_differences_name_both_values_and_leave_out_what_changes_no_weight():
    config = TrainingConfig(max_steps=10, seed=0)
    other = dataclasses.asdict(config)
    differences = config.differences(other | {"seed": 1, "save_steps": 7, "logging_steps": 7})
    assert differences == ["seed was 1 and is 0"]
    assert config.differences(other | {"momentum": 0.5}) == ["momentum was 0.5 and is None"]
