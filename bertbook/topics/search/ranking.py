"""How good a search is: the places of the right document, and what is made of them. Chapter 22.

Documents with equal scores have no order of their own. Every measure is the mean over all orders
of them, so that neither the order of a file nor a coin can make a search better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Int, Real

Places = Int[np.ndarray, " queries"] | Int[np.ndarray, "queries 2"]


def ranks_of_right(
    scores: Real[np.ndarray, "queries rows"], right: Sequence[int] | Int[np.ndarray, " queries"]
) -> Int[np.ndarray, "queries 2"]:
    """Find the place of each query's right document when all are sorted by score, best first.

    Documents with its own score can stand before it or after it, so there are two numbers: the
    first and the last place that an order of them can give it. Without ties they are equal.

    Args:
        scores: A number for each query and document; higher is better.
        right: The number of the one right document of each query, from 0 to documents - 1.

    Returns:
        ``1 + number of higher scores``, and ``number of scores that are not lower``.

    Raises:
        ValueError: If a score is no number, or there is not one right document for each query.

    >>> ranks_of_right(np.array([[0.9, 0.1, 0.3], [0.2, 0.2, 0.1]]), [0, 1])
    array([[1, 1],
           [1, 2]])
    """
    scores, right = np.asarray(scores), np.asarray(right)
    if np.isnan(scores).any():
        query = int(np.isnan(scores).any(axis=1).argmax())
        raise ValueError(f"a score of query {query} is nan, so nothing can be sorted by it")
    if right.shape != scores.shape[:1]:
        raise ValueError(f"{len(scores)} queries have {right.size} right documents; give one each")
    own = np.take_along_axis(scores, right[:, None], axis=1)  # (queries, 1)
    return np.stack([1 + (scores > own).sum(axis=1), (scores >= own).sum(axis=1)], axis=1)


def reciprocal_ranks(ranks: Places) -> Float[np.ndarray, " queries"]:
    """Compute ``1 / rank`` for each query; the mean of them is MRR.

    Args:
        ranks: As `ranks_of_right` returns them, or one place each.

    Returns:
        1 for a first place, 1/2 for a second, and so on; of tied documents the mean.

    >>> reciprocal_ranks(np.array([1, 4]))
    array([1.  , 0.25])
    >>> reciprocal_ranks(np.array([[1, 2]]))
    array([0.75])
    """
    return _over_orders(ranks, lambda places: 1 / places)


def recalls(ranks: Places, k: int) -> Float[np.ndarray, " queries"]:
    """Find whether the right document of each query is among the first `k`; their mean is recall@k.

    Args:
        ranks: As `ranks_of_right` returns them, or one place each.
        k: How many results somebody looks at.

    Returns:
        1 if it is, 0 if not; if that depends on the order of a tie, the share of orders.

    >>> recalls(np.array([1, 4]), k=3)
    array([1., 0.])
    """
    return _over_orders(ranks, lambda places: places <= k)


def ndcgs(ranks: Places, k: int) -> Float[np.ndarray, " queries"]:
    """Compute ``1 / log2(1 + rank)``, or 0 beyond place `k`, for each query; the mean is nDCG@k.

    With one right document the best possible gain is 1, so nothing has to be divided by it.
    """
    return _over_orders(ranks, lambda places: np.where(places <= k, 1 / np.log2(1 + places), 0))


def _over_orders(
    ranks: Places, gain: Callable[[np.ndarray], np.ndarray]
) -> Float[np.ndarray, " queries"]:
    """Average the gain over all places of each right document, which are equally likely."""
    ranks = np.asarray(ranks)
    first, last = ranks.T if ranks.ndim == 2 else (ranks, ranks)
    means = [gain(np.arange(one, other + 1)).mean() for one, other in zip(first, last)]
    return np.array(means, dtype=float)
