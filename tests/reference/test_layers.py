"""Linear, GELU and LayerNorm against PyTorch, in value and gradient."""

from inspect import unwrap

import numpy as np
import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from minibert.reference import (
    Node,
    Tape,
    gelu,
    gelu_backward,
    layer_norm,
    layer_norm_backward,
    linear,
    linear_backward,
)

seeds = st.integers(0, 2**32 - 1)
leading_shapes = st.sampled_from([(), (2,), (2, 3)])
a_few = examples(20)


@a_few
@given(seeds, leading_shapes, st.permutations([4, 5]))
def test_linear_and_its_gradients_equal_torch(equal_torch, seed, leading, sizes):
    rng, (out_size, in_size) = np.random.default_rng(seed), sizes
    x, weight = rng.normal(size=(*leading, in_size)), rng.normal(size=(out_size, in_size))
    bias, grad = rng.normal(size=out_size), rng.normal(size=(*leading, out_size))
    by_hand = linear_backward(grad, x, weight)
    equal_torch(linear(x, weight, bias), by_hand, functional.linear, [x, weight, bias], grad)
    equal_torch(linear(x, weight), by_hand[:2], functional.linear, [x, weight], grad)


def test_linear_says_which_width_does_not_fit():
    weight = np.zeros((4, 3))
    words = r"vectors of 3 numbers, but x has shape \(2, 4\)"
    with pytest.raises(ValueError, match=words):
        unwrap(linear)(np.zeros((2, 4)), weight)
    with pytest.raises(ValueError, match=words):
        unwrap(linear_backward)(np.zeros((2, 4)), np.zeros((2, 4)), weight)
    with pytest.raises(ValueError, match=r"a bias of shape \(4,\), not \(1,\)"):
        unwrap(linear)(np.zeros((2, 3)), weight, np.zeros(1))


@a_few
@given(seeds, leading_shapes)
def test_gelu_and_its_gradient_equal_torch(equal_torch, seed, leading):
    x, grad = np.random.default_rng(seed).normal(size=(2, *leading, 5), scale=2)
    equal_torch(gelu(x), [gelu_backward(grad, x)], functional.gelu, [x], grad)


@a_few
@given(seeds, leading_shapes, st.sampled_from([5, 6, 7]), st.sampled_from([None, 1e-5, 0.5]))
def test_layer_norm_and_its_gradients_equal_torch(equal_torch, seed, leading, n, eps):
    rng = np.random.default_rng(seed)
    x, grad = 3 * rng.normal(size=(2, *leading, n)) + 2  # far from mean 0 and variance 1
    weight, bias = rng.normal(size=(2, n))
    told = [] if eps is None else [eps]  # that of BERT unless told

    def by_torch(x, weight, bias):
        return functional.layer_norm(x, (n,), weight, bias, eps or 1e-12)

    by_hand = layer_norm_backward(grad, x, weight, *told)
    equal_torch(layer_norm(x, weight, bias, *told), by_hand, by_torch, [x, weight, bias], grad)


def test_layer_norm_says_which_shape_does_not_fit():
    with pytest.raises(ValueError, match=r"shape \(3,\), not \(1,\) and \(3,\)"):
        unwrap(layer_norm)(np.zeros((2, 3)), np.ones(1), np.zeros(3))


def test_a_tape_gives_the_gradients_of_autograd():
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal(shape) for shape in [(2, 3), (3, 4), (2, 4)]]
    tape, (a, b, c), aside = Tape(), map(Node, arrays), Node(np.ones(3))
    product = tape.run(np.matmul, lambda g, y, a, b: (g @ b.T, a.T @ g), a, b)
    total = tape.run(np.add, lambda g, y, x, z: (g, g), product, c)
    root = tape.run(np.tanh, lambda g, y, x: [g * (1 - y**2)], total)
    meeting = tape.run(np.multiply, lambda g, y, x, z: (g * z, g * x), root, product)
    square = tape.run(np.multiply, lambda g, y, x, z: (g * z, g * x), meeting, meeting)
    tape.run(np.sum, lambda g, y, x: [g * np.ones(x.shape)], square)
    tape.walk_back()
    x, y, z = (torch.tensor(array, requires_grad=True) for array in arrays)
    ((x @ y + z).tanh() * (x @ y)).square().sum().backward()
    for node, tensor in zip([a, b, c], [x, y, z], strict=True):
        np.testing.assert_allclose(node.grad, tensor.grad, rtol=1e-9, atol=1e-12)
    assert not aside.grad.any() and aside.grad.shape == (3,)
