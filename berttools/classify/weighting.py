"""Rare classes that count more: weights for the loss. Chapter 19."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert.losses import IGNORED_LABEL
from minibert.tasks import BertForSequenceClassification, SequenceClassifierOutput

Labels = Sequence[int] | Int[np.ndarray, "..."]  # a class for each row

MOST_TIMES = 10.0  # as often as one of the most frequent class, a row counts at most
NEARLY_EQUAL = 1.5  # times as large as the smallest weight is the largest: they change little


def class_weights(
    labels: Labels, classes: int, most: float = math.inf
) -> Float[Tensor, " classes"]:
    """Weigh classes so that each has the same share of the loss; 1 on average over the rows.

    ``rows / (classes * rows of the class)``, and 0 for a class without a row. A row counts `most`
    times as one of the most frequent class, at most: where a class has two rows of a thousand, each
    of them would steer every batch that holds it.
    """
    counts = torch.bincount(torch.as_tensor(labels), minlength=classes)  # (classes)
    weights = len(labels) / (int((counts > 0).sum()) * counts)
    weights = torch.where(counts > 0, weights, 0.0)  # (classes)
    if math.isinf(most):
        return weights
    capped = weights.clamp(max=float(weights[counts > 0].min()) * most)  # (classes)
    return capped * len(labels) / (capped * counts).sum()


def weightings(wanted: str, labels: Labels, classes: int) -> dict[str, Float[Tensor, " classes"]]:
    """Return the class weights to try, by name: balanced and capped, none, or both to choose from.

    Of classes that are about equally frequent only one is worth a training.
    """
    by_name = {"balanced": class_weights(labels, classes, MOST_TIMES), "none": torch.ones(classes)}
    if wanted != "best":
        return {wanted: by_name[wanted]}
    there = by_name["balanced"][by_name["balanced"] > 0]
    is_even = bool(there.max() < NEARLY_EQUAL * there.min())
    return {"none": by_name["none"]} if is_even else by_name


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


class ClassWeightedModel(nn.Module):
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
