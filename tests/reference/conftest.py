"""The witness that every function and its hand-written gradient is held against."""

import numpy as np
import pytest
import torch


@pytest.fixture(scope="session")
def equal_torch():
    """Fail unless an output and the gradients by hand are PyTorch's, by the largest entry."""

    def equal_torch(ours, by_hand, by_torch, arrays, grad=1.0):
        tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
        output = by_torch(*tensors)
        expected = output.detach(), *torch.autograd.grad(output, tensors, torch.as_tensor(grad))
        for one, other in zip([ours, *by_hand], expected, strict=True):
            actual, wanted = np.asarray(one), other.numpy()
            assert actual.shape == wanted.shape
            size = np.abs(wanted).max(initial=0)
            assert size > 0, "nothing to compare: every expected number is 0"
            np.testing.assert_allclose(actual, wanted, rtol=0, atol=1e-12 * size)

    return equal_torch
