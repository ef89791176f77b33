"""A tape of steps that can be walked back: what autograd is, in a few lines. Chapters 4 and 5."""

from collections.abc import Callable

import numpy as np


class Node:
    """An array of a computation, and the gradient that has reached it so far.

    The numbers, `array`, have any shape; `grad` starts at 0.

    >>> Node(np.ones(2)).grad
    array([0., 0.])
    """

    def __init__(self, array: np.ndarray | np.generic):
        self.array = np.asarray(array)
        self.grad = np.zeros(self.array.shape)


class Tape:
    """The steps of a computation in their order, each with its way back.

    >>> tape, x = Tape(), Node(np.array(2.0))
    >>> a = tape.run(lambda x: 3 * x, lambda g, a, x: [3 * g], x)
    >>> square = tape.run(lambda a: a**2, lambda g, square, a: [2 * a * g], a)
    >>> tape.walk_back()
    >>> square.array, x.grad
    (array(36.), np.float64(36.0))
    """

    def __init__(self):
        self.steps = []

    def run(self, forward: Callable, backward: Callable, *inputs: Node) -> Node:
        """Return what a step computes of `inputs`, and remember how to go back.

        Args:
            forward: Takes the arrays of the inputs and returns an array.
            backward: Takes the gradient of the output, the output and the inputs; returns one
                gradient for each input.
        """
        output = Node(forward(*(node.array for node in inputs)))
        self.steps.append((backward, output, inputs))
        return output

    def walk_back(self) -> None:
        """Let the last number's gradient, 1, reach every node."""
        self.steps[-1][1].grad = 1.0
        for backward, output, inputs in reversed(self.steps):
            arrays = [node.array for node in inputs]
            grads = backward(output.grad, output.array, *arrays)
            for node, grad in zip(inputs, grads):
                node.grad = node.grad + grad  # where paths meet, add
