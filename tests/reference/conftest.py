"""The witness every hand-written gradient is held against, and how close is close."""

import numpy as np
import pytest
import torch


def ask_autograd(function, arrays, grad_output):
    """Let PyTorch carry grad_output back through function to each of the arrays."""
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    grads = torch.autograd.grad(function(*tensors), tensors, torch.as_tensor(grad_output))
    return [grad.numpy() for grad in grads]


def compare(actual, expected, rtol):
    """Fail unless two arrays agree in shape and, measured by the largest entry, to rtol."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"shape {actual.shape}, expected {expected.shape}"
    size = np.abs(expected).max(initial=0)
    assert size > 0, "nothing to compare: every expected number is 0"
    np.testing.assert_allclose(actual, expected, rtol=0, atol=rtol * size)


@pytest.fixture(scope="session")
def autograd():
    """ask_autograd(function, arrays, grad_output): PyTorch's gradient for each array."""
    return ask_autograd


@pytest.fixture(scope="session")
def assert_close():
    """compare(actual, expected, rtol): relative to the largest expected entry."""
    return compare
