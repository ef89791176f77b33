"""Losses as means over labels: how many each has, and where the output has it. Chapter 13."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from jaxtyping import Float, Shaped
from torch import Tensor

from minibert.losses import IGNORED_LABEL

Batch = Mapping[str, Shaped[Tensor, "..."]]
LossTerms = Mapping[str, str]

# Fields of the output that are losses, and the entry of the batch that holds the labels of each.
ONE_LOSS: LossTerms = MappingProxyType({"loss": "labels"})


def count_labels(batch: Batch, terms: LossTerms = ONE_LOSS) -> dict[str, int]:
    """Count the labels over which each term of the loss is a mean.

    ``count = number of entries that are not -100``.
    """
    for term, labels in terms.items():
        if labels not in batch:
            raise ValueError(
                f"a batch holds no {labels!r}, over which {term!r} is a mean; it holds "
                f"{', '.join(map(repr, batch)) or 'nothing'}. Name the right labels in `terms`"
            )
    return {
        term: int((batch[labels] != IGNORED_LABEL).sum().item()) for term, labels in terms.items()
    }


def labeled_part(
    batch: Batch, terms: LossTerms
) -> tuple[dict[str, Shaped[Tensor, "..."]], dict[str, int]]:
    """Leave out labels of which every one is -100: a mean over no label is no number."""
    counts = {term: count for term, count in count_labels(batch, terms).items() if count}
    empty = {*terms.values()} - {terms[term] for term in counts}
    return {name: rows for name, rows in batch.items() if name not in empty}, counts


def loss_term(output: object, term: str) -> Float[Tensor, ""]:
    """Return a term of the loss from the output of a model."""
    loss = getattr(output, term, None)
    if not isinstance(loss, Tensor):
        raise TypeError(
            f"the output of the model ({type(output).__name__}) has no loss {term!r}; name the "
            "fields that are losses, and their labels, in `terms`"
        )
    return loss
