"""One update of the weights, computed as if all its batches and all processes were one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .config import TrainingConfig
from .devices import autocast_dtype
from .history import sum_of_terms
from .optimizer import make_optimizer
from .processes import Processes
from .stream import MODEL, check_batch, seed_torch
from .terms import Batch, Terms, count_labels, loss_terms


class Gradient(NamedTuple):
    """Hold what is known once the gradient of an update is computed.

    Parameters
    ----------
    means : dict from str to float
        The mean of each term of the loss, over all labels of the update.
    labels : dict from str to int
        How many labels that were.
    norm : float
        Length of the whole gradient, before it was shortened.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> Gradient({"loss": 2.5}, {"loss": 300}, 1.5).norm
    1.5
    """

    means: dict[str, float]
    labels: dict[str, int]
    norm: float


class Updater:
    """Compute gradients and losses of a model, and change its weights.

    A term of the loss is a mean over labels. Of several batches or processes, each holds some of
    them, and its mean is weighted by its share: ``sum over b of mean_b * labels_b / labels``, which
    is the mean over all. Batches with equal weights would count a label more the fewer there are.

    Parameters
    ----------
    model : nn.Module
        Moved to the device.
    config : TrainingConfig
        The numbers of the run.
    terms : mapping from str to str
        Fields of the output that are losses, and the labels of each.
    device : torch.device
        Where to compute.

    References
    ----------
    Chapter 13.
    """

    def __init__(
        self, model: nn.Module, config: TrainingConfig, terms: Terms, device: torch.device
    ) -> None:
        self.model, self.config, self.terms, self.device = model.to(device), config, terms, device
        self.processes = Processes.join(device)
        self.processes.copy_weights(model)
        self.optimizer = make_optimizer(model, config)
        self.parameters = [p for group in self.optimizer.param_groups for p in group["params"]]

    def compute_gradient(self, batches: list[Batch], step: int) -> Gradient:
        """Compute the gradient of the loss over all labels of the batches.

        Parameters
        ----------
        batches : list of dict
            The same in every process.
        step : int
            Number of updates before; the chance of dropout depends on it.

        Returns
        -------
        Gradient
            The gradient itself stands in the parameters, no longer than `max_grad_norm`.

        Raises
        ------
        ValueError
            If no batch has a label.
        """
        counts = [count_labels(batch, self.terms) for batch in batches]
        labels = {term: sum(count[term] for count in counts) for term in self.terms}
        if not any(labels.values()):
            raise ValueError(
                f"step {step + 1} has no label in its {len(batches)} batches, so there is nothing "
                "to learn; give at least one"
            )
        # Before the forward pass: the memory of the old gradients is free for what comes now.
        self.optimizer.zero_grad()
        self.model.train()
        seed_torch(self.config.seed, MODEL, step, self.processes.rank)
        means = dict.fromkeys(self.terms, 0.0)
        for batch in batches:
            for term, part in self._backward(batch, labels).items():
                means[term] += part
        self.processes.add_gradients(self.parameters)
        means = self.processes.add_numbers(means, self.device)
        norm = nn.utils.clip_grad_norm_(self.parameters, self.config.max_grad_norm)
        return Gradient(means, labels, norm.item())

    def apply(self, learning_rate: float) -> None:
        """Change the weights by the gradient that stands in the parameters.

        Parameters
        ----------
        learning_rate : float
            That of this update.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()

    def evaluate(self, batches: Iterable[Batch]) -> dict[str, float]:
        """Compute the mean loss over all labels of all batches, without dropout.

        Parameters
        ----------
        batches : iterable of dict
            The same in every process.

        Returns
        -------
        dict from str to float
            ``loss``, and each term if there are several.

        Raises
        ------
        ValueError
            If a term has no label at all.
        """
        sums, counts = dict.fromkeys(self.terms, 0.0), dict.fromkeys(self.terms, 0.0)
        was_training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                for batch in batches:
                    values, labels = self._forward(check_batch(batch))
                    for term, value in values.items():
                        sums[term] += value.item() * labels[term]
                        counts[term] += labels[term]
        finally:
            self.model.train(was_training)
        sums, counts = (self.processes.add_numbers(x, self.device) for x in (sums, counts))
        for term, count in counts.items():
            if not count:
                raise ValueError(f"no batch has a label for {term!r}, so it has no mean")
        return sum_of_terms({term: sums[term] / counts[term] for term in self.terms})

    def _backward(self, batch: Batch, labels: Mapping[str, int]) -> dict[str, float]:
        """Add a batch's part of the gradient, and give its part of each mean."""
        values, counts = self._forward(batch)
        if not values:
            return {}
        parts = {term: value * (counts[term] / labels[term]) for term, value in values.items()}
        sum(parts.values()).backward()
        return {term: part.item() for term, part in parts.items()}

    def _forward(self, batch: Batch) -> tuple[dict[str, Float[Tensor, ""]], dict[str, int]]:
        """Compute the losses of this process's rows, and count their labels."""
        rows = self.processes.share(batch)
        counts = count_labels(rows, self.terms)
        rows = {name: tensor.to(self.device, non_blocking=True) for name, tensor in rows.items()}
        dtype = autocast_dtype(self.device) if self.config.bf16 else None
        with torch.autocast(self.device.type, dtype) if dtype else nullcontext():
            return loss_terms(self.model, rows, self.terms, counts), counts
