"""Self-attention: the numpy twins, and both ways to compute it."""

import math

import numpy as np
import pytest
import torch
from bert_pairs import PADDED, SIZES, TINY, arrays, draw, draw_batch, draw_config, equal, scattered

from minibert import reference
from minibert.attention import (
    BertAttention,
    BertSelfAttention,
    BertSelfOutput,
    additive_mask,
)
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


# --- The numbers of Chapters 2 and 4, again ------------------------------------------------------


def test_one_cat_gives_the_vectors_of_chapter_2():
    attention = BertSelfAttention(BertConfig(hidden_size=3, num_attention_heads=1)).double().eval()
    eye = torch.eye(3, dtype=torch.float64)
    with torch.no_grad():
        for part, matrix in [("query", eye), ("key", eye[[0, 2, 1]]), ("value", 2 * eye)]:
            getattr(attention, part).weight.copy_(matrix.T)  # x @ W there, x @ weight.T here
            getattr(attention, part).bias.zero_()
    one_cat = torch.tensor([[[1.0, 0, 2], [-1, 2, 0]]], dtype=torch.float64)
    context, probs = attention(one_cat, output_attentions=True)
    equal(probs[0, 0].round(decimals=2), [[0.24, 0.76], [0.76, 0.24]])
    equal(context[0].round(decimals=2), [[-1.04, 3.04, 0.96], [1.04, 0.96, 3.04]])


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


def test_a_sentence_of_padding_looks_at_everything_equally():
    attention = scattered(BertSelfAttention(TINY))
    x = draw(1, 4, 6)
    mask = additive_mask(torch.zeros(1, 4), torch.float64)
    context, probs = attention(x, mask, output_attentions=True)
    equal(probs, np.full((1, 3, 4, 4), 0.25))
    average = attention.value(x).mean(dim=1, keepdim=True).expand(1, 4, 6)
    equal(context, average.detach().numpy())
    equal(attention(x, mask)[0], average.detach().numpy())


@pytest.mark.parametrize("training", [True, False])
def test_the_attention_returned_is_the_attention_used(training):
    config = BertConfig(**SIZES, attention_probs_dropout_prob=0.5)
    attention = scattered(BertSelfAttention(config)).train(training)
    x = draw(2, 5, 6)
    torch.manual_seed(0)
    context, probs = attention(x, output_attentions=True)
    value = attention.value(x).view(2, 5, 3, 2).transpose(1, 2)
    used = (probs @ value).transpose(1, 2).flatten(2)
    equal(context, used.detach().numpy())
    assert training == (probs == 0).any()
    if not training:
        equal(probs.sum(dim=-1), np.ones((2, 3, 5)))


def test_nothing_is_returned_that_was_not_asked_for():
    attention = scattered(BertSelfAttention(TINY))
    assert attention(draw(1, 5, 6))[1] is None
    assert attention.train()(draw(1, 5, 6))[1] is None
    assert scattered(BertAttention(TINY))(draw(1, 5, 6))[1] is None


def test_training_drops_weights_at_the_configured_rate():
    config = BertConfig(**SIZES, attention_probs_dropout_prob=0.25)
    attention = scattered(BertSelfAttention(config)).train()
    torch.manual_seed(0)
    x = draw(20, 30, 6)
    probs = attention(x, output_attentions=True)[1]
    share = (probs == 0).double().mean().item()
    assert abs(share - 0.25) < 4.5 * math.sqrt(0.25 * 0.75 / probs.numel())
    torch.manual_seed(0)
    without_asking = attention(x)[0]
    torch.manual_seed(0)
    assert torch.equal(without_asking, attention(x, output_attentions=True)[0])


def test_dropping_nothing_is_evaluation_and_dropping_everything_leaves_no_context():
    x = draw(2, 5, 6)
    none, everything = (
        scattered(BertSelfAttention(config)).train()
        for share in (0.0, 1.0)
        for config in [BertConfig(**SIZES, attention_probs_dropout_prob=share)]
    )
    assert (everything(x)[0] == 0).all()
    assert torch.equal(none(x)[0], none.eval()(x)[0])


def test_attention_knows_no_order():
    attention = scattered(BertSelfAttention(TINY))
    x, order = draw(2, 5, 6), torch.tensor([3, 1, 4, 0, 2])
    context, probs = attention(x, output_attentions=True)
    shuffled, shuffled_probs = attention(x[:, order], output_attentions=True)
    equal(shuffled, context[:, order].detach().numpy())
    equal(shuffled_probs, probs[..., order, :][..., order].detach().numpy())


def test_heads_attend_to_positions_and_not_to_heads():
    """The missing transpose: a change of one token must reach the others, in its head alone."""
    attention = scattered(BertSelfAttention(TINY))
    x = draw(1, 5, 6)
    with torch.no_grad():
        before = attention(x)[0]
        attention.value.weight[:2] += 1  # the two rows of the first head
        change = (attention(x)[0] - before).abs().sum(dim=(0, 1))
    assert (change[:2] > 0).all()
    assert (change[2:] == 0).all()
    grad = torch.autograd.functional.jacobian(lambda x: attention(x)[0][0, 0].sum(), x)
    assert (grad[0].abs().sum(dim=-1) > 0).all(), "the first token sees every token"


def test_dropout_of_the_output_leaves_the_residual():
    output = scattered(BertSelfOutput(BertConfig(**SIZES, hidden_dropout_prob=1.0))).train()
    x = draw(2, 5, 6)
    equal(output(draw(2, 5, 6, seed=1), x), output.LayerNorm(x).detach().numpy())
