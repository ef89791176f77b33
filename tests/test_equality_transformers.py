"""Equality with transformers: every number, every gradient, names, and the first weights."""

import pytest
import torch
from bert_pairs import (
    SEEDS,
    build_pair,
    close,
    draw_batch,
    draw_config,
    same_names_and_shapes,
    same_start,
)

from minibert.config import BertConfig
from minibert.model import BertModel

each_seed = pytest.mark.parametrize("seed", SEEDS)


def loss(output, seed=0):
    """Weigh every number differently, so that no gradient can hide behind another."""
    generator = torch.Generator().manual_seed(seed)
    return sum(
        (part * torch.randn(part.shape, generator=generator, dtype=torch.float64)).mean()
        for part in (output.last_hidden_state, output.pooler_output)
    )


def test_names_and_shapes_of_all_parameters():
    same_names_and_shapes(BertModel, BertConfig.base())


@each_seed
def test_every_hidden_state_and_every_attention_map(seed):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed)
    batch = draw_batch(config, seed)
    places = torch.arange(batch["input_ids"].shape[1]).flip(0)[None]
    asked = {"output_attentions": True, "output_hidden_states": True}
    for changes in ({}, {"attention_mask": None}, {"position_ids": places}):
        with torch.no_grad():
            a, b = ours(**batch | changes, **asked), theirs(**batch | changes, **asked)
        assert len(a.hidden_states) == config.num_hidden_layers + 1
        assert len(a.attentions) == config.num_hidden_layers
        for own, other in zip(
            (*a.hidden_states, *a.attentions, a.last_hidden_state, a.pooler_output),
            (*b.hidden_states, *b.attentions, b.last_hidden_state, b.pooler_output),
            strict=True,
        ):
            close(own, other, 1e-10)


@each_seed
def test_the_gradient_of_every_parameter(seed):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed)
    batch, named = draw_batch(config, seed), dict(theirs.named_parameters())
    for model in (ours, theirs):
        loss(model(**batch)).backward()
    for name, parameter in ours.named_parameters():
        assert parameter.grad is not None, name
        close(parameter.grad, named[name].grad, 1e-10)


def test_dropout_is_as_strong_as_theirs():
    """The same mean and the same spread over many draws, though not the same draws."""
    config = draw_config(3, hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.2)
    ours, theirs = build_pair(config, 3)
    batch = {name: values[:1].expand(400, -1) for name, values in draw_batch(config, 3).items()}
    torch.manual_seed(0)
    with torch.no_grad():
        a = ours.train()(**batch).pooler_output
        b = theirs.train()(**batch).pooler_output
    spread = torch.sqrt((a.var(dim=0) + b.var(dim=0)) / 400)
    assert ((a.mean(dim=0) - b.mean(dim=0)).abs() < 4.5 * spread).all()
    assert ((a.std(dim=0) / b.std(dim=0)).log().abs() < 0.3).all()


def test_the_weights_start_as_theirs_do():
    same_start(BertModel)
