"""Rare classes that count more: weights for the loss. Chapter 19."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert.losses import IGNORED_LABEL
from minibert.tasks import BertForSequenceClassification, SequenceClassifierOutput

Labels = Sequence[int] | Int[np.ndarray, "..."]  # a class for each row


def class_weights(labels: Labels, classes: int) -> Float[Tensor, " classes"]:
    """Weigh classes so that each has the same share of the loss.

    ``rows / (classes * rows of the class)``.

    Parameters
    ----------
    labels : sequence of int, or int array, shape (rows,)
        A class for each row to learn from, from 0 on.
    classes : int
        How many there are.

    Returns
    -------
    Float[Tensor, "classes"]
        1 on average over the rows; 0 for a class without a row.

    Examples
    --------
    >>> class_weights([0, 0, 0, 1], 2)
    tensor([0.6667, 2.0000])
    """
    counts = torch.bincount(torch.as_tensor(labels), minlength=classes)  # (classes)
    weights = len(labels) / (int((counts > 0).sum()) * counts)
    return torch.where(counts > 0, weights, 0.0)  # (classes)


def class_weighted_loss(
    logits: Float[Tensor, "batch classes"],
    labels: Int[Tensor, " batch"],
    weights: Float[Tensor, " classes"],
) -> Float[Tensor, ""]:
    """Compute the cross-entropy of rows whose classes count differently.

    ``sum(weights[labels] * -log p) / rows`` with ``p = softmax(logits)[labels]``. Divided by the
    rows, not by their weights, it is the same in one batch and in many, and in batches of one row;
    with weights that are 1 on average over the rows to learn from both are equal there.
    """
    counted = labels != IGNORED_LABEL  # (batch)
    logits, labels = logits[counted], labels[counted]
    of_truth = logits.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)  # (batch)
    return -(weights[labels] * of_truth).sum() / max(1, len(labels))  # ()


class Weighted(nn.Module):
    """A classifier whose loss weighs the classes; its scores stay what they are."""

    def __init__(
        self, model: BertForSequenceClassification, weights: Float[Tensor, " classes"]
    ) -> None:
        super().__init__()
        self.model = model
        self.weights = nn.Buffer(weights, persistent=False)

    def forward(
        self, labels: Int[Tensor, " batch"], **tokens: Shaped[Tensor, "..."]
    ) -> SequenceClassifierOutput:
        """Score every label, and compute the weighted loss."""
        logits = self.model(**tokens).logits  # (batch, classes)
        return SequenceClassifierOutput(class_weighted_loss(logits, labels, self.weights), logits)
