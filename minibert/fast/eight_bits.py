"""Linear layers in whole numbers of eight bits, for models that only answer. Chapter 23."""

import copy
from functools import cache

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .exchange import exchange


def quantize(
    x: Float[Tensor, "rows columns"],
) -> tuple[Int[Tensor, "rows columns"], Float[Tensor, "rows 1"]]:
    """Return each row of `x` as whole numbers from -127 to 127, int8, and one scale.

    ``x ≈ numbers * scale``, with ``scale = max(|row|) / 127`` in float32 at least. The largest
    entry of a row is kept exactly, any other up to half a scale.

    >>> numbers, scale = quantize(torch.tensor([[0.5, -1.27, 0.013]]))
    >>> numbers.tolist(), round(scale.item(), 4)
    ([[50, -127, 1]], 0.01)
    """
    x = x.to(torch.promote_types(x.dtype, torch.float32))  # 16 bits are too few for the scales
    scale = x.abs().amax(dim=1, keepdim=True) / 127  # (rows, 1)
    return (x / scale.clamp(min=torch.finfo(x.dtype).tiny)).round().to(torch.int8), scale


class EightBitLinear(nn.Module):
    """Multiply whole numbers, and put both scales back afterwards.

    The weights of `linear` are quantized once, one scale for each output; vectors as they come, one
    scale for each token.

    >>> linear, x = nn.Linear(3, 2), torch.tensor([[1.0, -2.0, 0.5]])
    >>> small = EightBitLinear(linear)
    >>> small.numbers.dtype, torch.allclose(small(x), linear(x), atol=0.05)
    (torch.int8, True)
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        numbers, scale = quantize(linear.weight.detach())
        self.register_buffer("numbers", numbers.T)  # (in, out)
        self.register_buffer("scale", scale.T)  # (1, out)
        self.bias = linear.bias

    def forward(self, x: Float[Tensor, "... in_size"]) -> Float[Tensor, "... out_size"]:
        """Return nearly what the linear layer would return for `x`, in its type."""
        numbers, scale = quantize(x.flatten(0, -2))  # (tokens, in), (tokens, 1)
        sums = _multiply(numbers, self.get_buffer("numbers"))  # (tokens, out)
        y = sums * scale * self.get_buffer("scale")
        y = y if self.bias is None else y + self.bias
        return y.to(x.dtype).unflatten(0, x.shape[:-1])  # (..., out)


def _multiply(left: Tensor, right: Tensor) -> Tensor:
    """Multiply two matrices of int8; as floats where the product for whole numbers is wrong."""
    if whole_products_are_right():
        return torch._int_mm(left, right)
    return left.float() @ right.float()


@cache
def whole_products_are_right() -> bool:
    """Try the largest sums: without instructions for them a CPU cuts them off at 16 bits."""
    largest = torch.full((16, 16), 127, dtype=torch.int8)
    return bool((torch._int_mm(largest, largest) == 16 * 127**2).all())


def in_eight_bits(model: nn.Module) -> nn.Module:
    """Return a copy of `model` for use, with linear layers that work in eight bits.

    >>> plain = nn.Linear(64, 64)
    >>> x = torch.randn(5, 64)
    >>> bool((in_eight_bits(plain)(x) - plain(x)).abs().max() < 0.1)
    True
    """
    model = copy.deepcopy(model).requires_grad_(False)
    exchange(model, nn.Linear, EightBitLinear)
    return model.eval()
