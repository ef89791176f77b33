"""From ids to vectors, from vectors to words, the loss, and their gradients. Chapters 4 and 5."""

import numpy as np
from jaxtyping import Float, Shaped

from .attention import softmax
from .layers import linear, linear_backward


def _require_integers(numbers: np.ndarray, name: str) -> None:
    if not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError(f"{name} must be integers, not {numbers.dtype}")


def _require_ids(input_ids: np.ndarray, vocab_size: int) -> None:
    _require_integers(input_ids, "input_ids")
    outside = input_ids[(input_ids < 0) | (input_ids >= vocab_size)]
    if outside.size:
        raise ValueError(
            f"id {outside[0]} is outside the vocabulary of {vocab_size} words: "
            f"ids run from 0 to {vocab_size - 1}"
        )


def embedding_lookup(
    input_ids: Shaped[np.ndarray, "*batch"], word_embeddings: Float[np.ndarray, "vocab hidden"]
) -> Float[np.ndarray, "*batch hidden"]:
    """Return for every id of `input_ids` its row of the table `word_embeddings`, as a copy.

    >>> embedding_lookup(np.array([2, 0]), np.array([[1.0, 2], [3, 4], [5, 6]]))
    array([[5., 6.],
           [1., 2.]])
    """
    _require_ids(input_ids, len(word_embeddings))
    return word_embeddings[input_ids]  # (..., hidden)


def embedding_lookup_backward(
    grad_output: Float[np.ndarray, "*batch hidden"],
    input_ids: Shaped[np.ndarray, "*batch"],
    vocab_size: int,
) -> Float[np.ndarray, "{vocab_size} hidden"]:
    """Return the gradient with respect to the table: every vector's, added to the row it came from.

    ``grad_word_embeddings[w] = sum of grad_output where input_ids == w``; 0 for words that do not
    occur. `input_ids` are as given to `embedding_lookup`, whose table has `vocab_size` rows, and
    `grad_output` is the gradient with respect to its vectors.

    A word that occurs twice collects both gradients:

    >>> embedding_lookup_backward(np.array([[1.0], [10.0], [100.0]]), np.array([1, 0, 1]), 3)
    array([[ 10.],
           [101.],
           [  0.]])
    """
    _require_ids(input_ids, vocab_size)
    grad_word_embeddings = np.zeros((vocab_size, grad_output.shape[-1]))  # (vocab, hidden)
    np.add.at(grad_word_embeddings, input_ids, grad_output)
    return grad_word_embeddings


def tied_logits(
    hidden_states: Float[np.ndarray, "*batch hidden"],
    word_embeddings: Float[np.ndarray, "vocab hidden"],
    bias: Float[np.ndarray, " vocab"],
) -> Float[np.ndarray, "*batch vocab"]:
    """Return a score for every word, by comparing a vector with the word's own embedding.

    ``logits = hidden_states @ word_embeddings.T + bias``: a linear layer whose weight is the
    embedding table itself.

    Args:
        hidden_states: One vector per position.
        word_embeddings: The same table that `embedding_lookup` reads.
        bias: One number per word; it can act like the word's frequency.

    Source: Press and Wolf (2017), section 3.

    >>> table = np.array([[1.0, 0], [0, 1], [1, 1]])
    >>> tied_logits(np.array([2.0, 3.0]), table, np.array([0.0, 0, -1]))
    array([2., 3., 4.])
    """
    return linear(hidden_states, word_embeddings, bias)  # (..., vocab)


