"""The layers between attention and the answer, each followed by its gradient. Chapter 4."""

import math

import numpy as np
from jaxtyping import Float


def linear(
    x: Float[np.ndarray, "*batch in_size"],
    weight: Float[np.ndarray, "out_size in_size"],
    bias: Float[np.ndarray, " out_size"] | None = None,
) -> Float[np.ndarray, "*batch out_size"]:
    """Multiply by a weight matrix and add a bias.

    ``y = x @ weight.T + bias``. The weight has one row per output, as in PyTorch.

    Args:
        x: Input vectors.
        weight: One row per output number.
        bias: Added to every output vector.

    Returns:
        Output vectors.

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
    """Raise if the width of an input does not fit a weight."""
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
    """Carry a gradient from the output of a linear layer back to input, weight and bias.

    ``grad_x = grad_output @ weight``, ``grad_weight = grad_output.T @ x`` and
    ``grad_bias = sum of grad_output``, the last two summed over all leading dimensions.

    Args:
        grad_output: Gradient of the loss with respect to the output.
        x: As given to `linear`.
        weight: As given to `linear`.

    Returns:
        grad_x: Gradient with respect to `x`.
        grad_weight: Gradient with respect to `weight`.
        grad_bias: Gradient with respect to the bias.

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
    """Multiply each number by the probability that a normal variable lies below it.

    ``gelu(x) = x * Phi(x)``, with ``Phi(x) = (1 + erf(x / sqrt(2))) / 2`` the share of a standard
    normal variable below ``x``. This is the exact form BERT uses, not the tanh approximation.

    Args:
        x: Any numbers.

    Returns:
        About ``x`` for large ``x``, about 0 for very negative ``x``, never below -0.17.

    Source: Hendrycks and Gimpel (2016), section 2.

    >>> gelu(np.array([-1.0, 0, 1])).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    return x * (1 + _erf(x / math.sqrt(2))) / 2


def gelu_backward(
    grad_output: Float[np.ndarray, "*shape"], x: Float[np.ndarray, "*shape"]
) -> Float[np.ndarray, "*shape"]:
    """Carry a gradient from the output of GELU back to its input.

    ``grad_x = grad_output * (Phi(x) + x * phi(x))``, with ``phi(x) = exp(-x**2 / 2) / sqrt(2 pi)``
    the density whose running share is ``Phi``.

    Args:
        grad_output: Gradient of the loss with respect to ``gelu(x)``.
        x: As given to `gelu`.

    Returns:
        Gradient with respect to `x`.

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
    """Give every vector mean 0 and variance 1, then stretch and shift each of its entries.

    ``y = (x - mean) / sqrt(variance + eps) * weight + bias``; the variance divides by ``hidden``,
    not by ``hidden - 1``.

    Args:
        x: Vectors, each normalized alone.
        weight: Stretch of each entry.
        bias: Shift of each entry.
        eps: Keeps the root above 0; BERT's value, where PyTorch's default is 1e-5.

    Returns:
        With `weight` 1 and `bias` 0: rows of mean 0 and variance 1 (0 where `x` is constant).

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
    """Carry a gradient from the output of LayerNorm back to input, weight and bias.

    With ``g = grad_output * weight`` and ``n`` the normalized input,
    ``grad_x = (g - mean(g) - n * mean(g * n)) / sqrt(variance + eps)``: the second term comes back
    through the mean, the third through the variance.

    Args:
        grad_output: Gradient of the loss with respect to the output.
        x: As given to `layer_norm`.
        weight: As given to `layer_norm`.
        eps: As given to `layer_norm`.

    Returns:
        grad_x: Gradient with respect to `x`; every row sums to 0.
        grad_weight: Gradient with respect to `weight`, summed over all leading dimensions.
        grad_bias: Gradient with respect to the bias, summed over all leading dimensions.

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
