"""Losses: predictions and labels in, one scalar out, in nats per labeled position."""

from jaxtyping import Float, Int
from torch import Tensor

IGNORED_LABEL = -100


def masked_lm_loss(
    logits: Float[Tensor, "... vocab"], labels: Int[Tensor, "..."]
) -> Float[Tensor, ""]:
    """Compute the mean loss over the labeled positions, and over no other.

    ``-(1/|M|) sum over i in M of log softmax(logits[i])[labels[i]]``, where M is the set of
    positions whose label is not -100.

    Parameters
    ----------
    logits : Float[Tensor, "... vocab"]
        One score per vocabulary entry; any leading dimensions, such as batch and seq.
    labels : Int[Tensor, "..."]
        The id of the true word, from 0 to vocab - 1, or -100 where nothing is asked.

    Returns
    -------
    Float[Tensor, ""]
        Nats per labeled position, at least 0, differentiable.

    Raises
    ------
    ValueError
        When the shapes do not fit, a label is out of range, or no position is labeled.

    References
    ----------
    Devlin et al. (2019), section 3.1, task 1.
    Chapter 5.
    Numpy twin: minibert.reference.cross_entropy.

    Examples
    --------
    >>> import torch
    >>> logits = torch.tensor([[[0.0, 0.0], [3.0, 4.0]]])
    >>> round(masked_lm_loss(logits, torch.tensor([[1, -100]])).item(), 4)
    0.6931
    """
    _check(logits, labels)
    asked = labels != IGNORED_LABEL
    log_probs = logits[asked].log_softmax(dim=-1)
    return -log_probs.gather(-1, labels[asked].long().unsqueeze(-1)).mean()


def _check(logits: Tensor, labels: Tensor) -> None:
    if logits.shape[:-1] != labels.shape:
        raise ValueError(
            f"labels of shape {tuple(labels.shape)} do not fit logits of shape "
            f"{tuple(logits.shape)}; labels need the shape {tuple(logits.shape[:-1])}"
        )
    vocab = logits.shape[-1]
    wrong = labels[(labels != IGNORED_LABEL) & ((labels < 0) | (labels >= vocab))]
    if wrong.numel():
        raise ValueError(
            f"label {wrong[0].item()} is out of range; with {vocab} vocabulary entries a label is "
            f"0 to {vocab - 1}, or {IGNORED_LABEL} where nothing is asked"
        )
    if not (labels != IGNORED_LABEL).any():
        raise ValueError(
            f"no position is labeled (every label is {IGNORED_LABEL}), so there is no mean; "
            "give at least one position the id of its true word"
        )
