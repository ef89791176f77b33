"""Masks that decide who may look at whom: padding and causal. Chapter 3."""

import numpy as np
from jaxtyping import Float, Shaped


def additive_mask(
    attention_mask: Shaped[np.ndarray, "*batch seq"],
) -> Float[np.ndarray, "*batch 1 seq"]:
    """Turn a mask of ones and zeros into numbers to add to the attention scores.

    ``additive_mask = (1 - attention_mask) * m``, with ``m`` the most negative finite float64. A
    finite number, not ``-inf``, leaves a row in which everything is masked with equal weights
    instead of NaN. Combine two masks with ``np.minimum``: their sum would overflow to ``-inf``.

    Args:
        attention_mask: 1 for a token that may be looked at, 0 for padding.

    Returns:
        0 (in fact -0.0) or ``np.finfo(np.float64).min``; the new axis stands for every query.

    >>> additive_mask(np.array([1, 1, 0])) < 0
    array([[False, False,  True]])
    """
    strange = attention_mask[(attention_mask != 0) & (attention_mask != 1)]
    if strange.size:
        raise ValueError(
            f"an attention_mask holds only 1 (may be looked at) and 0 (padding), not {strange[0]}"
        )
    hidden = 1.0 - attention_mask[..., None, :]  # (..., 1, seq)
    return hidden * np.finfo(np.float64).min


def causal_mask(seq: int) -> Float[np.ndarray, "{seq} {seq}"]:
    """Hide the future: token i may look at tokens 0 … i and at no later one.

    ``causal_mask[i, j] = 0 if j <= i else m``, with ``m`` the most negative finite float64.

    Args:
        seq: Number of tokens, at least 1.

    Returns:
        0 on and below the diagonal, ``np.finfo(np.float64).min`` above it.

    Source: Vaswani et al. (2017), section 3.2.3.

    >>> causal_mask(3) < 0
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """
    if seq < 1:
        raise ValueError(f"a causal mask needs at least 1 token, not {seq}")
    lowest = np.full((seq, seq), np.finfo(np.float64).min)  # (seq, seq)
    return np.triu(lowest, k=1)
