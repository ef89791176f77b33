"""One layer against the numpy twins, in value and gradient, and what makes it BERT's."""

import numpy as np
import pytest
import torch
from bert_pairs import (
    FORMULAS,
    SIZES,
    arrays,
    close,
    draw,
    draw_batch,
    draw_config,
    equal,
    scattered,
)

from minibert import reference
from minibert.attention import additive_mask
from minibert.config import BertConfig
from minibert.layer import BertIntermediate, BertLayer, BertOutput


def build(kind=BertLayer, seed=0, **changes):
    return scattered(kind(BertConfig(**SIZES | changes)), seed)


def feed_forward_by_numpy(weights, x):
    """Widen, bend, narrow, add and normalize with the reference; keep what the gradient needs."""
    first, second, norm = (
        (weights[f"{part}.weight"], weights[f"{part}.bias"])
        for part in ("intermediate.dense", "output.dense", "output.LayerNorm")
    )
    wide = reference.linear(x, *first)
    bent = reference.gelu(wide)
    summed = x + reference.linear(bent, *second)
    return reference.layer_norm(summed, *norm), wide, bent, summed


def feed_forward(layer, x):
    return layer.output(layer.intermediate(x), x)


@pytest.mark.parametrize("seed", range(3))
def test_the_feed_forward_half_equals_the_numpy_twins(seed):
    layer = build(seed=seed)
    x = draw(2, 5, 6, seed=seed)
    equal(feed_forward(layer, x), feed_forward_by_numpy(arrays(layer), x.numpy())[0])


def test_a_layer_is_attention_and_then_feed_forward():
    layer = build()
    x = draw(2, 5, 6)
    between, probs = layer.attention(x, output_attentions=True)
    out, out_probs = layer(x, output_attentions=True)
    equal(out, feed_forward_by_numpy(arrays(layer), between.detach().numpy())[0])
    assert torch.equal(out_probs, probs)
    assert layer(x)[1] is None


def test_every_gradient_of_the_feed_forward_half_equals_the_one_by_hand():
    layer = build()
    x, grad_output = draw(2, 5, 6).requires_grad_(), draw(2, 5, 6, seed=1)
    feed_forward(layer, x).backward(grad_output)

    weights, twin_x = arrays(layer), x.detach().numpy()
    _, wide, bent, summed = feed_forward_by_numpy(weights, twin_x)
    grads = {}
    grad_summed, grads["output.LayerNorm.weight"], grads["output.LayerNorm.bias"] = (
        reference.layer_norm_backward(
            grad_output.numpy(), summed, weights["output.LayerNorm.weight"]
        )
    )
    grad_bent, grads["output.dense.weight"], grads["output.dense.bias"] = reference.linear_backward(
        grad_summed, bent, weights["output.dense.weight"]
    )
    grad_wide = reference.gelu_backward(grad_bent, wide)
    grad_x, grads["intermediate.dense.weight"], grads["intermediate.dense.bias"] = (
        reference.linear_backward(grad_wide, twin_x, weights["intermediate.dense.weight"])
    )
    equal(x.grad, grad_summed + grad_x)
    parameters = dict(layer.named_parameters())
    for name, grad in grads.items():
        equal(parameters[name].grad, grad, 1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_padding_reaches_attention(seed):
    config = draw_config(seed)
    layer = scattered(BertLayer(config), seed)
    seen = draw_batch(config, seed)["attention_mask"]
    x = draw(*seen.shape, config.hidden_size, seed=seed)
    changed = torch.where(seen[..., None] == 1, x, x + 100)
    mask = additive_mask(seen, torch.float64)
    before, after = layer(x, mask)[0][seen == 1], layer(changed, mask)[0][seen == 1]
    torch.testing.assert_close(before, after, rtol=0, atol=1e-12)
    assert not torch.allclose(before, layer(x)[0][seen == 1])


def test_the_normalization_comes_last():
    layer = build()
    with torch.no_grad():
        layer.output.LayerNorm.weight.fill_(1.0)
        layer.output.LayerNorm.bias.zero_()
    out = layer(100 * draw(2, 5, 6))[0]
    equal(out.mean(dim=-1), np.zeros((2, 5)))
    equal(out.var(dim=-1, unbiased=False), np.ones((2, 5)), 1e-9)


def test_dropping_everything_leaves_the_two_normalizations():
    layer = build(hidden_dropout_prob=1.0).train()
    x = draw(2, 5, 6)
    twice = layer.output.LayerNorm(layer.attention.output.LayerNorm(x))
    equal(layer(x)[0], twice.detach().numpy())


@pytest.mark.parametrize("part", [BertOutput, BertLayer])
def test_epsilon_is_the_configured_one(part):
    narrow, wide = build(part), build(part, layer_norm_eps=10.0)
    inputs = [draw(2, 5, 8), draw(2, 5, 6)] if part is BertOutput else [draw(2, 5, 6)]
    first, second = narrow(*inputs), wide(*inputs)
    if part is BertLayer:
        first, second = first[0], second[0]
    assert (first - second).abs().max() > 0.1


def test_a_wrong_epsilon_shows_by_about_a_thousandth():
    """1e-5, PyTorch's default, instead of BERT's 1e-12: small, and no rounding error."""
    x = 0.1 * draw(2, 5, 6)
    difference = (build(layer_norm_eps=1e-5)(x)[0] - build()(x)[0]).abs().max().item()
    assert 1e-5 < difference < 1e-2


@pytest.mark.parametrize("name", FORMULAS)
def test_the_activation_is_the_configured_one(name):
    intermediate = build(BertIntermediate, hidden_act=name)
    x = 3 * draw(2, 5, 6)
    close(intermediate(x), FORMULAS[name](intermediate.dense(x)))


def test_tokens_meet_in_attention_only():
    layer = build()
    x = draw(1, 5, 6)
    other = x.clone()
    other[0, 3] += 1
    same = [0, 1, 2, 4]
    assert torch.equal(feed_forward(layer, x)[0, same], feed_forward(layer, other)[0, same])
    assert not torch.allclose(layer(x)[0][0, same], layer(other)[0][0, same])
