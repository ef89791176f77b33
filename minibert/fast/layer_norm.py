"""LayerNorm in 16 bits, with the sums in 32: what lies between the layers stays half as large.

Replaces torch.nn.LayerNorm. Chapter 23.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


class LowPrecisionLayerNorm(nn.LayerNorm):
    """Normalize in the type of the products, where autocast is on; elsewhere as `nn.LayerNorm`.

    On a GPU autocast normalizes in float32 and returns float32: twice the bytes between the layers,
    in steps that wait for memory. Here vectors come and go in 16 bits; mean and variance are still
    computed in float32, inside the kernel. `normalized_shape` and `eps` are PyTorch's.

    Source: Portes et al. (2023), MosaicBERT, section 2.

    >>> norm, x = LowPrecisionLayerNorm(4), torch.arange(4.0)
    >>> with torch.autocast("cpu", torch.bfloat16):
    ...     norm(x).dtype, nn.LayerNorm(4)(x).dtype
    (torch.bfloat16, torch.float32)
    """

    def __init__(self, normalized_shape: int, eps: float = 1e-5) -> None:
        super().__init__(normalized_shape, eps)

    def forward(self, input: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return the vectors of `input`, normalized, in 16 bits where autocast is on."""
        kind = input.device.type
        if not torch.is_autocast_enabled(kind):
            return super().forward(input)
        dtype = torch.get_autocast_dtype(kind)
        tensors = [x.to(dtype) for x in (input, self.weight, self.bias)]
        with torch.autocast(kind, enabled=False):
            x, weight, bias = tensors
            return functional.layer_norm(x, self.normalized_shape, weight, bias, self.eps)
