"""Softmax and attention against the book's numbers and PyTorch."""

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

TIGHT = 1e-12
seeds = st.integers(0, 2**32 - 1)
different_sizes = st.permutations([3, 4, 5, 6])
leading_shapes = st.sampled_from([(), (3,), (2, 3)])
a_few = examples(20)

ONE_CAT = np.array([[1.0, 0, 2], [-1, 2, 0]])
KEY_WEIGHT = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])


def torch_attention(query, key, value, mask=None):
    """Attention by PyTorch's own function, where it is independent of ours."""
    mask = None if mask is None else torch.tensor(mask)
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


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


# ---------------------------------------------------------------------------- softmax


def test_softmax_gives_the_weights_of_one_cat():
    exponentials = np.exp(np.array([1, 3]) / np.sqrt(3))
    np.testing.assert_array_equal(exponentials.round(2), [1.78, 5.65])
    np.testing.assert_array_equal(softmax(np.array([1.0, 3]) / np.sqrt(3)).round(2), [0.24, 0.76])


@pytest.mark.parametrize(
    ("x", "axis", "expected"),
    [
        ([1e4, 1e4, -1e4], -1, [0.5, 0.5, 0]),  # far too large for exp
        ([[1000.0, 1000], [-1000, -1000]], -1, [[0.5, 0.5]] * 2),  # the maximum of each row
        ([[1000.0, -1000], [1000, -1000]], 0, [[0.5, 0.5]] * 2),
        ([-np.inf, 0.0, 0.0], -1, [0, 0.5, 0.5]),
    ],
)
def test_softmax_subtracts_the_maximum_of_each_row_and_gives_minus_infinity_nothing(
    x, axis, expected
):
    np.testing.assert_array_equal(softmax(np.array(x), axis=axis), expected)


@a_few
@given(seeds, leading_shapes, st.sampled_from([0, -1]))
def test_softmax_equals_torch_along_any_axis(assert_close, seed, leading, axis):
    x = np.random.default_rng(seed).normal(size=(*leading, 4, 5), scale=5)
    assert_close(softmax(x, axis=axis), torch.softmax(torch.tensor(x), axis).numpy(), TIGHT)
    np.testing.assert_allclose(softmax(x, axis=axis).sum(axis=axis), 1, rtol=1e-14)


def test_softmax_of_nothing_but_minus_infinity_is_nan_as_in_torch():
    row = np.full(2, -np.inf)
    assert torch.softmax(torch.tensor(row), 0).isnan().all()
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(softmax(row)).all()


@a_few
@given(seeds, leading_shapes, st.sampled_from([0, -1]))
def test_softmax_backward_equals_autograd(autograd, assert_close, seed, leading, axis):
    x, grad = np.random.default_rng(seed).normal(size=(2, *leading, 4, 5))
    (expected,) = autograd(lambda x: torch.softmax(x, axis), [x], grad)
    actual = softmax_backward(grad, softmax(x, axis=axis), axis=axis)
    assert_close(actual, expected, TIGHT)
    np.testing.assert_allclose(actual.sum(axis=axis), 0, atol=1e-14)


def test_softmax_of_one_number_is_one_and_passes_no_gradient():
    assert softmax(np.array([7.0])) == 1
    assert softmax_backward(np.array([3.0]), np.array([1.0])) == 0


# -------------------------------------------------------------------------- attention


def test_attention_gives_every_number_of_one_cat():
    query, key, value = ONE_CAT, ONE_CAT @ KEY_WEIGHT, 2 * ONE_CAT
    np.testing.assert_array_equal(query @ key.T, [[1, 3], [3, 1]])
    context, probs = attention(query, key, value)
    np.testing.assert_array_equal(probs.round(2), [[0.24, 0.76], [0.76, 0.24]])
    np.testing.assert_array_equal(context.round(2), [[-1.04, 3.04, 0.96], [1.04, 0.96, 3.04]])


@a_few
@given(seeds, leading_shapes, different_sizes, st.booleans())
def test_attention_equals_torch(assert_close, seed, leading, sizes, masked):
    query, key, value, _ = random_attention(seed, leading, sizes)
    mask = random_mask(seed, sizes[1]) if masked else None
    context, probs = attention(query, key, value, mask)
    expected = torch_attention(*map(torch.tensor, (query, key, value)), mask)
    assert_close(context, expected.numpy(), TIGHT)
    np.testing.assert_allclose(probs.sum(axis=-1), 1, rtol=1e-14)
    np.testing.assert_array_equal(context, probs @ value)


