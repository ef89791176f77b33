"""Attention to keys and values that come in blocks, with a switch for each mistake. Chapter 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from jaxtyping import Float

from minibert.reference import attention

_RUNNING = ("total", "mixed")
_Block = tuple[np.ndarray, np.ndarray]  # keys and values


def root(_: object, key: Float[np.ndarray, "... head_size"]) -> float:
    """Compute the square root of the size of a key."""
    return np.sqrt(key.shape[-1])


def _sum(powers: np.ndarray) -> np.ndarray:
    return powers.sum(axis=-1, keepdims=True)


def streamed(
    query: Float[np.ndarray, "queries head_size"],
    blocks: Iterable[_Block],
    *,
    rescaled: Sequence[str] = _RUNNING,
    highest: Callable = np.maximum,
    scale: Callable = root,
    divided: str = "late",
    last: bool = False,
    upside_down: bool = False,
    summed: Callable = _sum,
    again: bool = False,
    late: bool = False,
) -> Float[np.ndarray, "queries head_size"]:
    """Attend to blocks one after another, with a running maximum, sum and mix."""
    top, total, mixed = -np.inf, np.zeros((len(query), 1)), np.zeros_like(query)
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


def block_means(
    query: Float[np.ndarray, "queries head_size"],
    blocks: Iterable[_Block],
    *,
    weight: Callable = len,
) -> Float[np.ndarray, "queries head_size"]:
    """Attend to each block alone, and average what comes out."""
    parts = [(weight(key), attention(query, key, value)[0]) for key, value in blocks]
    return np.sum([w * context for w, context in parts], axis=0) / sum(w for w, _ in parts)


def draw_blocks(
    rng: np.random.Generator, queries: int, sizes: Sequence[int], size: int, spread: float = 1.0
) -> tuple[Float[np.ndarray, "queries head_size"], list[_Block]]:
    """Draw queries and some blocks, each with larger scores than the one before."""
    query = rng.standard_normal((queries, size))
    draw = rng.standard_normal
    return query, [(spread * i * draw((n, size)), draw((n, size))) for i, n in enumerate(sizes, 1)]


def in_one_memory(blocks: Iterable[_Block]) -> Iterator[_Block]:
    """Hand out blocks, each of which is gone when the next one comes."""
    for key, value in blocks:
        yield key, value
        key[:], value[:] = 0.0, 0.0
