"""A smaller model learns what a larger one believes. Chapter 23."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def distillation_loss(
    logits: Float[Tensor, "... classes"],
    teacher_logits: Float[Tensor, "... classes"],
    *,
    temperature: float = 2.0,
) -> Float[Tensor, ""]:
    """Compute how far a student's probabilities are from the teacher's.

    ``temperature**2 * mean(sum over classes of p * (log p - log q))``, with p the softmax of the
    teacher's logits over the temperature and q that of the student's. The factor keeps the gradient
    as large as it is without temperature.

    Parameters
    ----------
    logits : Float[Tensor, "... classes"]
        The student's scores.
    teacher_logits : Float[Tensor, "... classes"]
        The teacher's; no gradient flows to them.
    temperature : float, default 2.0
        Above 0. The higher, the more the small probabilities count.

    Returns
    -------
    Float[Tensor, ""]
        Nats, times the temperature squared; at least 0, and 0 if both believe the same.

    Raises
    ------
    ValueError
        If the shapes differ, or the temperature is not above 0.

    References
    ----------
    Hinton et al. (2015), section 2.

    Examples
    --------
    >>> import torch
    >>> teacher = torch.tensor([[1.0, 0.0]])
    >>> distillation_loss(teacher + 5, teacher).item() < 1e-6
    True
    """
    if not temperature > 0:
        raise ValueError(f"temperature ({temperature}) must be above 0; 2 is usual")
    if logits.shape != teacher_logits.shape:
        raise ValueError(
            f"the student's logits of shape {tuple(logits.shape)} do not fit the teacher's of "
            f"shape {tuple(teacher_logits.shape)}; both need a score for each class of each item"
        )
    believed = (teacher_logits.detach() / temperature).log_softmax(dim=-1)  # (..., classes)
    learned = (logits / temperature).log_softmax(dim=-1)  # (..., classes)
    distances = (believed.exp() * (believed - learned)).sum(dim=-1)  # (...)
    return temperature**2 * distances.mean()  # ()
