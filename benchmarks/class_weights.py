"""Rare classes that count more: weights for a loss, as ``own_data`` and ``glosses`` try them."""

import torch
from torch import nn

from minibert.tasks import SequenceClassifierOutput


def class_weights(labels, classes: int) -> torch.Tensor:
    """Weigh classes so that each has the same share of the loss; 1 on average over the rows.

    ``rows / (classes * rows of the class)``, and 0 for a class without a row.
    """
    counts = torch.bincount(torch.as_tensor(labels), minlength=classes)  # (classes)
    weights = len(labels) / (int((counts > 0).sum()) * counts)
    return torch.where(counts > 0, weights, 0.0)  # (classes)


def class_weighted_loss(
    logits: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Compute the cross-entropy of rows whose classes count differently.

    ``sum(weights[labels] * -log p) / rows`` with ``p = softmax(logits)[labels]``. Divided by the
    rows, not by their weights, it is the same in one batch and in many.
    """
    of_truth = logits.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)  # (batch)
    return -(weights[labels] * of_truth).sum() / len(labels)  # ()


def weigh(model: nn.Module, weights: torch.Tensor, in_training: bool = True) -> None:
    """Let a classifier give the weighted loss; `in_training` or only where it is evaluated."""
    equal = torch.ones_like(weights)

    def weighted(module, _, given, output):
        if given.get("labels") is None:
            return output
        now = weights if in_training or not module.training else equal
        loss = class_weighted_loss(output.logits, given["labels"], now)
        return SequenceClassifierOutput(loss, output.logits)

    model.register_forward_hook(weighted, with_kwargs=True)
