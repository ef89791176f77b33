"""Ranks and what is made of them, against scikit-learn and by counting."""

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from bertbook.topics.search.ranking import ndcgs, ranks_of_right, recalls, reciprocal_ranks


def test_a_tie_counts_against_the_right_document_and_minus_infinity_comes_last():
    assert ranks_of_right(np.ones((2, 5)), [0, 4]).tolist() == [5, 5]
    assert ranks_of_right(np.array([[0.2, 0.5, 0.5, 0.5]]), [2]).tolist() == [3]
    assert ranks_of_right(np.array([[-np.inf, 1.0, 2.0]]), [0]).tolist() == [3]


@pytest.mark.parametrize("k", [1, 5, 10])
def test_ndcg_is_that_of_scikit_learn(k):
    rng = np.random.default_rng(0)
    scores, right = rng.normal(size=(40, 23)), rng.integers(23, size=40)
    relevance = np.eye(23)[right]
    ours = ndcgs(ranks_of_right(scores, right), k).mean()
    assert ours == pytest.approx(ndcg_score(relevance, scores, k=k))


def test_ranks_and_the_other_measures_by_hand():
    ranks = ranks_of_right(np.array([[3.0, 1, 2], [2, 3, 1], [1, 2, 3]]), [0, 2, 1])
    assert ranks.tolist() == [1, 3, 2]
    assert reciprocal_ranks(ranks).mean() == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert recalls(ranks, 2).tolist() == [1, 0, 1]


def test_a_score_that_is_no_number_and_too_few_right_documents():
    with pytest.raises(ValueError, match="a score of query 1 is nan"):
        ranks_of_right(np.array([[0.0, 1.0], [np.nan, 1.0]]), [0, 0])
    with pytest.raises(ValueError, match="2 queries have 1 right documents"):
        ranks_of_right(np.ones((2, 3)), [0])
