"""Dropout: the same mathematics as PyTorch's, with random numbers drawn four at a time.

Replaces torch.nn.Dropout. Chapter 23.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

_LEVELS = 2**16


class FastDropout(nn.Dropout):
    """Set a random share of the numbers to 0 while training, and scale up what remains."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def forward(self, input: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Drop numbers in training."""
        if not self.training or self.p == 0:
            return input
        dropped = round(self.p * _LEVELS)
        if dropped == _LEVELS or input.device.type != "cpu" or torch.compiler.is_compiling():
            return functional.dropout(input, self.p)
        return _Thin.apply(input, _draw_kept(input, dropped), _LEVELS / (_LEVELS - dropped))


class _Thin(torch.autograd.Function):
    """Multiply x by 0 or 1 and by the scale, and the gradient likewise.

    It remembers one byte per entry; autograd would remember a factor, which has four.
    """

    @staticmethod
    def forward(ctx, x: Tensor, kept: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(kept)
        ctx.scale = scale
        factors = kept.to(x.dtype)
        return torch.addcmul(x.new_zeros(()), factors, x, value=scale, out=factors)

    @staticmethod
    def backward(ctx, *grads: Tensor) -> tuple[Tensor, None, None]:
        return _Thin.apply(*grads, *ctx.saved_tensors, ctx.scale), None, None


def _draw_kept(like: Tensor, dropped: int) -> Tensor:
    """Return 0 for `dropped` of 65536 levels and 1 for the others, in the shape of `like`."""
    draws = torch.empty(-(-like.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    levels = draws.view(torch.int16)[: like.numel()].view(like.shape)
    kept = torch.empty(like.shape, dtype=torch.uint8)  # a bool takes longer to convert
    return torch.ge(levels, dropped - _LEVELS // 2, out=kept)
