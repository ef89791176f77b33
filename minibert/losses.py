"""Losses: predictions and labels in, one scalar out, in nats per labeled position.

Chapters 5, 12, 16, 18 and 22.
"""

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor
from torch.nn import functional

from .inputs import (
    ABOVE_0,
    INTEGERS,
    check_labels,
    entries_can_be_read,
    require_entries,
    require_number,
    require_tensor,
)

IGNORED_LABEL = -100
ENDS_OF_ANSWER = frozenset({"start_positions", "end_positions"})  # labels that count together


def is_labeled(labels: Shaped[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
    """Return which entries are labels: all but -100; of floats all, for -100.0 is a number."""
    if labels.is_floating_point():
        return torch.ones_like(labels, dtype=torch.bool)
    return labels != IGNORED_LABEL


def is_answered(
    start_positions: Int[Tensor, " batch"], end_positions: Int[Tensor, " batch"], seq: int
) -> Bool[Tensor, " batch"]:
    """Return which rows of `seq` tokens hold a whole answer, from its start to its end."""
    require_tensor("end_positions", end_positions, shapes=[start_positions.shape])
    ends = torch.stack([start_positions, end_positions])  # (2, batch)
    return (is_labeled(ends) & (ends < seq)).all(dim=0)


def cross_entropy(
    logits: Float[Tensor, "... classes"], labels: Int[Tensor, "..."]
) -> Float[Tensor, ""]:
    """Return the mean negative log-probability of the true answers; all losses of choice are this.

    ``-(1/|M|) sum over i in M of log softmax(logits[i])[labels[i]]``, where M is the set of items
    whose label is not -100; in nats per labeled item.

    Args:
        logits: One score per possible answer; any leading dimensions, such as batch and seq.
        labels: The number of the true answer, from 0 to classes - 1, or -100 without label.

    Labels on a GPU, or under a compiler, are not read: if none is there, the loss is NaN.

    Numpy twin: minibert.reference.cross_entropy.

    >>> logits = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    >>> round(cross_entropy(logits, torch.tensor([1, -100])).item(), 4)
    0.6931
    """
    labeled = labels != IGNORED_LABEL  # (...)
    check_labels(logits, labels, labeled)
    if not entries_can_be_read(labels):  # the same, in shapes that do not depend on labels
        return functional.cross_entropy(logits.flatten(0, -2), labels.flatten().long())
    log_probs = logits.log_softmax(dim=-1)  # (..., classes)
    chosen = log_probs[labeled, labels[labeled].long()]  # (number of labeled items)
    return -chosen.mean()  # ()


def masked_lm_loss(
    logits: Float[Tensor, "... vocab"], labels: Int[Tensor, "..."]
) -> Float[Tensor, ""]:
    """Return the `cross_entropy` of words: the mean over the labeled positions, and over no other.

    `logits` score every word of the vocabulary, and `labels` are the ids of the true ones, or -100.

    Source: Devlin et al. (2019), section 3.1, task 1.

    >>> logits = torch.tensor([[[0.0, 0.0], [3.0, 4.0]]])
    >>> round(masked_lm_loss(logits, torch.tensor([[1, -100]])).item(), 4)
    0.6931
    """
    return cross_entropy(logits, labels)


def next_sentence_loss(
    logits: Float[Tensor, "batch 2"], labels: Int[Tensor, " batch"]
) -> Float[Tensor, ""]:
    """Return the `cross_entropy` of whether the second sentence follows the first.

    Args:
        logits: Two scores per pair: one for "follows", one for "comes from elsewhere".
        labels: 0 if the second sentence follows the first, 1 if it does not, -100 without label.

    Source: Devlin et al. (2019), section 3.1, task 2.

    >>> logits = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    >>> round(next_sentence_loss(logits, torch.tensor([0, 1])).item(), 4)
    0.41
    """
    require_tensor("logits", logits, shapes=[("batch", 2)])
    return cross_entropy(logits, labels)


def classification_loss(
    logits: Float[Tensor, "... classes"], labels: Int[Tensor, "..."]
) -> Float[Tensor, ""]:
    """Return the `cross_entropy` of choosing one class of several, for sequences or for tokens.

    ``logits`` score two classes at least; ``labels`` are numbers of classes, or -100.
    """
    way_out = ", or there is nothing to choose; a number is for regression_loss"
    require_number("the number of classes", logits.shape[-1], 2, why=way_out)
    return cross_entropy(logits, labels)


def multi_label_loss(
    logits: Float[Tensor, "batch classes"], labels: Shaped[Tensor, "batch classes"]
) -> Float[Tensor, ""]:
    """Return the mean binary cross-entropy over all classes, in a form stable for large scores.

    ``-mean(labels * log p + (1 - labels) * log(1 - p))`` with ``p = sigmoid(logits)``. Where an
    integer label is -100, it does not count.
    """
    require_tensor("labels", labels, shapes=[logits.shape])
    rule = "are 1 for yes, 0 for no, or a probability between them"
    labeled = _require_labeled(labels, rule)
    require_entries("labels", labels, ~labeled | ((labels >= 0) & (labels <= 1)), rule)
    losses = functional.binary_cross_entropy_with_logits(
        logits, labels.to(logits.dtype), reduction="none"
    )  # (batch, classes)
    return _mean_of_labeled(losses, labeled)  # ()


def regression_loss(
    logits: Float[Tensor, "batch classes"], labels: Shaped[Tensor, "*shape"]
) -> Float[Tensor, ""]:
    """Return the mean squared error of predicted numbers; an integer -100 does not count."""
    if labels.shape == logits.shape[:1] and logits.shape[1] == 1:
        labels = labels.unsqueeze(-1)  # (batch, 1), for (batch, 1) - (batch) is (batch, batch)
    require_tensor("labels", labels, shapes=[logits.shape])
    labeled = _require_labeled(labels, "are finite numbers")
    require_entries("labels", labels, labels.isfinite(), "are finite numbers")
    return _mean_of_labeled((logits - labels.to(logits.dtype)) ** 2, labeled)  # ()


def span_loss(
    start_logits: Float[Tensor, "batch seq"],
    end_logits: Float[Tensor, "batch seq"],
    start_positions: Int[Tensor, " batch"],
    end_positions: Int[Tensor, " batch"],
) -> Float[Tensor, ""]:
    """Return the mean loss of finding where an answer starts and where it ends.

    ``(L(start_logits, start_positions) + L(end_logits, end_positions)) / 2``, where ``L`` is the
    cross-entropy over the positions of a sequence, averaged over the sequences that hold the whole
    answer, as in the code that came with the paper; transformers counts an end that lies inside.

    Args:
        start_logits, end_logits: One score per token.
        start_positions, end_positions: Places of the first and of the last token of the answer; seq
            or more, or -100, for a sequence that does not hold it.

    Source: Devlin et al. (2019), section 4.2. Numpy twin: minibert.reference.cross_entropy.

    >>> start, end = torch.zeros(2, 4), torch.zeros(2, 4)
    >>> loss = span_loss(start, end, torch.tensor([1, 4]), torch.tensor([3, 9]))
    >>> round(loss.item(), 4)
    1.3863
    """
    seq = start_logits.shape[1]
    _check_positions("start_positions", start_positions, start_logits)
    _check_positions("end_positions", end_positions, end_logits)
    answered = is_answered(start_positions, end_positions, seq)  # (batch)
    if entries_can_be_read(answered) and not answered.any():
        raise ValueError(
            f"no item is labeled (start_positions run from 0 to {seq - 1}, end_positions too, or "
            "both are -100); give at least one its label"
        )
    start_loss = cross_entropy(start_logits, start_positions.where(answered, IGNORED_LABEL))
    end_loss = cross_entropy(end_logits, end_positions.where(answered, IGNORED_LABEL))
    return (start_loss + end_loss) / 2  # ()


def contrastive_loss(
    queries: Float[Tensor, "batch hidden"],
    documents: Float[Tensor, "rows hidden"],
    *,
    temperature: float = 0.05,
) -> Float[Tensor, ""]:
    """Return the mean loss of picking each query's own document out of all of them (InfoNCE).

    `cross_entropy` of ``cos(queries[i], documents[j]) / temperature`` with label ``i``.

    Args:
        queries: One vector for each query.
        documents: The document of query ``i`` in row ``i``, then any number of hard negatives.
        temperature: What cosines are divided by, above 0; from -1 to 1 they can say little.

    Source: van den Oord et al. (2018), section 2.3; Karpukhin et al. (2020), section 3.2. Numpy
    twin: minibert.reference.cross_entropy.

    >>> vectors = torch.eye(2)
    >>> round(contrastive_loss(vectors, vectors, temperature=1.0).item(), 4)
    0.3133
    """
    require_number("temperature", temperature, ABOVE_0, 1e10, "; 0.05 is usual")
    reason = ", one for each query, in the same order, and negatives after them"
    require_number("the number of documents", len(documents), len(queries), why=reason)
    queries, documents = functional.normalize(queries), functional.normalize(documents)
    cosines = queries @ documents.T  # (batch, rows)
    own = torch.arange(len(queries), device=queries.device)  # (batch)
    return cross_entropy(cosines / temperature, own)  # ()


def _require_labeled(labels: Tensor, rule: str) -> Tensor:
    """Return which entries are labels; raise unless there is one, if that can be read."""
    labeled = is_labeled(labels)
    if entries_can_be_read(labeled) and not labeled.any():
        raise ValueError(f"no item is labeled (labels {rule}); give at least one its label")
    return labeled


def _mean_of_labeled(losses: Tensor, labeled: Tensor) -> Tensor:
    """Average over the labeled entries, in shapes that do not depend on the labels."""
    return losses.where(labeled, 0).sum() / labeled.sum()  # ()


def _check_positions(name: str, positions: Tensor, logits: Tensor) -> None:
    """Raise unless there is a position for each sequence, from 0 on, or -100 for no answer."""
    require_tensor(name, positions, INTEGERS, [logits.shape[:1]])
    rule = f"run from 0 to {logits.shape[1] - 1}, or are -100 for no label"
    require_entries(name, positions, ~is_labeled(positions) | (positions >= 0), rule)
