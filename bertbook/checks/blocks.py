"""Attention to keys and values that come in blocks, with a switch for each mistake. Chapter 2."""

from __future__ import annotations

import numpy as np

from minibert.reference import attention

_RUNNING = ("total", "mixed")


def root(_, key):
    """Compute the square root of the size of a key."""
    return np.sqrt(key.shape[-1])


def _sum(powers):
    return powers.sum(axis=-1, keepdims=True)


def streamed(query, blocks, *, rescaled=("total", "mixed"), highest=np.maximum, scale=root,
              divided="late", last=False, upside_down=False, summed=_sum, again=False,
              late=False):  # fmt: skip
    """Attend to blocks one after another, with a running maximum, sum and mix."""
    top, total, mixed = -np.inf, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / scale(query, key)
        new = highest(top, scores.max(axis=-1, keepdims=True))
        shrink = np.exp(new - top if upside_down and np.isfinite(top).all() else top - new)
        powers = np.exp(scores - (top if late else new)) * (shrink if again else 1.0)
        kept = 0.0 if last else 1.0
        factors = {name: kept * (shrink if name in rescaled else 1.0) for name in _RUNNING}
        total = total * factors["total"] + summed(powers)
        mixed = mixed * factors["mixed"] + powers @ value
        mixed = mixed / total if divided == "early" else mixed
        top = new
    return mixed / total if divided == "late" else mixed


def block_means(query, blocks, *, weight=len):
    """Attend to each block alone, and average what comes out."""
    parts = [(weight(key), attention(query, key, value)[0]) for key, value in blocks]
    return sum(w * context for w, context in parts) / sum(w for w, _ in parts)


def draw_blocks(rng, queries, sizes, size, spread=1.0):
    """Draw queries and some blocks, each with larger scores than the one before."""
    query = rng.standard_normal((queries, size))
    draw = rng.standard_normal
    return query, [(spread * i * draw((n, size)), draw((n, size))) for i, n in enumerate(sizes, 1)]


def in_one_memory(blocks):
    """Hand out blocks, each of which is gone when the next one comes."""
    for key, value in blocks:
        yield key, value
        key[:], value[:] = 0.0, 0.0
