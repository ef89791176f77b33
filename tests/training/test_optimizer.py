"""Weight decay acts on matrices only, and AdamW does what the formulas say."""

import pytest
import transformers
from small_model import SmallModel
from torch import nn

from minibert.training import TrainingConfig, make_optimizer, parameter_groups


def names(model, group):
    wanted = {id(parameter) for parameter in group["params"]}
    return {name for name, parameter in model.named_parameters() if id(parameter) in wanted}


def test_the_groups_are_those_of_transformers():
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    model = transformers.BertForPreTraining(config)
    theirs = set(transformers.Trainer.get_decay_parameter_names(None, model))
    decaying, free = parameter_groups(model, 0.01)
    # Theirs names the tied weight twice.
    assert names(model, decaying) == theirs - {"cls.predictions.decoder.weight"}
    assert len(decaying["params"]) + len(free["params"]) == len(list(model.parameters()))


def test_a_tied_weight_is_taken_once_and_a_frozen_one_not_at_all():
    model = SmallModel()
    model.dense.requires_grad_(False)
    taken = [p for group in parameter_groups(model, 0.1) for p in group["params"]]
    assert len({id(p) for p in taken}) == len(taken)
    assert {id(p) for p in taken} == {id(p) for p in model.parameters() if p.requires_grad}


def test_a_group_without_members_is_left_out_and_without_any_there_is_nothing_to_train():
    (group,) = parameter_groups(nn.LayerNorm(3), 0.1)
    assert group["weight_decay"] == 0
    with pytest.raises(ValueError, match="no parameter of the model needs a gradient"):
        parameter_groups(nn.Linear(2, 2).requires_grad_(False), 0.1)


def test_adam_gets_all_numbers_of_the_configuration():
    numbers = {"adam_beta1": 0.7, "adam_beta2": 0.8, "adam_epsilon": 1e-3, "weight_decay": 0.2}
    config = TrainingConfig(max_steps=2, seed=0, learning_rate=0.01, **numbers)
    decaying, free = make_optimizer(SmallModel(), config).param_groups
    for group, decay in ((decaying, 0.2), (free, 0)):
        found = [group[name] for name in ("betas", "eps", "lr", "weight_decay", "fused")]
        assert found == [(0.7, 0.8), 1e-3, 0.01, decay, True]
