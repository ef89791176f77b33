"""Weights in the order in which the products of oneDNN read them, for models that only answer.

Chapter 23.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .exchange import for_use


class PrepackedLinear(nn.Module):
    """Multiply with float32 weights that were put in order once, and not in every call."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach())
        after = linear.bias, "none", [], ""  # add it, and apply no activation
        # A function holds them: PyTorch cannot copy or move such weights with a model.
        self.multiply = lambda x: torch.ops.mkldnn._linear_pointwise(x, weight, *after)

    def forward(self, x: Float[Tensor, "... in_size"]) -> Float[Tensor, "... out_size"]:
        """Multiply, and add the bias."""
        if x.dtype != torch.float32 or x.device.type != "cpu":
            raise TypeError(f"prepacked weights take float32 on a CPU, not {x.dtype} on {x.device}")
        return self.multiply(x)

    def _save_to_state_dict(self, *_: object, **__: object) -> None:
        raise ValueError("prepacked weights are for use only; save the model that was prepacked")


def prepack(model: nn.Module) -> nn.Module:
    """Copy a model for use, with prepacked weights where they are float32 on a CPU with oneDNN.

    Args:
        model: It stays as it is.

    Returns:
        In evaluation, and without gradients. It gives the same numbers, up to rounding.

    >>> linear, x = nn.Linear(3, 2), torch.ones(1, 3)
    >>> torch.allclose(prepack(nn.Sequential(linear))(x), linear(x), atol=1e-6)
    True
    """
    has_onednn = torch.backends.mkldnn.is_available()

    def packed(linear: nn.Linear) -> nn.Module:
        weight = linear.weight
        fits = has_onednn and weight.dtype == torch.float32 and weight.device.type == "cpu"
        return PrepackedLinear(linear) if fits else linear

    return for_use(model, packed)
