"""Losses as means over labels: how many labels each has, and what the model says."""

from __future__ import annotations

from collections.abc import Mapping

from jaxtyping import Float, Shaped
from torch import Tensor, nn

IGNORED_LABEL = -100

Batch = Mapping[str, Shaped[Tensor, "..."]]
Terms = Mapping[str, str]


def count_labels(batch: Batch, terms: Terms) -> dict[str, int]:
    """Count the labels over which each term of the loss is a mean.

    ``count = number of entries that are not -100``.

    Parameters
    ----------
    batch : mapping from str to tensor
        The arguments of the model.
    terms : mapping from str to str
        For each field of the output that is a loss, which entry of the batch holds its labels.

    Returns
    -------
    dict from str to int
        One count for each term, at least 0.

    Raises
    ------
    ValueError
        If the batch lacks labels.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> import torch
    >>> count_labels({"labels": torch.tensor([[-100, 7, 8]])}, {"loss": "labels"})
    {'loss': 2}
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


def loss_terms(
    model: nn.Module, batch: Batch, terms: Terms, counts: Mapping[str, int]
) -> dict[str, Float[Tensor, ""]]:
    """Compute those terms of the loss that have labels in the batch.

    Labels without a single one that counts are not handed to the model: a mean over nothing is no
    number.

    Parameters
    ----------
    model : nn.Module
        Takes the entries of the batch as keywords.
    batch : mapping from str to tensor
        On the device of the model.
    terms : mapping from str to str
        Fields of the output, and the labels of each.
    counts : mapping from str to int
        As `count_labels` gives them.

    Returns
    -------
    dict from str to Float[Tensor, ""], shape ()
        The mean of each term whose count is above 0; the model is not asked if there is none.

    Raises
    ------
    TypeError
        If the output lacks a term.

    References
    ----------
    Chapter 13.
    """
    asked = [term for term in terms if counts[term]]
    if not asked:
        return {}
    unused = {terms[term] for term in terms} - {terms[term] for term in asked}
    output = model(**{name: tensor for name, tensor in batch.items() if name not in unused})
    for term in asked:
        if not isinstance(getattr(output, term, None), Tensor):
            raise TypeError(
                f"the output of {type(model).__name__} ({type(output).__name__}) has no loss "
                f"{term!r}; name the fields that are losses, and their labels, in `terms`"
            )
    return {term: getattr(output, term) for term in asked}
