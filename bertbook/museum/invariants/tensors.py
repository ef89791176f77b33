"""The tables of numbers that a model returns, and how they are compared. Chapter 26."""

import inspect
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

_CLOSE = 1e-9  # of the largest number, in 64 bits
MOVED = 1e-13  # less is rounding


def asking_for_attention(encoder: nn.Module) -> dict[str, bool]:
    """Return the argument that asks for attention weights, if an encoder gives them."""
    if "output_attentions" in inspect.signature(encoder.forward).parameters:
        return {"output_attentions": True}
    eager = getattr(encoder.config, "_attn_implementation", "") == "eager"
    return {"output_attentions": True} if eager else {}


def tensors_of(output: Any) -> list[Float[Tensor, "..."]]:
    """List the tensors of a model's output, but for a loss."""
    values = output.values() if hasattr(output, "values") else output
    return [v for v in values if isinstance(v, Tensor) and v.is_floating_point() and v.dim()]


def how_far_apart(some: list[Float[Tensor, "..."]], others: list[Float[Tensor, "..."]]) -> str:
    """Return how far two lists of tables are apart; nothing if they agree."""
    for a, b in zip(some, others, strict=True):
        if a.shape != b.shape:
            return f"shapes {tuple(a.shape)} and {tuple(b.shape)}"
        difference = (a - b).abs().max().item()
        if not difference <= _CLOSE * (1 + b.abs().max().item()):  # NaN is not
            return f"numbers differ by {difference:.2g}"
    return ""


def equal_pair(rows: Float[Tensor, "rows ..."]) -> list[int]:
    """Return the numbers of two rows that are equal but for rounding; nothing if none are."""
    rows = rows.reshape(len(rows), -1)
    away = torch.cdist(rows, rows, compute_mode="donot_use_mm_for_euclid_dist")
    return next(iter((away <= MOVED).triu(1).nonzero().tolist()), [])


def still(change: Float[Tensor, "..."]) -> bool:
    """Return whether nothing has moved but by rounding."""
    return bool((change.abs() <= MOVED).all())
