"""How good a search is: the place of the right document, and what is made of it. Chapter 22."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int, Real


def ranks_of_right(
    scores: Real[np.ndarray, "queries rows"], right: Sequence[int] | Int[np.ndarray, " queries"]
) -> Int[np.ndarray, " queries"]:
    """Find the place of each query's right document when all are sorted by score, best first.

    ``1 + number of other documents with a score that is not below its own``: a tie counts against
    it, so that a model that finds all documents equal comes last, not first.

    Parameters
    ----------
    scores : Real[np.ndarray, "queries rows"]
        A number for each query and document; higher is better.
    right : sequence of int, or Int[np.ndarray, "queries"]
        The number of the one right document of each query, from 0 to documents - 1.

    Returns
    -------
    Int[np.ndarray, "queries"]
        From 1, the best, to documents.

    Raises
    ------
    ValueError
        If a score is no number, or there is not one right document for each query.

    Examples
    --------
    >>> ranks_of_right(np.array([[0.9, 0.1, 0.3], [0.2, 0.2, 0.1]]), [0, 1])
    array([1, 2])
    """
    scores, right = np.asarray(scores), np.asarray(right)
    if np.isnan(scores).any():
        query = int(np.isnan(scores).any(axis=1).argmax())
        raise ValueError(f"a score of query {query} is nan, so nothing can be sorted by it")
    if right.shape != scores.shape[:1]:
        raise ValueError(f"{len(scores)} queries have {right.size} right documents; give one each")
    own = np.take_along_axis(scores, right[:, None], axis=1)  # (queries, 1)
    return (scores >= own).sum(axis=1)


def reciprocal_ranks(ranks: Int[np.ndarray, " queries"]) -> Float[np.ndarray, " queries"]:
    """Compute ``1 / rank`` for each query; the mean of them is MRR.

    Parameters
    ----------
    ranks : Int[np.ndarray, "queries"]
        As `ranks_of_right` returns them.

    Returns
    -------
    Float[np.ndarray, "queries"]
        1 for a first place, 1/2 for a second, and so on.

    Examples
    --------
    >>> reciprocal_ranks(np.array([1, 4]))
    array([1.  , 0.25])
    """
    return 1 / np.asarray(ranks)


def recalls(ranks: Int[np.ndarray, " queries"], k: int) -> Float[np.ndarray, " queries"]:
    """Find whether the right document of each query is among the first `k`; their mean is recall@k.

    Parameters
    ----------
    ranks : Int[np.ndarray, "queries"]
        As `ranks_of_right` returns them.
    k : int
        How many results somebody looks at.

    Returns
    -------
    Float[np.ndarray, "queries"]
        1 if it is, 0 if not.

    Examples
    --------
    >>> recalls(np.array([1, 4]), k=3)
    array([1., 0.])
    """
    return (np.asarray(ranks) <= k).astype(float)


def ndcgs(ranks: Int[np.ndarray, " queries"], k: int) -> Float[np.ndarray, " queries"]:
    """Compute ``1 / log2(1 + rank)``, or 0 beyond place `k`, for each query; the mean is nDCG@k.

    With one right document the best possible gain is 1, so nothing has to be divided by it.

    Parameters
    ----------
    ranks : Int[np.ndarray, "queries"]
        As `ranks_of_right` returns them.
    k : int
        How many results count.

    Returns
    -------
    Float[np.ndarray, "queries"]
        From 0 to 1.

    References
    ----------
    Järvelin and Kekäläinen (2002), section 2.2.

    Examples
    --------
    >>> ndcgs(np.array([1, 3, 11]), k=10)
    array([1. , 0.5, 0. ])
    """
    ranks = np.asarray(ranks)
    return np.where(ranks <= k, 1 / np.log2(1 + ranks), 0.0)
