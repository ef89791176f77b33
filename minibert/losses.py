"""Losses: predictions and labels in, one scalar out, in nats per labeled position."""

import torch
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
    TypeError
        When the labels are not integers.
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


def next_sentence_loss(
    logits: Float[Tensor, "batch 2"], labels: Int[Tensor, " batch"]
) -> Float[Tensor, ""]:
    """Compute the mean loss of the question whether the second sentence follows the first.

    ``-(1/|M|) sum over i in M of log softmax(logits[i])[labels[i]]``, where M is the set of pairs
    whose label is not -100: the same loss with two answers in place of a vocabulary.

    Parameters
    ----------
    logits : Float[Tensor, "batch 2"]
        Two scores per pair: one for "follows", one for "comes from elsewhere".
    labels : Int[Tensor, "batch"]
        0 if the second sentence follows the first, 1 if it does not, -100 where nothing is asked.

    Returns
    -------
    Float[Tensor, ""]
        Nats per labeled pair, at least 0, differentiable; log 2 if the scores are always equal.

    Raises
    ------
    TypeError
        When the labels are not integers.
    ValueError
        When the shapes do not fit, a label is out of range, or no pair is labeled.

    References
    ----------
    Devlin et al. (2019), section 3.1, task 2. Chapter 12.
    Numpy twin: minibert.reference.cross_entropy.

    Examples
    --------
    >>> import torch
    >>> logits = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    >>> round(next_sentence_loss(logits, torch.tensor([0, 1])).item(), 4)
    0.41
    """
    if logits.shape[-1] != 2:
        raise ValueError(
            f"logits of shape {tuple(logits.shape)} do not fit; a pair has 2 scores, for the next "
            "sentence and for any other"
        )
    answers = "answers (0 the next sentence, 1 any other)"
    _check(logits, labels, answers, place="pair", answer="its label")
    return masked_lm_loss(logits, labels)


def _check(
    logits: Tensor,
    labels: Tensor,
    answers: str = "vocabulary entries",
    place: str = "position",
    answer: str = "the id of its true word",
) -> None:
    """Say in words what is wrong with the labels."""
    if labels.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"labels must be integers, torch.int64 or torch.int32, not {labels.dtype}")
    if logits.shape[:-1] != labels.shape:
        raise ValueError(
            f"labels of shape {tuple(labels.shape)} do not fit logits of shape "
            f"{tuple(logits.shape)}; labels need the shape {tuple(logits.shape[:-1])}"
        )
    vocab = logits.shape[-1]
    wrong = labels[(labels != IGNORED_LABEL) & ((labels < 0) | (labels >= vocab))]
    if wrong.numel():
        raise ValueError(
            f"label {wrong[0].item()} is out of range; with {vocab} {answers} a label is "
            f"0 to {vocab - 1}, or {IGNORED_LABEL} where nothing is asked"
        )
    if not (labels != IGNORED_LABEL).any():
        raise ValueError(
            f"no {place} is labeled (every label is {IGNORED_LABEL}), so there is no mean; "
            f"give at least one {place} {answer}"
        )
