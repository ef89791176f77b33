"""Linear, GELU and LayerNorm against hand values and PyTorch."""

from inspect import unwrap

import numpy as np
import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.reference import (
    gelu,
    gelu_backward,
    layer_norm,
    layer_norm_backward,
    linear,
    linear_backward,
)

TIGHT = 1e-12
seeds = st.integers(0, 2**32 - 1)
leading_shapes = st.sampled_from([(), (2,), (2, 3)])
different_sizes = st.permutations([4, 5, 7])
a_few = examples(20)
torch_layer_norm = torch.nn.functional.layer_norm


# ----------------------------------------------------------------------------- linear


def test_linear_has_one_row_of_weights_per_output():
    weight = np.array([[1.0, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(linear(np.array([1.0, 0, -1]), weight), [-2, -2])
    biased = linear(np.array([1.0, 0, -1]), weight, np.array([10.0, 20]))
    np.testing.assert_array_equal(biased, [8, 18])


@a_few
@given(seeds, leading_shapes, different_sizes, st.booleans())
def test_linear_and_its_gradients_equal_torch(
    autograd, assert_close, seed, leading, sizes, with_bias
):
    out_size, in_size, _ = sizes
    rng = np.random.default_rng(seed)
    x, weight = rng.normal(size=(*leading, in_size)), rng.normal(size=(out_size, in_size))
    bias, grad = rng.normal(size=out_size), rng.normal(size=(*leading, out_size))
    expected = torch.nn.functional.linear(*map(torch.tensor, (x, weight, bias))).numpy()
    assert_close(linear(x, weight, bias), expected, TIGHT)
    assert_close(linear(x, weight), expected - bias, TIGHT)
    grads = autograd(torch.nn.functional.linear, [x, weight, bias], grad)
    for hand, auto in zip(linear_backward(grad, x, weight), grads, strict=True):
        assert_close(hand, auto, TIGHT)


def test_linear_says_which_width_does_not_fit():
    weight = np.zeros((4, 3))
    with pytest.raises(ValueError, match=r"takes vectors of 3 numbers, but x has shape \(2, 4\)"):
        unwrap(linear)(np.zeros((2, 4)), weight)
    with pytest.raises(ValueError, match=r"takes vectors of 3 numbers, but x has shape \(2, 4\)"):
        unwrap(linear_backward)(np.zeros((2, 4)), np.zeros((2, 4)), weight)
    with pytest.raises(ValueError, match=r"needs a bias of shape \(4,\), not \(1,\)"):
        unwrap(linear)(np.zeros((2, 3)), weight, np.zeros(1))


# ------------------------------------------------------------------------------- gelu


def test_gelu_is_the_exact_one_not_the_tanh_approximation():
    x = np.array([-2.0, 0.0, 1.0])
    np.testing.assert_allclose(gelu(x), [-0.0455002638963584, 0, 0.8413447460685429], rtol=1e-14)
    approximate = torch.nn.functional.gelu(torch.tensor(x), approximate="tanh").numpy()
    assert np.abs(gelu(x) - approximate).max() > 1e-4


def test_gelu_lets_large_numbers_through_and_stops_very_negative_ones():
    np.testing.assert_array_equal(gelu(np.array([-40.0, 40.0])), [0, 40])
    slopes = gelu_backward(np.array([2.0, 3.0]), np.array([-40.0, 40.0]))
    np.testing.assert_array_equal(slopes, [0, 3])
    assert gelu(np.linspace(-3, 0, 301)).min() == pytest.approx(-0.17, abs=1e-3)


@a_few
@given(seeds, leading_shapes)
def test_gelu_and_its_gradient_equal_torch(autograd, assert_close, seed, leading):
    x, grad = np.random.default_rng(seed).normal(size=(2, *leading, 5), scale=2)
    assert_close(gelu(x), torch.nn.functional.gelu(torch.tensor(x)).numpy(), TIGHT)
    (expected,) = autograd(torch.nn.functional.gelu, [x], grad)
    assert_close(gelu_backward(grad, x), expected, TIGHT)


# ------------------------------------------------------------------------- layer_norm


def random_layer_norm(seed, leading, hidden):
    """Draw an input, weight, bias and gradient; the input is far from mean 0 and variance 1."""
    rng = np.random.default_rng(seed)
    x, grad = rng.normal(size=(2, *leading, hidden))
    weight, bias = rng.normal(size=(2, hidden))
    return 3 * x + 2, weight, bias, grad


@pytest.mark.parametrize(
    ("x", "weight", "bias", "eps", "expected"),
    [
        ([0.0, 0, 3], [1, 1, 1], [0, 0, 0], 1e-12, [-(0.5**0.5), -(0.5**0.5), 2**0.5]),
        ([1.0, 3], [10, 100], [5, 7], 1e-12, [-5, 107]),  # stretched, then shifted
        ([4.0, 4, 4], [1, 1, 1], [1, 2, 3], 1e-12, [1, 2, 3]),
        ([-1.0, 1], [1, 1], [0, 0], 3.0, [-0.5, 0.5]),  # eps sits inside the root
    ],
)
def test_layer_norm_divides_the_variance_by_n_stretches_and_shifts(x, weight, bias, eps, expected):
    given = (np.array(each, dtype=float) for each in (x, weight, bias))
    np.testing.assert_allclose(layer_norm(*given, eps), expected)


@a_few
@given(seeds, leading_shapes, st.sampled_from([5, 6, 7]), st.sampled_from([1e-12, 1e-5, 0.5]))
def test_layer_norm_and_its_gradients_equal_torch(autograd, assert_close, seed, leading, n, eps):
    x, weight, bias, grad = random_layer_norm(seed, leading, n)

    def by_torch(x, weight, bias):
        return torch_layer_norm(x, (n,), weight, bias, eps)

    expected = by_torch(*map(torch.tensor, (x, weight, bias)))
    assert_close(layer_norm(x, weight, bias, eps), expected.numpy(), TIGHT)
    grads = layer_norm_backward(grad, x, weight, eps)
    for hand, auto in zip(grads, autograd(by_torch, [x, weight, bias], grad), strict=True):
        assert_close(hand, auto, TIGHT)
    np.testing.assert_allclose(grads[0].sum(axis=-1), 0, atol=1e-13)


def test_layer_norm_uses_the_eps_of_bert_unless_told():
    x, weight, bias, grad = random_layer_norm(1, (), 4)
    x *= 1e-6
    told = [layer_norm(x, weight, bias, 1e-12), *layer_norm_backward(grad, x, weight, 1e-12)]
    untold = [layer_norm(x, weight, bias), *layer_norm_backward(grad, x, weight)]
    for ours, explicit in zip(untold, told, strict=True):
        np.testing.assert_array_equal(ours, explicit)


def test_layer_norm_says_which_shape_does_not_fit():
    words = r"vectors of 3 numbers need .* shape \(3,\), not \(1,\) and \(3,\)"
    with pytest.raises(ValueError, match=words):
        unwrap(layer_norm)(np.zeros((2, 3)), np.ones(1), np.zeros(3))
