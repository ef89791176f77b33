"""Equality with transformers: every number, every gradient and one step of the optimizer."""

import pytest
import torch
from bert_pairs import build_pair, close, draw_batch, draw_config, same_names_and_shapes, same_start
from effort import mostly_slow

from minibert.config import BertConfig
from minibert.model import BertModel

SEEDS = mostly_slow(range(8), quick=2)
PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]


def loss(output, seed=0):
    """Weigh every number differently, so that no gradient can hide behind another."""
    generator = torch.Generator().manual_seed(seed)
    return sum(
        (part * torch.randn(part.shape, generator=generator, dtype=torch.float64)).mean()
        for part in (output.last_hidden_state, output.pooler_output)
    )


@pytest.mark.parametrize(
    "config", mostly_slow([BertConfig.base(), BertConfig.large(), BertConfig.tiny()])
)
def test_names_and_shapes_of_all_parameters(config):
    same_names_and_shapes(BertModel, config)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_every_hidden_state_and_every_attention_map(seed, dtype, atol):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed, dtype)
    batch = draw_batch(config, seed)
    with torch.no_grad():
        a = ours(**batch, output_attentions=True, output_hidden_states=True)
        b = theirs(**batch, output_attentions=True, output_hidden_states=True)
    assert len(a.hidden_states) == len(b.hidden_states) == config.num_hidden_layers + 1
    assert len(a.attentions) == len(b.attentions) == config.num_hidden_layers
    for our_part, their_part in zip(
        (*a.hidden_states, *a.attentions, a.last_hidden_state, a.pooler_output),
        (*b.hidden_states, *b.attentions, b.last_hidden_state, b.pooler_output),
        strict=True,
    ):
        close(our_part, their_part, atol)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("way", mostly_slow(["eager", "sdpa"]))
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_the_fused_way_agrees_with_both_ways_of_theirs(seed, way, dtype, atol):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed, dtype, way)
    batch = draw_batch(config, seed)
    places = torch.arange(batch["input_ids"].shape[1]).flip(0)[None]
    for changes in ({}, {"attention_mask": None}, {"position_ids": places}):
        a, b = ours(**batch | changes), theirs(**batch | changes)
        close(a.last_hidden_state, b.last_hidden_state, atol)
        close(a.pooler_output, b.pooler_output, atol)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_the_gradient_of_every_parameter_and_one_step(seed, dtype, atol):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed, dtype)
    batch, named = draw_batch(config, seed), dict(theirs.named_parameters())
    for asked in (True, False):  # written out, and fused
        for model, wishes in ((ours, {"output_attentions": asked}), (theirs, {})):
            model.zero_grad()
            loss(model(**batch, **wishes)).backward()
        for name, parameter in ours.named_parameters():
            assert parameter.grad is not None, name
            close(parameter.grad, named[name].grad, atol)
    for model in (ours, theirs):
        torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-4, weight_decay=0.01).step()
    for name, parameter in ours.named_parameters():
        close(parameter, named[name], atol)
    with torch.no_grad():
        close(ours(**batch).pooler_output, theirs(**batch).pooler_output, 10 * atol)


def test_training_without_dropout_is_the_same_too():
    config = draw_config(3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    ours, theirs = build_pair(config, 3)
    batch = draw_batch(config, 3)
    close(ours.train()(**batch).last_hidden_state, theirs.train()(**batch).last_hidden_state, 1e-10)


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


def test_the_weights_start_as_theirs_do_and_go_there_and_back():
    same_start(BertModel)
    ours, theirs = build_pair(draw_config(1), 1)
    assert "All keys matched" in str(theirs.load_state_dict(ours.state_dict(), strict=True))
