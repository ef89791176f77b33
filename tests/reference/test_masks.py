"""Masks: what is hidden, what is not, and the sentences for what is no mask."""

from inspect import unwrap

import numpy as np
import pytest

from minibert.reference import additive_mask, causal_mask

LOWEST = np.finfo(np.float64).min


@pytest.mark.parametrize("dtype", [np.int64, np.bool_, np.float32])
def test_additive_mask_is_zero_for_tokens_and_lowest_for_padding_of_each_row(dtype):
    mask = additive_mask(np.array([[1, 0, 0], [1, 1, 0]], dtype=dtype))
    assert mask.dtype == np.float64
    np.testing.assert_array_equal(mask, [[[0, LOWEST, LOWEST]], [[0, 0, LOWEST]]])


@pytest.mark.parametrize("strange", [2, np.nan])
def test_additive_mask_refuses_anything_but_ones_and_zeros(strange):
    with pytest.raises(ValueError, match=rf"only 1 .* and 0 .*, not {strange}"):
        additive_mask(np.array([1, strange, 0]))


def test_causal_mask_hides_the_future_and_nothing_else():
    mask = causal_mask(3)
    np.testing.assert_array_equal(mask, [[0, LOWEST, LOWEST], [0, 0, LOWEST], [0, 0, 0]])
    assert mask.dtype == np.float64
    with pytest.raises(ValueError, match="at least 1 token, not 0"):
        unwrap(causal_mask)(0)
