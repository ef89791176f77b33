"""Cases whose arrays a reader's function gets as tensors, and gradients of them. Chapter 8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

OVERFLOW = (
    "Right, until the temperature is small. Then scores are large: exp(1000) is infinite, and the "
    "logarithm of a probability of 0 is minus infinity. log_softmax and cross_entropy subtract "
    "the largest score first."
)


def to_tensor(value: object) -> object:
    """See an array as a tensor; they share their memory, so that a change of it is seen."""
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def log_softmax(scores: Float[np.ndarray, "..."], axis: int = -1) -> Float[np.ndarray, "..."]:
    """Compute logarithms of probabilities, however large the scores are."""
    below = scores - scores.max(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


def gradients_flow(*case: Any, to: int) -> Callable[[Callable], str]:
    """Build the question whether gradients flow from an answer to the first arguments of a case."""

    def missing(function: Callable) -> str:
        leaves = [torch.tensor(x, requires_grad=True) for x in case[:to]]
        try:
            answer = function(*leaves, *map(to_tensor, case[to:]))
            torch.autograd.grad(torch.Tensor.sum(answer), leaves)
        except (RuntimeError, AttributeError, TypeError):
            return (
                "no gradient flows back through it. Compute with torch up to the end, without "
                "numpy, detach() or item(), and return the tensor."
            )
        return ""

    return missing
