"""Softmax and scaled dot-product attention, each followed by its gradient. Chapters 2, 3 and 4."""

import numpy as np
from jaxtyping import Float


def softmax(x: Float[np.ndarray, "*shape"], axis: int = -1) -> Float[np.ndarray, "*shape"]:
    """Return positive weights that sum to 1 along `axis`, from any finite numbers `x`.

    ``softmax(x)[i] = exp(x[i] - max x) / sum_j exp(x[j] - max x)``. Subtracting the maximum changes
    nothing but keeps ``exp`` from overflowing. Some entries of a row may be ``-inf``; a row of
    nothing else gives NaN, as in PyTorch, together with numpy's warning.

    Source: Bridle (1990).

    >>> softmax(np.array([1.0, 3.0]) / np.sqrt(3)).round(2)
    array([0.24, 0.76])
    """
    exponentials = np.exp(x - np.max(x, axis=axis, keepdims=True))  # (..., n)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)  # (..., n)


def softmax_backward(
    grad_output: Float[np.ndarray, "*shape"], probs: Float[np.ndarray, "*shape"], axis: int = -1
) -> Float[np.ndarray, "*shape"]:
    """Return the gradient with respect to the input of a softmax; it sums to 0 along `axis`.

    ``grad_x[i] = probs[i] * (grad_output[i] - sum_j probs[j] * grad_output[j])``: each entry is
    compared with the weighted average of its row. `probs` is what ``softmax(x, axis)`` returned,
    and `grad_output` the gradient of the loss with respect to it.

    >>> softmax_backward(np.array([1.0, 0.0]), np.array([0.25, 0.75]))
    array([ 0.1875, -0.1875])
    """
    average = np.sum(probs * grad_output, axis=axis, keepdims=True)  # (..., 1)
    return probs * (grad_output - average)  # (..., n)


def _require_matching(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> None:
    shapes = f"query {query.shape}, key {key.shape}, value {value.shape}"
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ValueError(f"query, key and value need a row per token, shape (seq, size): {shapes}")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"a query of {query.shape[-1]} numbers cannot be compared with a key of "
            f"{key.shape[-1]} numbers: {shapes}"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"every key needs its value, but there are {key.shape[-2]} keys and "
            f"{value.shape[-2]} values: {shapes}"
        )
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        raise ValueError(f"the leading dimensions must be the same: {shapes}")


def attention(
    query: Float[np.ndarray, "*batch queries head_size"],
    key: Float[np.ndarray, "*batch keys head_size"],
    value: Float[np.ndarray, "*batch keys value_size"],
    additive_mask: Float[np.ndarray, "..."] | None = None,
) -> tuple[
    Float[np.ndarray, "*batch queries value_size"], Float[np.ndarray, "*batch queries keys"]
]:
    """Mix the value vectors, each query weighing them by how well it matches their keys.

    ``probs = softmax(query @ key.T / sqrt(head_size) + additive_mask)`` and
    ``context = probs @ value``.

    Args:
        query: One row per token that looks.
        key: One row per token that may be looked at.
        value: What each of those tokens gives.
        additive_mask: 0 where a query may look, the most negative number where not; broadcasts to
            (..., queries, keys).

    Returns:
        context: Weighted averages of the rows of `value`.
        probs: The weights; every row sums to 1.

    Source: Vaswani et al. (2017), section 3.2.1.

    The sentence *one cat*:

    >>> query = np.array([[1.0, 0, 2], [-1, 2, 0]])
    >>> key = np.array([[1.0, 2, 0], [-1, 0, 2]])
    >>> value = np.array([[2.0, 0, 4], [-2, 4, 0]])
    >>> context, probs = attention(query, key, value)
    >>> probs.round(2)
    array([[0.24, 0.76],
           [0.76, 0.24]])
    >>> context.round(2)
    array([[-1.04,  3.04,  0.96],
           [ 1.04,  0.96,  3.04]])
    """
    _require_matching(query, key, value)
    products = query @ np.swapaxes(key, -1, -2)  # (..., queries, keys)
    scores = products / np.sqrt(key.shape[-1])
    if additive_mask is not None:
        scores = _add_mask(scores, additive_mask)
    probs = softmax(scores)  # each row sums to 1
    return probs @ value, probs  # (..., queries, value_size), (..., queries, keys)


def _add_mask(scores: np.ndarray, additive_mask: np.ndarray) -> np.ndarray:
    """Add the mask to the scores; raise if that would change their shape."""
    try:
        fits = np.broadcast_shapes(additive_mask.shape, scores.shape) == scores.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"an additive mask of shape {additive_mask.shape} does not fit scores of shape "
            f"{scores.shape}"
        )
    return scores + additive_mask


def attention_backward(
    grad_context: Float[np.ndarray, "*batch queries value_size"],
    query: Float[np.ndarray, "*batch queries head_size"],
    key: Float[np.ndarray, "*batch keys head_size"],
    value: Float[np.ndarray, "*batch keys value_size"],
    probs: Float[np.ndarray, "*batch queries keys"],
) -> tuple[
    Float[np.ndarray, "*batch queries head_size"],
    Float[np.ndarray, "*batch keys head_size"],
    Float[np.ndarray, "*batch keys value_size"],
]:
    """Return the gradients with respect to query, key and value.

    ``grad_value = probs.T @ grad_context``; through the softmax to ``grad_scores``; then
    ``grad_query = grad_scores @ key / sqrt(head_size)`` and
    ``grad_key = grad_scores.T @ query / sqrt(head_size)``. No mask is needed: where one was at
    work, `probs` is 0 and no gradient passes. `query`, `key` and `value` are as given to
    `attention`, which returned `probs`; `grad_context` is the gradient with respect to its context.

    >>> query = key = value = np.array([[1.0, 0], [0, 1]])
    >>> context, probs = attention(query, key, value)
    >>> grad_query, grad_key, grad_value = attention_backward(context, query, key, value, probs)
    >>> grad_value.round(2)
    array([[0.56, 0.44],
           [0.44, 0.56]])
    """
    _require_matching(query, key, value)
    scale = 1 / np.sqrt(key.shape[-1])
    grad_value = np.swapaxes(probs, -1, -2) @ grad_context  # (..., keys, value_size)
    grad_probs = grad_context @ np.swapaxes(value, -1, -2)  # (..., queries, keys)
    grad_scores = softmax_backward(grad_probs, probs)  # (..., queries, keys)
    grad_query = grad_scores @ key * scale  # (..., queries, head_size)
    grad_key = np.swapaxes(grad_scores, -1, -2) @ query * scale  # (..., keys, head_size)
    return grad_query, grad_key, grad_value
