"""Self-attention against the numpy twins, in value and gradient, and its dropout."""

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
    causal_mask,
)
from minibert.config import BertConfig
from minibert.fast.attention import FastSelfAttention
from minibert.model import BertModel


def by_numpy(module, x, heads, mask=None):
    """Attend head by head with the reference; return context, probs and what led to them."""
    weights = arrays(module)
    sides = {
        name: reference.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])
        for name in ("query", "key", "value")
    }
    split = {name: np.split(side, heads, axis=-1) for name, side in sides.items()}
    sides_of = ([split[name][head] for name in sides] for head in range(heads))
    results = [reference.attention(*each, mask) for each in sides_of]
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


FLOATS = [torch.bfloat16, torch.float16, torch.float32, torch.float64]
each_kind = pytest.mark.parametrize("kind", [BertSelfAttention, FastSelfAttention])
each_way = pytest.mark.parametrize("written_out", [True, False])


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.float32])
def test_the_additive_mask_equals_the_numpy_twin(dtype):
    ours = additive_mask(PADDED.to(dtype), torch.float64)
    assert ours.shape == (3, 1, 1, 5)
    np.testing.assert_array_equal(ours[:, 0].numpy(), reference.additive_mask(PADDED.numpy()))
    assert additive_mask(torch.ones(2, 3, device="meta")).device.type == "meta"  # not looked at


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_additive_mask_is_finite_in_every_precision(dtype):
    mask = additive_mask(PADDED, dtype)
    assert mask.dtype == dtype
    assert mask.isfinite().all()
    assert mask.min() == torch.finfo(dtype).min
    assert additive_mask(PADDED).dtype == torch.float32


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("strange", [2.0, float("nan"), (4,)])
def test_the_additive_mask_refuses_anything_but_rows_of_ones_and_zeros(strange):
    is_shape = isinstance(strange, tuple)
    words = r"\(batch, seq\), not \(4,\)" if is_shape else f", not {strange}"
    with pytest.raises(ValueError, match=words):
        additive_mask(torch.ones(strange) if is_shape else torch.tensor([[1, strange, 0]]))


@pytest.mark.usefixtures("unchecked")
def test_the_causal_mask_equals_the_numpy_twin_and_of_no_tokens_is_empty():
    np.testing.assert_array_equal(causal_mask(5, torch.float64), reference.causal_mask(5))
    assert causal_mask(5).dtype == torch.float32
    assert causal_mask(5).isfinite().all()
    assert causal_mask(0).shape == (0, 0)


@pytest.mark.parametrize("dtype", FLOATS)
@each_kind
@each_way
def test_a_mask_of_a_wider_precision_is_fitted_without_infinity(dtype, written_out, kind):
    attention = scattered(kind(TINY)).to(dtype)
    x = draw(2, 5, 6).to(dtype)
    seen = torch.tensor([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]])
    wider = [wide for wide in FLOATS[2:] if torch.finfo(wide).bits > torch.finfo(dtype).bits]
    masks = [additive_mask(seen, wide) for wide in wider]
    masks += [mask.masked_fill(mask < 0, float("-inf")) for mask in masks]
    with torch.no_grad():
        same, _ = attention(x, additive_mask(seen, dtype), written_out)
        assert same.isfinite().all()
        for mask in masks:
            context, probs = attention(x, mask, written_out)
            assert context.dtype == dtype
            assert context.isfinite().all()
            torch.testing.assert_close(context[1], same[1])  # of the other, nothing is seen
            assert probs is None or (probs[1, ..., 2:] == 0).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("height", [-300.0, -17.0, 300.0])
@each_kind
@each_way
def test_a_sentence_of_padding_has_weights_at_any_height_of_scores(
    dtype, height, written_out, kind
):
    attention = scattered(kind(TINY)).to(dtype)
    with torch.no_grad():
        attention.query.bias.fill_(abs(height) ** 0.5)
        attention.key.bias.fill_(height / abs(height) ** 0.5)
        seen = torch.tensor([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]])
        x = draw(2, 5, 6).to(dtype)
        mask = BertModel(TINY)._additive_mask(seen, x)  # as a model makes it
        context, probs = attention(x, mask, written_out)
    assert context.isfinite().all()
    if probs is not None:
        assert (probs[1, ..., 2:] == 0).all()
        rows = probs[0].float()
        torch.testing.assert_close(rows.sum(-1), torch.ones_like(rows[..., 0]), rtol=0, atol=0.02)
        if dtype != torch.float16:  # beside whose lowest number a score does not vanish
            torch.testing.assert_close(rows, torch.full_like(rows, 0.2), rtol=0, atol=1e-3)


@pytest.mark.usefixtures("unchecked")
@each_kind
def test_an_attention_mask_is_no_additive_mask_and_another_shape_does_not_fit(kind):
    attention = scattered(kind(TINY))
    for mask in (PADDED[:, None, None, :], PADDED.bool()[:, None, None, :]):
        with pytest.raises(TypeError, match=rf"additive_mask\(atten.*, not {mask.dtype}"):
            attention(draw(3, 5, 6), mask)
    for shape in [(4,), (3, 1, 4), (2, 1, 1, 5)]:
        with pytest.raises(RuntimeError, match=r"The (expanded )?size of (the )?tensor .* match"):
            attention(draw(3, 5, 6), torch.zeros(shape))


@pytest.mark.parametrize("shape", [(), (5,), (5, 5), (3, 1, 1, 5), (1, 3, 5, 1)])
@each_kind
@each_way
def test_an_additive_mask_may_stretch(shape, kind, written_out):
    attention, x = scattered(kind(TINY)), draw(3, 5, 6)
    equal(attention(x, torch.zeros(shape), written_out)[0], attention(x)[0].detach().numpy())