@pytest.mark.parametrize("hide", ["the last key", "the future"])
def test_attention_gives_hidden_keys_exactly_no_weight(hide):
    mask = additive_mask(np.array([1, 1, 0])) if hide == "the last key" else causal_mask(3)
    x = np.random.default_rng(0).normal(size=(3, 4))
    _, probs = attention(x, x, x, mask)
    hidden = np.broadcast_to(mask < 0, probs.shape)
    assert (probs[hidden] == 0).all()
    assert (probs[~hidden] > 0).all()


def test_attention_of_a_fully_masked_row_is_the_plain_average():
    query, key, value, _ = random_attention(0, (), (2, 4, 3, 5))
    context, probs = attention(query, key, value, additive_mask(np.zeros(4)))
    np.testing.assert_array_equal(probs, np.full((2, 4), 0.25))
    np.testing.assert_allclose(context, [value.mean(axis=0)] * 2)


@a_few
@given(seeds, leading_shapes, different_sizes, st.booleans())
def test_attention_backward_equals_autograd(autograd, assert_close, seed, leading, sizes, masked):
    query, key, value, grad = random_attention(seed, leading, sizes)
    mask = random_mask(seed, sizes[1]) if masked else None
    _, probs = attention(query, key, value, mask)
    expected = autograd(lambda q, k, v: torch_attention(q, k, v, mask), [query, key, value], grad)
    by_hand = attention_backward(grad, query, key, value, probs)
    for hand, auto in zip(by_hand, expected, strict=True):
        assert_close(hand, auto, TIGHT)


def test_attention_backward_through_a_fully_masked_row_is_that_of_autograd(autograd, assert_close):
    query, key, value, grad = random_attention(3, (), (2, 4, 3, 5))
    mask = additive_mask(np.zeros(4))
    _, probs = attention(query, key, value, mask)

    def by_torch(query, key, value):
        scores = query @ key.T / np.sqrt(3) + torch.tensor(mask)
        return torch.softmax(scores, -1) @ value

    expected = autograd(by_torch, [query, key, value], grad)
    by_hand = attention_backward(grad, query, key, value, probs)
    for hand, auto in zip(by_hand, expected, strict=True):
        assert_close(hand, auto, TIGHT)


def test_one_token_looks_at_itself_and_moves_only_its_value():
    x = np.array([[1.0, -2.0]])
    context, probs = attention(x, x, x)
    grad_query, grad_key, grad_value = attention_backward(np.array([[3.0, 4.0]]), x, x, x, probs)
    np.testing.assert_array_equal(context, x)
    assert not np.any([grad_query, grad_key])
    np.testing.assert_array_equal(grad_value, [[3, 4]])


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([(2, 3), (4, 5), (4, 6)], "a query of 3 numbers cannot be compared with a key of 5"),
        ([(2, 3), (4, 3), (5, 6)], "there are 4 keys and 5 values"),
        ([(2, 3), (7, 4, 3), (7, 4, 6)], "the leading dimensions must be the same"),
        ([(2, 3), (4, 3), (7, 4, 6)], "the leading dimensions must be the same"),
        ([(3,), (4, 3), (4, 6)], r"a row per token.*query \(3,\)"),
    ],
)
def test_attention_says_which_shapes_do_not_fit(shapes, words):
    arrays = [np.zeros(shape) for shape in shapes]
    with pytest.raises(ValueError, match=words):
        unwrap(attention)(*arrays)
    with pytest.raises(ValueError, match=words):
        unwrap(attention_backward)(np.zeros((2, 6)), *arrays, np.zeros((2, 4)))


@pytest.mark.parametrize("shape", [(5,), (7, 2, 4), (3, 4)])
def test_attention_refuses_a_mask_that_does_not_fit(shape):
    query, key, value, _ = random_attention(0, (), (2, 4, 3, 5))
    with pytest.raises(ValueError, match=r"does not fit scores of shape \(2, 4\)"):
        attention(query, key, value, np.zeros(shape))
