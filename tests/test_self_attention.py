"""Self-attention against the numpy twins, in value and gradient, and its dropout."""

import math

import numpy as np
import pytest
import torch
from bert_pairs import PADDED, SIZES, TINY, arrays, draw, draw_batch, draw_config, equal, scattered

from minibert import reference
from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput, additive_mask
from minibert.config import BertConfig
from minibert.fast.attention import FastSelfAttention


def by_numpy(module, x, heads, mask=None):
    """Attend head by head with the reference; return context, probs and what led to them."""
    weights = arrays(module)
    sides = {
        name: reference.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])
        for name in ("query", "key", "value")
    }
    split = {name: np.split(side, heads, axis=-1) for name, side in sides.items()}
    results = [
        reference.attention(*(split[name][head] for name in sides), mask) for head in range(heads)
    ]
    context = np.concatenate([context for context, _ in results], axis=-1)
    return context, np.stack([probs for _, probs in results], axis=-3), split


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("padded", [False, True])
def test_attention_equals_the_numpy_twin_head_by_head(seed, padded):
    config = draw_config(seed)
    attention = scattered(BertSelfAttention(config), seed)
    seen = draw_batch(config, seed)["attention_mask"]
    x = draw(*seen.shape, config.hidden_size, seed=seed)
    twin_mask = reference.additive_mask(seen.numpy()) if padded else None
    context, probs, _ = by_numpy(attention, x.numpy(), config.num_attention_heads, twin_mask)
    mask = additive_mask(seen, torch.float64) if padded else None
    ours, ours_probs = attention(x, mask, output_attentions=True)
    equal(ours, context)
    equal(ours_probs, probs)
    assert attention(x, mask)[1] is None
    equal(attention(x, mask)[0], context)


@pytest.mark.parametrize("kind", [BertSelfAttention, FastSelfAttention])
def test_every_gradient_of_attention_equals_the_one_by_hand(kind):
    attention = scattered(kind(TINY))
    x, grad_context = draw(2, 5, 6).requires_grad_(), draw(2, 5, 6, seed=1)
    mask = additive_mask(PADDED[:2], torch.float64)
    context, _ = attention(x, mask)
    context.backward(grad_context)

    twin_x = x.detach().numpy()
    _, probs, split = by_numpy(attention, twin_x, 3, mask[:, 0].numpy())
    grads = [
        reference.attention_backward(
            grad, *(split[name][head] for name in ("query", "key", "value")), probs[:, head]
        )
        for head, grad in enumerate(np.split(grad_context.numpy(), 3, axis=-1))
    ]
    grad_x = np.zeros_like(twin_x)
    for side, name in enumerate(["query", "key", "value"]):
        grad_side = np.concatenate([grad[side] for grad in grads], axis=-1)
        part = getattr(attention, name)
        through, weight, bias = reference.linear_backward(
            grad_side, twin_x, part.weight.detach().numpy()
        )
        equal(part.weight.grad, weight)
        equal(part.bias.grad, bias)
        grad_x += through
    equal(x.grad, grad_x)


def test_the_residual_half_equals_the_numpy_twins():
    module = scattered(BertAttention(TINY))
    x = draw(2, 5, 6)
    context, _, _ = by_numpy(module.self, x.numpy(), 3)
    weights = arrays(module.output)
    mixed = reference.linear(context, weights["dense.weight"], weights["dense.bias"])
    norm = weights["LayerNorm.weight"], weights["LayerNorm.bias"]
    equal(module(x)[0], reference.layer_norm(mixed + x.numpy(), *norm))


@pytest.mark.parametrize("rate", [0.25, 1.0])
def test_training_drops_weights_at_the_configured_rate_and_returns_what_it_used(rate):
    config = BertConfig(**SIZES, attention_probs_dropout_prob=rate)
    attention, x = scattered(BertSelfAttention(config)).train(), draw(20, 30, 6)
    torch.manual_seed(0)
    context, probs = attention(x, output_attentions=True)
    share = (probs == 0).double().mean().item()
    assert abs(share - rate) <= 4.5 * math.sqrt(rate * (1 - rate) / probs.numel())
    value = attention.value(x).view(20, 30, 3, 2).transpose(1, 2)
    equal(context, (probs @ value).transpose(1, 2).flatten(2).detach().numpy())


def test_dropout_of_the_output_leaves_the_residual():
    output = scattered(BertSelfOutput(BertConfig(**SIZES, hidden_dropout_prob=1.0))).train()
    x = draw(2, 5, 6)
    equal(output(draw(2, 5, 6, seed=1), x), output.LayerNorm(x).detach().numpy())
