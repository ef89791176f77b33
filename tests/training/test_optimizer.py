"""Weight decay acts on matrices only, and AdamW does what the formulas say."""

import pytest
import torch
import transformers
from small_model import SmallModel
from torch import nn

from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.training import TrainingConfig, make_optimizer, parameter_groups


def names(model, group):
    wanted = {id(parameter) for parameter in group["params"]}
    return {name for name, parameter in model.named_parameters() if id(parameter) in wanted}


def test_biases_and_layer_norms_of_a_bert_do_not_decay():
    model = BertModel(BertConfig.tiny(vocab_size=50))
    decaying, free = parameter_groups(model, 0.01)
    assert (decaying["weight_decay"], free["weight_decay"]) == (0.01, 0)
    every = {name for name, _ in model.named_parameters()}
    expected = {name for name in every if name.endswith("bias") or "LayerNorm" in name}
    assert names(model, free) == expected
    assert names(model, decaying) == every - expected
    assert all(parameter.ndim == 2 for parameter in decaying["params"])


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


def test_two_steps_by_hand():
    torch.manual_seed(0)
    model = nn.Linear(3, 2).double()
    config = TrainingConfig(max_steps=2, seed=0, weight_decay=0.1, learning_rate=0.01)
    optimizer = make_optimizer(model, config)
    weights = {name: p.detach().clone() for name, p in model.named_parameters()}
    mean = {name: torch.zeros_like(p) for name, p in weights.items()}
    square = {name: torch.zeros_like(p) for name, p in weights.items()}
    for step in (1, 2):
        optimizer.zero_grad()
        model(torch.ones(4, 3, dtype=torch.float64)).square().sum().backward()
        optimizer.step()
        for name, p in model.named_parameters():
            mean[name] = 0.9 * mean[name] + 0.1 * p.grad
            square[name] = 0.999 * square[name] + 0.001 * p.grad**2
            update = (mean[name] / (1 - 0.9**step)) / (
                (square[name] / (1 - 0.999**step)).sqrt() + 1e-6
            )
            decay = 0.1 if name == "weight" else 0
            weights[name] = weights[name] * (1 - 0.01 * decay) - 0.01 * update
            torch.testing.assert_close(p.detach(), weights[name], rtol=0, atol=1e-12)
