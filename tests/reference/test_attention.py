"""Softmax and attention against PyTorch, in value and gradient."""

from inspect import unwrap

import numpy as np
import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.reference import (
    additive_mask,
    attention,
    attention_backward,
    causal_mask,
    softmax,
    softmax_backward,
)

seeds = st.integers(0, 2**32 - 1)
different_sizes = st.permutations([3, 4, 5, 6])
leading_shapes = st.sampled_from([(), (3,), (2, 3)])
a_few = examples(20)


def random_attention(seed, leading, sizes):
    """Draw query, key, value and a gradient for the context, all sizes different."""
    rng = np.random.default_rng(seed)
    queries, keys, head_size, value_size = sizes
    shapes = [(queries, head_size), (keys, head_size), (keys, value_size), (queries, value_size)]
    return [rng.normal(size=leading + shape) for shape in shapes]


def random_mask(seed, keys):
    """Draw a padding mask in which at least two keys may be looked at and one may not."""
    mask = np.random.default_rng(seed).integers(0, 2, size=keys)
    mask[:2], mask[-1] = 1, 0
    return additive_mask(mask)


def test_softmax_subtracts_the_maximum_of_each_row_and_gives_minus_infinity_nothing():
    x = np.array([[1000.0, 1000, -np.inf], [-1000, -1000, -np.inf]])
    np.testing.assert_array_equal(softmax(x), [[0.5, 0.5, 0]] * 2)


@a_few
@given(seeds, leading_shapes, st.sampled_from([0, -1]))
def test_softmax_and_its_gradient_equal_torch(equal_torch, seed, leading, axis):
    x, grad = np.random.default_rng(seed).normal(size=(2, *leading, 4, 5), scale=3)
    probs = softmax(x, axis=axis)
    by_hand = [softmax_backward(grad, probs, axis=axis)]
    equal_torch(probs, by_hand, lambda x: torch.softmax(x, axis), [x], grad)


@a_few
@given(seeds, leading_shapes, different_sizes, st.booleans())
def test_attention_and_its_gradients_equal_torch(equal_torch, seed, leading, sizes, masked):
    *given, grad = random_attention(seed, leading, sizes)
    mask = random_mask(seed, sizes[1]) if masked else None
    context, probs = attention(*given, mask)

    def by_torch(query, key, value):
        seen = None if mask is None else torch.tensor(mask)
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, seen)

    equal_torch(context, attention_backward(grad, *given, probs), by_torch, given, grad)


def test_a_fully_masked_row_has_the_gradient_of_autograd(equal_torch):
    *given, grad = random_attention(3, (), (2, 4, 3, 5))
    mask = additive_mask(np.zeros(4))
    context, probs = attention(*given, mask)

    def by_torch(query, key, value):  # where PyTorch's own function has another one
        scores = query @ key.T / np.sqrt(3) + torch.tensor(mask)
        return torch.softmax(scores, -1) @ value

    equal_torch(context, attention_backward(grad, *given, probs), by_torch, given, grad)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([(2, 3), (4, 5), (4, 6)], "a query of 3 numbers .* a key of 5"),
        ([(2, 3), (4, 3), (5, 6)], "4 keys and 5 values"),
        ([(2, 3), (4, 3), (7, 4, 6)], "leading dimensions"),
        ([(3,), (4, 3), (4, 6)], "a row per token"),
    ],
)
def test_attention_says_which_shapes_do_not_fit(shapes, words):
    arrays = [np.zeros(shape) for shape in shapes]
    with pytest.raises(ValueError, match=words):
        unwrap(attention)(*arrays)
    with pytest.raises(ValueError, match=words):
        unwrap(attention_backward)(np.zeros((2, 6)), *arrays, np.zeros((2, 4)))


@pytest.mark.parametrize("shape", [(5,), (7, 2, 4)])
def test_attention_refuses_a_mask_that_does_not_fit(shape):
    query, key, value, _ = random_attention(0, (), (2, 4, 3, 5))
    with pytest.raises(ValueError, match=r"does not fit scores of shape \(2, 4\)"):
        attention(query, key, value, np.zeros(shape))


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
