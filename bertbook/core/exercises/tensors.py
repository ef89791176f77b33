"""Cases whose arrays a reader's function gets as tensors, and gradients of them. Chapter 8."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch.utils._python_dispatch import TorchDispatchMode

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


class _Largest(TorchDispatchMode):
    """Note how many numbers the largest tensor has that is made."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor):
            self.numbers = max(self.numbers, made.numel())
        return made


def no_table(*qkv_and_block: Any) -> Callable[[Callable], str]:
    """Build the question whether attention by blocks does without its table."""

    def missing(function: Callable) -> str:
        with torch.no_grad(), _Largest() as largest:
            function(*map(to_tensor, qkv_and_block))
        tokens, block = qkv_and_block[0].shape[-2], qkv_and_block[-1]
        if largest.numbers < tokens**2 // 2:
            return ""
        return (
            f"for {tokens} tokens in blocks of {block} a tensor of {largest.numbers:,} numbers is "
            f"made. A table of one block has {tokens * block:,}: read {block} keys at a time."
        )

    return missing


def is_float32(*case: Any) -> Callable[[Callable], str]:
    """Build the question whether an answer that has a dtype has that of the exercise."""

    def missing(function: Callable) -> str:
        kind = str(getattr(function(*case), "dtype", "float32")).removeprefix("torch.")
        return "" if kind == "float32" else f"they are {kind}, and float32 is asked for."

    return missing


def any_scale_of_zeros(answer: object) -> object:
    """See the scale of a row of zeros as 0: with any other one the row reads as zeros, too."""
    if not isinstance(answer, tuple) or len(answer) != 2 or np.ndim(answer[0]) != 2:
        return answer
    numbers, scale = map(np.asarray, answer)
    is_column = scale.shape == (len(numbers), 1)
    return numbers, np.where(numbers.any(axis=1, keepdims=True), scale, 0) if is_column else scale
