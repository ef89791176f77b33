"""Cases whose arrays a reader's function gets as tensors, and gradients of them. Chapter 8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch


def to_tensor(value: object) -> object:
    """See an array as a tensor; they share their memory, so that a change of it is seen."""
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def gradients_flow(*case: Any, to: int) -> Callable[[Callable], str]:
    """Build the question whether gradients flow from an answer to the first arguments of a case."""

    def told(function: Callable) -> str:
        leaves = [torch.tensor(x, requires_grad=True) for x in case[:to]]
        try:
            torch.autograd.grad(function(*leaves, *map(to_tensor, case[to:])), leaves)
        except (RuntimeError, AttributeError, TypeError):
            return (
                "no gradient flows back through it. Compute with torch up to the end, without "
                "numpy, detach() or item(), and return the tensor."
            )
        return ""

    return told
