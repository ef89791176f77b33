"""The tape of Chapter 4 walks back as autograd does, whatever paths the steps take."""

import numpy as np
import pytest
import torch

from minibert.reference import Node, Tape

rng = np.random.default_rng(3)


def test_a_tape_gives_the_gradients_of_autograd():
    arrays = [rng.standard_normal(shape) for shape in [(2, 3), (3, 4), (2, 4)]]
    tape, (a, b, c) = Tape(), map(Node, arrays)
    product = tape.run(np.matmul, lambda g, y, a, b: (g @ b.T, a.T @ g), a, b)
    total = tape.run(np.add, lambda g, y, x, z: (g, g), product, c)
    root = tape.run(np.tanh, lambda g, y, x: [g * (1 - y**2)], total)
    meeting = tape.run(np.multiply, lambda g, y, x, z: (g * z, g * x), root, product)
    tape.run(np.sum, lambda g, y, x: [g * np.ones(x.shape)], meeting)
    tape.walk_back()
    x, y, z = (torch.tensor(array, requires_grad=True) for array in arrays)
    ((x @ y + z).tanh() * (x @ y)).sum().backward()
    for node, tensor in zip([a, b, c], [x, y, z], strict=True):
        np.testing.assert_allclose(node.grad, tensor.grad, rtol=1e-9, atol=1e-12)


def test_a_node_that_is_used_twice_by_one_step_collects_both():
    tape, x = Tape(), Node(np.array(3.0))
    tape.run(np.multiply, lambda g, y, a, b: (g * b, g * a), x, x)
    tape.walk_back()
    assert x.grad == 6


def test_a_node_off_the_path_keeps_gradient_0():
    tape, x, aside = Tape(), Node(np.ones(2)), Node(np.ones(3))
    tape.run(np.sum, lambda g, y, a: [g * np.ones(2)], x)
    tape.walk_back()
    assert not aside.grad.any() and aside.grad.shape == (3,)
    assert x.grad == pytest.approx(np.ones(2))