def tied_logits_backward(
    grad_logits: Float[np.ndarray, "*batch vocab"],
    hidden_states: Float[np.ndarray, "*batch hidden"],
    word_embeddings: Float[np.ndarray, "vocab hidden"],
) -> tuple[
    Float[np.ndarray, "*batch hidden"],
    Float[np.ndarray, "vocab hidden"],
    Float[np.ndarray, " vocab"],
]:
    """Return the gradients with respect to the vectors, the table and the bias.

    ``grad_hidden_states = grad_logits @ word_embeddings``, ``grad_word_embeddings = grad_logits.T @
    hidden_states``, ``grad_bias = sum of grad_logits``. The table gets a second gradient where it
    is read, from `embedding_lookup_backward`: the two must be added. `hidden_states` and
    `word_embeddings` are as given to `tied_logits`, and `grad_logits` is the gradient with respect
    to what it returned.

    >>> table = np.array([[1.0, 0], [0, 1], [1, 1]])
    >>> grads = tied_logits_backward(np.array([1.0, 0, -1]), np.array([2.0, 3.0]), table)
    >>> grads[1]
    array([[ 2.,  3.],
           [ 0.,  0.],
           [-2., -3.]])
    """
    return linear_backward(grad_logits, hidden_states, word_embeddings)


def _find_labeled(logits: np.ndarray, labels: np.ndarray, ignore_index: int) -> np.ndarray:
    """Return which positions are labeled; raise if the labels do not fit the logits."""
    _require_integers(labels, "labels")
    if labels.shape != logits.shape[:-1]:
        raise ValueError(
            f"logits of shape {logits.shape} need labels of shape {logits.shape[:-1]}, "
            f"not {labels.shape}"
        )
    labeled = np.asarray(labels != ignore_index)
    outside = labels[labeled & ((labels < 0) | (labels >= logits.shape[-1]))]
    if outside.size:
        raise ValueError(
            f"label {outside[0]} is outside the vocabulary of {logits.shape[-1]} words: labels run "
            f"from 0 to {logits.shape[-1] - 1}, or are {ignore_index} where there is no label"
        )
    if not labeled.any():
        raise ValueError(
            f"no position is labeled: all {labels.size} labels are {ignore_index}, "
            "so there is no loss to average"
        )
    return labeled


def cross_entropy(
    logits: Float[np.ndarray, "*batch vocab"],
    labels: Shaped[np.ndarray, "*batch"],
    ignore_index: int = -100,
) -> float:
    """Return the mean negative log-probability of the right word over the labeled positions.

    ``loss = mean of log(sum_j exp(logits[j])) - logits[label]``, computed without ever taking the
    logarithm of a probability that has been rounded to 0; in nats.

    Args:
        logits: Scores of every word at every position.
        labels: Id of the right word, or `ignore_index` at a position that does not count.

    Source: Devlin et al. (2019), section 3.1.

    Knowing nothing about two words costs ``log 2`` nats:

    >>> round(cross_entropy(np.array([[0.0, 0], [9, 0]]), np.array([1, -100])), 4)
    0.6931
    """
    labeled = _find_labeled(logits, labels, ignore_index)
    scores, targets = logits[labeled], labels[labeled]  # (positions, vocab), (positions)
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (positions, vocab)
    log_totals = np.log(np.exp(shifted).sum(axis=-1))  # (positions)
    return float(np.mean(log_totals - shifted[np.arange(len(targets)), targets]))


def cross_entropy_backward(
    logits: Float[np.ndarray, "*batch vocab"],
    labels: Shaped[np.ndarray, "*batch"],
    ignore_index: int = -100,
) -> Float[np.ndarray, "*batch vocab"]:
    """Return the gradient of the loss with respect to the logits: prediction minus truth.

    ``grad_logits = (softmax(logits) - one_hot(label)) / count`` at the labeled positions, `count`
    of them, and 0 at the others. `logits`, `labels` and `ignore_index` are as given to
    `cross_entropy`.

    >>> cross_entropy_backward(np.array([[0.0, 0], [9, 0]]), np.array([1, -100]))
    array([[ 0.5, -0.5],
           [ 0. ,  0. ]])
    """
    labeled = _find_labeled(logits, labels, ignore_index)
    targets = labels[labeled]  # (positions)
    grad_labeled = softmax(logits[labeled])  # (positions, vocab)
    grad_labeled[np.arange(len(targets)), targets] -= 1
    grad_logits = np.zeros(logits.shape)  # (..., vocab)
    grad_logits[labeled] = grad_labeled / len(targets)
    return grad_logits
