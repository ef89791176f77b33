"""Losses as means over labels: the labels of each, and its value in the output. Chapter 13."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from minibert.losses import ENDS_OF_ANSWER, is_answered, is_labeled

Batch = Mapping[str, Shaped[Tensor, "..."]]
LossTerms = Mapping[str, str]

# Fields of the output that are losses, and the entry of the batch that holds the labels of each.
ONE_LOSS: LossTerms = MappingProxyType({"loss": "labels"})


def count_labels(batch: Batch, terms: LossTerms = ONE_LOSS, model: object = None) -> dict[str, int]:
    """Count the labels over which each term of the loss is a mean.

    A model whose loss leaves out more than -100 says so: ``model.is_labeled(batch, name)``.
    """
    for term, labels in terms.items():
        if labels not in batch:
            raise ValueError(
                f"a batch holds no {labels!r}, over which {term!r} is a mean; it holds "
                f"{', '.join(map(repr, batch)) or 'nothing'}. Name the right labels in `terms`"
            )
    counted = getattr(model, "is_labeled", _is_labeled)
    return {term: int(counted(batch, labels).sum().item()) for term, labels in terms.items()}


def labeled_part(
    batch: Batch, terms: LossTerms, model: object = None
) -> tuple[dict[str, Shaped[Tensor, "..."]], dict[str, int]]:
    """Leave out labels of which no one counts: a mean over no label is no number."""
    counts = count_labels(batch, terms, model)
    empty = {terms[term] for term, count in counts.items() if not count}
    if empty & ENDS_OF_ANSWER:
        empty |= ENDS_OF_ANSWER
    rows = {name: rows for name, rows in batch.items() if name not in empty}
    return rows, {term: count for term, count in counts.items() if count}


def require_labels(batches: Iterable[Batch], terms: LossTerms, model: object = None) -> None:
    """Raise unless each term of the loss has a label in one of the batches."""
    missing = dict(terms)
    for batch in batches:
        for term in labeled_part(batch, missing, model)[1]:
            del missing[term]
        if not missing:
            return
    raise ValueError(f"no batch has a label for {min(missing)!r}, so it has no mean")


def _is_labeled(batch: Batch, name: str) -> Bool[Tensor, "..."]:
    """Return which entries of labels count, as far as a batch tells."""
    tokens = batch.get("input_ids", batch.get("inputs_embeds"))
    if name in ENDS_OF_ANSWER <= batch.keys() and tokens is not None:
        return is_answered(batch["start_positions"], batch["end_positions"], tokens.shape[1])
    return is_labeled(batch[name])


def sum_of_terms(terms: Mapping[str, float]) -> dict[str, float]:
    """Name the whole loss, and its terms where there are several."""
    several = dict(terms) if len(terms) > 1 else {}
    return {"loss": sum(terms.values())} | several


def loss_term(output: object, term: str) -> Float[Tensor, ""]:
    """Return a term of the loss from the output of a model."""
    loss = getattr(output, term, None)
    if not isinstance(loss, Tensor):
        raise TypeError(
            f"the output of the model ({type(output).__name__}) has no loss {term!r}; name the "
            "fields that are losses, and their labels, in `terms`"
        )
    return loss
