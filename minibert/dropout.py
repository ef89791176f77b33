"""Dropout: the same mathematics as PyTorch's, with random numbers drawn four at a time."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

_LEVELS = 2**16


class Dropout(nn.Dropout):
    """Set a random share of the numbers to 0 while training, and scale up what remains.

    ``y = x * keep / (1 - p)``, where ``keep`` is 0 with probability p and otherwise 1. The expected
    output is the input. Outside training nothing happens.

    PyTorch's own dropout draws one random number per entry, and on a CPU one after the other; it
    can take as long as attention itself. Here one draw of 64 bits decides about four entries, 16
    bits each; p is rounded to a multiple of 1/65536.

    Parameters
    ----------
    p : float, default 0.5
        Probability that a number is dropped, 0 to 1.

    References
    ----------
    Srivastava et al. (2014), section 4. Chapter 9.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> Dropout(0.5)(torch.ones(8)).unique()
    tensor([0., 2.])
    >>> Dropout(0.5).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def forward(self, input: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Drop numbers in training.

        Parameters
        ----------
        input : Float[Tensor, "*shape"]
            Any numbers.

        Returns
        -------
        Float[Tensor, "*shape"]
            In training 0 or the number divided by ``1 - p``; otherwise the input itself.
        """
        if not self.training or self.p == 0:
            return input
        if self.p == 1 or input.device.type != "cpu" or torch.compiler.is_compiling():
            return functional.dropout(input, self.p)
        return _Thin.apply(input, _draw_levels(input), round(self.p * _LEVELS))


class _Thin(torch.autograd.Function):
    """Set x to 0 where the level is among the lowest, and scale up the rest; so the gradient.

    It remembers the levels, two bytes per entry. Left to autograd, a product with factors of 0 and
    1 would remember the factors, four bytes, and `torch.where` takes several times as long as a
    product.
    """

    @staticmethod
    def forward(ctx, x: Tensor, levels: Tensor, dropped: int) -> Tensor:
        ctx.save_for_backward(levels)
        ctx.dropped = dropped
        kept = torch.ge(levels, dropped - _LEVELS // 2, out=torch.empty_like(x))
        return kept.mul_(x).mul_(_LEVELS / (_LEVELS - dropped))

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None, None]:
        return _Thin.apply(grad, *ctx.saved_tensors, ctx.dropped), None, None


def _draw_levels(like: Tensor) -> Tensor:
    """Return one of 65536 levels for every entry, from -32768 on, in the shape of `like`."""
    draws = torch.empty(-(-like.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    return draws.view(torch.int16)[: like.numel()].view(like.shape)
