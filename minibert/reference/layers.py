"""The layers between attention and the answer, each followed by its gradient. Chapter 4."""

import math

import numpy as np
from jaxtyping import Float


def linear(
    x: Float[np.ndarray, "*batch in_size"],
    weight: Float[np.ndarray, "out_size in_size"],
    bias: Float[np.ndarray, " out_size"] | None = None,
) -> Float[np.ndarray, "*batch out_size"]:
    """Return the vectors `x` times a weight matrix, plus a bias.

    ``y = x @ weight.T + bias``. The `weight` has one row per output number, as in PyTorch; `bias`
    is added to every output vector.

    >>> linear(np.array([1.0, 2]), np.array([[1.0, 0], [0, 1], [1, 1]]))
    array([1., 2., 3.])
    """
    _require_width(x, weight)
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(
            f"a weight of shape {weight.shape} needs a bias of shape {weight.shape[:1]}, "
            f"not {bias.shape}"
        )
    product = x @ weight.T  # (..., out_size)
    return product if bias is None else product + bias


def _require_width(x: np.ndarray, weight: np.ndarray) -> None:
    if x.shape[-1] != weight.shape[1]:
        raise ValueError(
            f"a weight of shape {weight.shape} takes vectors of {weight.shape[1]} numbers, "
            f"but x has shape {x.shape}"
        )


def linear_backward(
    grad_output: Float[np.ndarray, "*batch out_size"],
    x: Float[np.ndarray, "*batch in_size"],
    weight: Float[np.ndarray, "out_size in_size"],
) -> tuple[
    Float[np.ndarray, "*batch in_size"],
    Float[np.ndarray, "out_size in_size"],
    Float[np.ndarray, " out_size"],
]:
    """Return the gradients with respect to input, weight and bias of `linear`.

    ``grad_x = grad_output @ weight``, ``grad_weight = grad_output.T @ x`` and
    ``grad_bias = sum of grad_output``, the last two summed over all leading dimensions. `x` and
    `weight` are as given to `linear`, and `grad_output` is the gradient with respect to its output.

    >>> grad_x, grad_weight, grad_bias = linear_backward(
    ...     np.array([1.0, -1]), np.array([2.0, 5]), np.array([[1.0, 0], [3, 1]])
    ... )
    >>> grad_x, grad_bias
    (array([-2., -1.]), array([ 1., -1.]))
    >>> grad_weight
    array([[ 2.,  5.],
           [-2., -5.]])
    """
    _require_width(x, weight)
    out_size, in_size = weight.shape
    grad_rows = grad_output.reshape(-1, out_size)  # (rows, out_size)
    x_rows = x.reshape(-1, in_size)  # (rows, in_size)
    grad_x = grad_output @ weight  # (..., in_size)
    grad_weight = grad_rows.T @ x_rows  # (out_size, in_size)
    return grad_x, grad_weight, grad_rows.sum(axis=0)  # the last one (out_size)


_erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return each number of `x`, times the probability that a normal variable lies below it.

    ``gelu(x) = x * Phi(x)``, with ``Phi(x) = (1 + erf(x / sqrt(2))) / 2`` the share of a standard
    normal variable below ``x``. This is the exact form BERT uses, not the tanh approximation.

    Source: Hendrycks and Gimpel (2016), section 2.

    >>> gelu(np.array([-1.0, 0, 1])).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    return x * (1 + _erf(x / math.sqrt(2))) / 2


def gelu_backward(
    grad_output: Float[np.ndarray, "*shape"], x: Float[np.ndarray, "*shape"]
) -> Float[np.ndarray, "*shape"]:
    """Return the gradient with respect to `x`, from `grad_output`, that of ``gelu(x)``.

    ``grad_x = grad_output * (Phi(x) + x * phi(x))``, with ``phi(x) = exp(-x**2 / 2) / sqrt(2 pi)``
    the density whose running share is ``Phi``.

    >>> gelu_backward(np.ones(3), np.array([-1.0, 0, 1])).round(4)
    array([-0.0833,  0.5   ,  1.0833])
    """
    share = (1 + _erf(x / math.sqrt(2))) / 2
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return grad_output * (share + x * density)


def _standardize(x: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """Return x with mean 0 and variance 1 along its last axis, and its divisor."""
    centered = x - x.mean(axis=-1, keepdims=True)  # (..., hidden)
    scale = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)  # (..., 1)
    return centered / scale, scale


def layer_norm(
    x: Float[np.ndarray, "*batch hidden"],
    weight: Float[np.ndarray, " hidden"],
    bias: Float[np.ndarray, " hidden"],
    eps: float = 1e-12,
) -> Float[np.ndarray, "*batch hidden"]:
    """Return every vector with mean 0 and variance 1, then stretched and shifted entry by entry.

    ``y = (x - mean) / sqrt(variance + eps) * weight + bias``; the variance divides by ``hidden``,
    not by ``hidden - 1``.

    Args:
        x: Vectors, each normalized alone.
        weight, bias: Stretch and shift of each entry.
        eps: Keeps the root above 0; BERT's value, where PyTorch's default is 1e-5.

    Source: Ba, Kiros and Hinton (2016), section 3.

    >>> layer_norm(np.array([1.0, 3]), np.ones(2), np.zeros(2)).round(4)
    array([-1.,  1.])
    """
    if not weight.shape == bias.shape == x.shape[-1:]:
        raise ValueError(
            f"vectors of {x.shape[-1]} numbers need a weight and a bias of shape {x.shape[-1:]}, "
            f"not {weight.shape} and {bias.shape}"
        )
    normalized, _ = _standardize(x, eps)
    return normalized * weight + bias


def layer_norm_backward(
    grad_output: Float[np.ndarray, "*batch hidden"],
    x: Float[np.ndarray, "*batch hidden"],
    weight: Float[np.ndarray, " hidden"],
    eps: float = 1e-12,
) -> tuple[
    Float[np.ndarray, "*batch hidden"], Float[np.ndarray, " hidden"], Float[np.ndarray, " hidden"]
]:
    """Return the gradients with respect to input, weight and bias of `layer_norm`.

    With ``g = grad_output * weight`` and ``n`` the normalized input,
    ``grad_x = (g - mean(g) - n * mean(g * n)) / sqrt(variance + eps)``: the second term comes back
    through the mean, the third through the variance. Every row of ``grad_x`` sums to 0. `x`,
    `weight` and `eps` are as given to `layer_norm`, and `grad_output` is the gradient with respect
    to its output.

    >>> grad_x, grad_weight, grad_bias = layer_norm_backward(
    ...     np.array([1.0, 0, 0]), np.array([-1.0, 0, 1]), np.ones(3)
    ... )
    >>> grad_x.round(4)
    array([ 0.2041, -0.4082,  0.2041])
    """
    normalized, scale = _standardize(x, eps)
    grad_normalized = grad_output * weight
    through_mean = grad_normalized.mean(axis=-1, keepdims=True)  # (..., 1)
    through_variance = (grad_normalized * normalized).mean(axis=-1, keepdims=True)  # (..., 1)
    grad_x = (grad_normalized - through_mean - normalized * through_variance) / scale
    leading = tuple(range(x.ndim - 1))
    grad_weight = (grad_output * normalized).sum(axis=leading)  # (hidden)
    return grad_x, grad_weight, grad_output.sum(axis=leading)  # the last one (hidden)
