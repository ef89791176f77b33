"""The mean loss over data that are not trained on. Chapter 13."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

from .batch_stream import check_batch
from .devices import autocast, to_device
from .history import sum_of_terms
from .loss_terms import ONE_LOSS, Batch, LossTerms, labeled_part, loss_term
from .processes import ALONE, Processes


def evaluate(
    model: nn.Module,
    batches: Iterable[Batch],
    *,
    terms: LossTerms = ONE_LOSS,
    bf16: bool = False,
    processes: Processes = ALONE,
) -> dict[str, float]:
    """Compute the mean loss over all labels of all batches, without dropout."""
    device = next(model.parameters()).device
    sums, labels = dict.fromkeys(terms, 0.0), dict.fromkeys(terms, 0.0)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for batch in batches:
                batch, counts = labeled_part(processes.share(check_batch(batch)), terms, model)
                if not counts:
                    continue
                with autocast(device, bf16):
                    output = model(**to_device(batch, device))
                for term, count in counts.items():
                    sums[term] += loss_term(output, term).item() * count
                    labels[term] += count
    finally:
        model.train(was_training)
    sums, labels = (processes.add_numbers(numbers, device) for numbers in (sums, labels))
    for term, count in labels.items():
        if not count:
            raise ValueError(f"no batch has a label for {term!r}, so it has no mean")
    return sum_of_terms({term: sums[term] / labels[term] for term in terms})
