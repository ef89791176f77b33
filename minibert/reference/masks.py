"""Masks that decide who may look at whom: padding and causal. Chapter 3."""

import numpy as np
from jaxtyping import Float, Shaped


def additive_mask(
    attention_mask: Shaped[np.ndarray, "*batch seq"],
) -> Float[np.ndarray, "*batch 1 seq"]:
    """Return what a mask of ones and zeros adds to the attention scores of every query.

    ``(1 - attention_mask) * m``, with ``m`` the most negative finite float64. A finite number, not
    ``-inf``, leaves a row in which everything is masked with equal weights instead of NaN. Combine
    two masks with ``np.minimum``: their sum would overflow to ``-inf``. In `attention_mask` 1 is a
    token that may be looked at, and 0 padding.

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
    """Return a mask that hides the future: token i may look at tokens 0 … i and at no later one.

    ``causal_mask[i, j] = 0 if j <= i else m``, with ``m`` the most negative finite float64, for
    `seq` tokens, at least 1.

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
