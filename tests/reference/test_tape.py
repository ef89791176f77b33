"""The tape of Chapter 4 walks back as autograd does, whatever paths the steps take."""

import numpy as np
import torch

from minibert.reference import Node, Tape


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
