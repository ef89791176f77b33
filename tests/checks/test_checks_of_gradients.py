"""A reader's test of gradients, in Chapter 4: whose wrong gradients pass it is said."""

import numpy as np
import pytest
import torch

from bertbook.topics.gradients.softmax import check_gradient_test, check_softmax_backward
from minibert.reference import softmax, softmax_backward


def ask_torch(function, array, grad_output):
    """Let autograd answer: right, and written by nobody here."""
    tensor = torch.tensor(array, requires_grad=True)
    return torch.autograd.grad(function(tensor), tensor, torch.as_tensor(grad_output))[0].numpy()


def loops_for_softmax(grad_output, probs):
    flat_grad, flat_probs = (a.reshape(-1, a.shape[-1]) for a in (grad_output, probs))
    rows = [(np.diag(p) - np.outer(p, p)) @ g for g, p in zip(flat_grad, flat_probs, strict=True)]
    return np.array(rows).reshape(probs.shape)


def test_a_gradient_test_that_nobody_slips_through():
    def by_autograd(backward):
        x, g = np.random.default_rng(1).standard_normal((2, 2, 3, 4))
        right = ask_torch(lambda x: x.softmax(-1), x, g)
        return np.allclose(backward(g, softmax(x)), right)

    def by_assert(backward):
        assert by_autograd(backward)
        return True

    count = len(check_softmax_backward.mistakes)
    assert check_gradient_test(by_autograd).message.startswith(f"Right: none of {count} wrong")
    assert check_gradient_test(by_assert).passed


def test_a_gradient_test_with_a_hole_is_told_who_slips_through():
    def plain_sum(backward):
        probs = softmax(np.array([[1.0, 2, 3], [0, 1, 5]]))
        return np.allclose(backward(np.ones((2, 3)), probs), 0)

    def one_row(backward):
        return np.allclose(backward(np.array([1.0, 0]), np.array([0.25, 0.75])), [3 / 16, -3 / 16])

    def two_rows(backward):
        probs = softmax(np.array([[1.0, 2, 3], [0, 1, 5]]))
        return np.allclose(backward(probs, probs), loops_for_softmax(probs, probs))

    holes = [
        (plain_sum, "By what is each gradient weighted"),
        (one_row, "Along which"),
        (two_rows, "Along which axis do"),
    ]
    for hole, told in holes:
        message = check_gradient_test(hole).message
        assert "wrong gradients pass. The author of one would be told" in message
        assert told in message, message


def raises(backward):
    raise KeyError("x")


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (lambda backward: None, "returns nothing yet. Let it return True or False"),
        (lambda backward: False, "refuses the right gradient"),
        (
            lambda backward: True,
            f"Not yet. {(n := len(check_softmax_backward.mistakes))} of {n} wrong gradients",
        ),
        (raises, "raises stopped with KeyError: 'x'"),
        (
            lambda backward: np.allclose(
                backward(*(a := np.random.default_rng(0).random((2, 3, 4, 5)))),
                softmax_backward(*a),
            ),
            "uses softmax_backward. Who would test that one?",
        ),
    ],
)
def test_a_gradient_test_that_cannot_be(test, told):
    verdict = check_gradient_test(test)
    assert not verdict.passed
    assert told in verdict.message
