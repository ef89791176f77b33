"""The mean loss over data that are not trained on, and the weights with the lowest. Chapter 13."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import nn

from .batch_stream import check_batch
from .checkpoint import Tensors, model_tensors, restore_model
from .devices import autocast, to_device
from .loss_terms import ONE_LOSS, Batch, LossTerms, labeled_part, loss_term, sum_of_terms
from .processes import ALONE, Processes


def evaluate(
    model: nn.Module,
    batches: Iterable[Batch],
    *,
    terms: LossTerms = ONE_LOSS,
    bf16: bool = False,
    processes: Processes = ALONE,
) -> dict[str, float]:
    """Return the mean loss over all labels of all batches, without dropout, and that of each term.

    `model`, `batches`, `terms` and `processes` are as `training_step` takes them, and `bf16` is
    that of `TrainingConfig`. The model is in evaluation while it answers, and then as it was.
    """
    device = next(model.parameters()).device
    sums, labels = dict.fromkeys(terms, 0.0), dict.fromkeys(terms, 0.0)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for batch in batches:
                rows = processes.shard_batch(check_batch(batch))
                batch, counts = labeled_part(rows, terms, model)
                if not counts:
                    continue
                with autocast(device, bf16):
                    output = model(**to_device(batch, device))
                for term, count in counts.items():
                    sums[term] += loss_term(output, term).item() * count
                    labels[term] += count
    finally:
        model.train(was_training)
    sums, labels = (processes.all_reduce(numbers, device) for numbers in (sums, labels))
    for term, count in labels.items():
        if not count:
            raise ValueError(f"no batch has a label for {term!r}, so it has no mean")
    return sum_of_terms({term: sums[term] / labels[term] for term in terms})


class BestWeights:
    """Early stopping: a copy of the weights with the lowest loss, and the evaluations since.

    After `patience` evaluations in a row without a lower loss the run is over; None never ends it.
    """

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self.restore({}, {})

    @property
    def is_over(self) -> bool:
        """Return whether the loss has not fallen for too long."""
        return self.patience is not None and self.waited >= self.patience

    @property
    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold besides the weights."""
        kept = {"loss": self.loss, "step": self.step, "waited": self.waited}
        return kept if self.weights else {}

    def restore(self, state: Mapping[str, Any], weights: Tensors) -> None:
        """Restore what a checkpoint held; nothing is the beginning of a run."""
        self.loss, self.step = state.get("loss", math.inf), state.get("step", 0)
        self.waited, self.weights = state.get("waited", 0), dict(weights)

    def record(self, loss: float, step: int, model: nn.Module) -> None:
        """Record the loss of an evaluation, and copy the weights if it is the lowest."""
        if self.patience is None:
            return
        if loss < self.loss:
            self.loss, self.step, self.waited = loss, step, 0
            self.weights = {name: x.clone() for name, x in model_tensors(model).items()}
        else:
            self.waited += 1

    def restore_best(self, model: nn.Module) -> None:
        """Give the model the best weights, if any are kept."""
        if self.weights:
            restore_model(model, self.weights)
