"""Masks: what is hidden, what is not, and the sentences for what is no mask."""

from inspect import unwrap

import numpy as np
import pytest

from minibert.reference import additive_mask, causal_mask

LOWEST = np.finfo(np.float64).min


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_, np.float32, np.float64])
def test_additive_mask_is_zero_for_tokens_and_lowest_for_padding(dtype):
    mask = additive_mask(np.array([1, 1, 1, 0, 0], dtype=dtype))
    assert mask.dtype == np.float64
    np.testing.assert_array_equal(mask, [[0, 0, 0, LOWEST, LOWEST]])


@pytest.mark.parametrize("leading", [(), (4,), (4, 3)])
def test_additive_mask_makes_room_for_every_query_and_keeps_rows_apart(leading):
    assert additive_mask(np.ones((*leading, 5))).shape == (*leading, 1, 5)
    mask = additive_mask(np.array([[1, 0, 0], [1, 1, 0]]))
    np.testing.assert_array_equal(mask[:, 0] < 0, [[False, True, True], [False, False, True]])


@pytest.mark.parametrize("strange", [2, -1, 0.5, np.nan])
def test_additive_mask_refuses_anything_but_ones_and_zeros(strange):
    with pytest.raises(ValueError, match=rf"only 1 .* and 0 .*, not {strange}"):
        additive_mask(np.array([1, strange, 0]))


def test_causal_mask_hides_the_future_and_nothing_else():
    mask = causal_mask(3)
    np.testing.assert_array_equal(mask, [[0, LOWEST, LOWEST], [0, 0, LOWEST], [0, 0, 0]])
    assert mask.dtype == np.float64


@pytest.mark.parametrize("seq", [0, -3])
def test_causal_mask_needs_a_token(seq):
    with pytest.raises(ValueError, match=f"at least 1 token, not {seq}"):
        unwrap(causal_mask)(seq)


def test_two_masks_are_combined_by_their_minimum_since_their_sum_overflows():
    padding, causal = additive_mask(np.array([1, 1, 0])), causal_mask(3)
    together = np.minimum(padding, causal)
    np.testing.assert_array_equal(
        together < 0, [[False, True, True], [False, False, True], [False, False, True]]
    )
    assert np.isfinite(together).all()
    with np.errstate(over="ignore"):
        assert np.isinf(padding + causal).any()
