"""One training step: forward, loss, backward, clip, update. Chapter 13."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import nn
from torch.optim import Optimizer

from .batch_stream import MODEL, seed_torch
from .config import TrainingConfig
from .devices import autocast, to_device
from .loss_terms import ONE_LOSS, Batch, LossTerms, count_labels, labeled_part, loss_term
from .processes import ALONE, Processes


class StepResult(NamedTuple):
    """What a training step returns.

    Args:
        means: The mean of each term of the loss, over the labels of all batches and processes.
        labels: How many labels each of them is a mean of.
        grad_norm: Length of the whole gradient before it was shortened to `max_grad_norm`.
        learning_rate: That of this update.
    """

    means: dict[str, float]
    labels: dict[str, int]
    grad_norm: float
    learning_rate: float


def training_step(
    model: nn.Module,
    optimizer: Optimizer,
    batches: Sequence[Batch],
    step: int,
    config: TrainingConfig,
    terms: LossTerms = ONE_LOSS,
    processes: Processes = ALONE,
) -> StepResult:
    """Update the weights once, as if all batches, in all processes, were one large batch.

    A term of the loss is a mean over labels, and each batch holds some of them. Its mean is
    weighted by its share: ``sum over b of mean_b * labels_b / labels`` is the mean over all labels.
    If the loss or the gradient is not finite, the weights stay as they were, and an error says so.

    Args:
        model: Its weights are changed in place.
        optimizer: That of the model.
        batches: The batches whose gradients are added up; the same in every process.
        step: Number of steps before this one; learning rate and dropout depend on it.
        config: Learning rate, longest gradient, precision and seed.
        terms: Fields of the output that are losses, and the labels of each.
        processes: Those that train together; by default there is only this one.

    Returns:
        The mean losses, what they are means of, and how the weights were changed.
    """
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    device = parameters[0].device
    labels = _count_all_labels(model, batches, terms, step)
    means = dict.fromkeys(terms, 0.0)

    model.train()
    seed_torch(config.seed, MODEL, step, processes.rank)  # for the dropout of this step
    optimizer.zero_grad()
    for batch in batches:
        batch, counts = labeled_part(processes.shard_batch(batch), terms, model)
        if not counts:
            continue
        with autocast(device, config.bf16):
            output = model(**to_device(batch, device))
        # A mean over the labels of this batch, weighted by its share of all labels.
        losses = {term: loss_term(output, term) * (n / labels[term]) for term, n in counts.items()}
        # Adds to the gradients of the batches before.
        sum(losses.values()).backward()  # pyright: ignore[reportAttributeAccessIssue] (not empty)
        for term, loss in losses.items():
            means[term] += loss.item()
    processes.all_reduce_grads(parameters)
    means = processes.all_reduce(means, device)

    norm = nn.utils.clip_grad_norm_(parameters, config.max_grad_norm).item()
    learning_rate = config.learning_rate_at(step)
    _require_finite(sum(means.values()), norm, step, learning_rate)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    optimizer.step()
    return StepResult(means, labels, norm, learning_rate)


def _count_all_labels(
    model: nn.Module, batches: Sequence[Batch], terms: LossTerms, step: int
) -> dict[str, int]:
    """Count the labels of each term over all batches; there must be one."""
    counts = [count_labels(batch, terms, model) for batch in batches]
    labels = {term: sum(count[term] for count in counts) for term in terms}
    if not any(labels.values()):
        raise ValueError(
            f"step {step + 1} has no label in its {len(batches)} batches, so there is nothing "
            "to learn; give at least one"
        )
    return labels


def _require_finite(loss: float, norm: float, step: int, learning_rate: float) -> None:
    """Raise before NaN or infinity reach the weights."""
    if not (math.isfinite(loss) and math.isfinite(norm)):
        raise FloatingPointError(
            f"step {step + 1} was not made: its loss is {loss} and the norm of its gradient "
            f"{norm}, at a learning rate of {learning_rate:g}. The weights are those of step {step}"
        )
