"""Words are scored where labels are, and nowhere else: the largest gain of a training step.

Replaces minibert.pretraining.score_words. Chapter 23.
"""

from collections.abc import Callable
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor

from minibert.inputs import is_compiling, require_tensor
from minibert.losses import IGNORED_LABEL


def labeled_positions(
    hidden_states: Float[Tensor, "batch seq hidden"], labels: Int[Tensor, "batch seq"] | None
) -> tuple[Float[Tensor, "... hidden"], Int[Tensor, "..."] | None]:
    """Return the vectors of `hidden_states` at the labeled positions, and their `labels`.

    The loss is over these positions alone, so it and every gradient stay what they were. All are
    returned without any label, and under a compiler, for which the number of labels may not decide
    about a shape; there `minibert.fast.pack` names the positions beforehand.

    >>> import torch
    >>> vectors, labels = labeled_positions(torch.rand(1, 3, 8), torch.tensor([[-100, 7, -100]]))
    >>> vectors.shape, labels
    (torch.Size([1, 8]), tensor([7]))
    """
    if labels is None:
        return hidden_states, None
    require_tensor("labels", labels, shapes=[hidden_states.shape[:2]])
    labeled = labels != IGNORED_LABEL  # (batch, seq)
    if is_compiling() or not labeled.any():
        return hidden_states, labels  # without any label the loss says what is missing
    return hidden_states[labeled], labels[labeled]  # (positions, hidden), (positions)


def score_labeled_words(
    head: Callable[..., Any],
    labels: Int[Tensor, "batch seq"] | None,
    vectors: tuple[Float[Tensor, "..."], ...],
) -> tuple[Any, Int[Tensor, "..."] | None]:
    """Return the scores of words at the `labeled_positions` alone, and their labels.

    `head`, `labels` and `vectors` are as `minibert.pretraining.score_words` takes them.
    """
    sequence_output, *pooled_output = vectors
    chosen, labels = labeled_positions(sequence_output, labels)
    return head(chosen, *pooled_output), labels
