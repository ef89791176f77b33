"""Logistic regression on rows of numbers, for counted words and frozen vectors. Chapter 19."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .weighting import class_weighted_loss

UPDATES = 200


class Linear(NamedTuple):
    """Scores ``x W + b``, in 64 bits."""

    matrix: Float[Tensor, "features classes"]
    bias: Float[Tensor, " classes"]

    def logits(self, rows: Float[Tensor, "rows features"]) -> Float[Tensor, "rows classes"]:
        """Score rows, dense or sparse."""
        return rows @ self.matrix + self.bias


def fit_linear(
    rows: Float[Tensor, "rows features"],
    labels: Int[Tensor, " rows"],
    weights: Float[Tensor, " classes"],
    penalty: float,
) -> Linear:
    """Minimize the weighted mean loss plus ``penalty / rows * |W|**2 / 2``, by L-BFGS."""
    shape = rows.shape[1], len(weights)
    fitted = Linear(*(torch.zeros(size, dtype=torch.float64, requires_grad=True)
                      for size in (shape, shape[1:])))  # fmt: skip
    optimizer = torch.optim.LBFGS(fitted, max_iter=UPDATES, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        total = class_weighted_loss(fitted.logits(rows), labels, weights.double())
        total = total + penalty / len(labels) / 2 * fitted.matrix.square().sum()
        total.backward()
        return total

    optimizer.step(loss)
    return Linear(fitted.matrix.detach(), fitted.bias.detach())
