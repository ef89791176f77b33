"""Masks: what they hide, in every precision, and the words for what is no mask."""

import numpy as np
import pytest
import torch
from bert_pairs import PADDED, TINY, draw, equal, scattered

from minibert import reference
from minibert.attention import BertSelfAttention, additive_mask, causal_mask
from minibert.fast.attention import FastSelfAttention
from minibert.model import BertModel

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
def test_a_sentence_of_padding_has_weights_however_high_its_scores(
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
