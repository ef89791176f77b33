"""Masks: what they hide, in every precision, and the words for what is no mask."""

import numpy as np
import pytest
import torch
from bert_pairs import PADDED, TINY, draw, equal, scattered

from minibert import reference
from minibert.attention import BertSelfAttention, additive_mask, causal_mask
from minibert.fast.attention import FastSelfAttention

WAYS = [BertSelfAttention, FastSelfAttention]


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.float32, torch.uint8])
def test_the_additive_mask_equals_the_numpy_twin(dtype):
    ours = additive_mask(PADDED.to(dtype), torch.float64)
    assert ours.shape == (3, 1, 1, 5)
    np.testing.assert_array_equal(ours[:, 0].numpy(), reference.additive_mask(PADDED.numpy()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_the_additive_mask_is_finite_in_every_precision(dtype):
    mask = additive_mask(PADDED, dtype)
    assert mask.dtype == dtype
    assert mask.isfinite().all()
    assert mask.min() == torch.finfo(dtype).min
    assert additive_mask(PADDED).dtype == torch.float32


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("strange", [2.0, -1.0, 0.5, float("-inf"), float("nan"), (4,), (2, 1, 4)])
def test_the_additive_mask_refuses_anything_but_rows_of_ones_and_zeros(strange):
    is_shape = isinstance(strange, tuple)
    words = r"\(batch, seq\), not \(" + str(strange)[1:-1] if is_shape else f", not {strange}"
    with pytest.raises(ValueError, match=words):
        additive_mask(torch.ones(strange) if is_shape else torch.tensor([[1, strange, 0]]))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("seq", [1, 2, 5])
def test_the_causal_mask_equals_the_numpy_twin_and_of_no_tokens_is_empty(seq):
    twin = reference.causal_mask(seq)
    np.testing.assert_array_equal(causal_mask(seq, torch.float64).numpy(), twin)
    assert causal_mask(seq).dtype == torch.float32
    assert causal_mask(seq).isfinite().all()
    assert causal_mask(0).shape == (0, 0)
    with pytest.raises(RuntimeError, match="-3"):
        causal_mask(-3)


def test_masks_on_another_device_are_not_looked_at():
    mask = additive_mask(torch.ones(2, 3, device="meta"))
    assert mask.device.type == "meta"


# --- Precision and wrong masks -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("written_out", [True, False])
def test_a_mask_of_another_precision_is_fitted_without_infinity(dtype, written_out, kind):
    attention = scattered(kind(TINY)).to(dtype)
    x = draw(2, 5, 6).to(dtype)
    seen = torch.tensor([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]])
    with torch.no_grad():
        same, _ = attention(x, additive_mask(seen, dtype), written_out)
        for other in (torch.float32, torch.float64):
            context, probs = attention(x, additive_mask(seen, other), written_out)
            assert context.dtype == dtype
            assert context.isfinite().all()
            assert torch.equal(context, same)
            assert probs is None or (probs[1, ..., 2:] == 0).all()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("kind", WAYS)
def test_an_attention_mask_is_no_additive_mask(kind):
    attention = scattered(kind(TINY))
    for mask in (PADDED[:, None, None, :], PADDED.bool()[:, None, None, :]):
        with pytest.raises(TypeError, match=rf"additive_mask\(atten.*, not {mask.dtype}"):
            attention(draw(3, 5, 6), mask)


@pytest.mark.parametrize("shape", [(4,), (3, 5), (3, 1, 4), (2, 1, 1, 5), (3, 2, 5, 5)])
@pytest.mark.parametrize("kind", WAYS)
def test_an_additive_mask_that_does_not_fit_is_an_error_of_pytorch(shape, kind):
    with pytest.raises(RuntimeError, match=r"The (expanded )?size of (the )?tensor .* match"):
        scattered(kind(TINY))(draw(3, 5, 6), torch.zeros(shape))


@pytest.mark.parametrize("shape", [(), (1,), (5,), (5, 5), (3, 1, 1, 5), (1, 3, 5, 1)])
@pytest.mark.parametrize("kind", WAYS)
def test_an_additive_mask_may_stretch(shape, kind):
    attention = scattered(kind(TINY))
    x = draw(3, 5, 6)
    for written_out in (True, False):
        equal(attention(x, torch.zeros(shape), written_out)[0], attention(x)[0].detach().numpy())


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("written_out", [True, False])
def test_minus_infinity_is_taken_for_the_lowest_number(written_out, kind):
    attention = scattered(kind(TINY))
    lowest = additive_mask(torch.tensor([[1, 1, 0], [0, 0, 0]]), torch.float64)
    infinite = torch.where(lowest < 0, float("-inf"), lowest)
    expected = attention(draw(2, 3, 6), lowest)[0]
    equal(attention(draw(2, 3, 6), infinite, written_out)[0], expected.detach().numpy())
