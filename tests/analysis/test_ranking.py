"""Ranks and what is made of them, against scikit-learn and by counting."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from bertbook.topics.search.ranking import ndcgs, ranks_of_right, recalls, reciprocal_ranks


def test_a_tie_gives_two_places_and_minus_infinity_comes_last():
    assert ranks_of_right(np.ones((2, 5)), [0, 4]).tolist() == [[1, 5], [1, 5]]
    assert ranks_of_right(np.array([[0.2, 0.5, 0.5, 0.5]]), [2]).tolist() == [[1, 3]]
    assert ranks_of_right(np.array([[-np.inf, 1.0, 2.0]]), [0]).tolist() == [[3, 3]]


def test_every_measure_is_the_mean_over_all_orders_of_the_tied():
    scores, right = np.array([[3.0, 1, 1, 2, 1], [0, 0, 1, 1, 1]]), np.array([2, 3])
    orders = [np.array(order) for order in permutations(range(5))]
    for measure in (reciprocal_ranks, lambda r: recalls(r, 3), lambda r: ndcgs(r, 4)):
        one_by_one = []
        for order in orders:
            places = np.argsort(np.lexsort((np.tile(order, (2, 1)), -scores)), axis=1) + 1
            one_by_one.append(measure(places[[0, 1], right]))
        assert measure(ranks_of_right(scores, right)) == pytest.approx(np.mean(one_by_one, axis=0))


@pytest.mark.parametrize("k", [1, 5, 10])
def test_ndcg_is_that_of_scikit_learn(k):
    rng = np.random.default_rng(0)
    scores, right = rng.normal(size=(40, 23)), rng.integers(23, size=40)
    relevance = np.eye(23)[right]
    ours = ndcgs(ranks_of_right(scores, right), k).mean()
    assert ours == pytest.approx(ndcg_score(relevance, scores, k=k))


def test_a_score_that_is_no_number_and_too_few_right_documents():
    with pytest.raises(ValueError, match="a score of query 1 is nan"):
        ranks_of_right(np.array([[0.0, 1.0], [np.nan, 1.0]]), [0, 0])
    with pytest.raises(ValueError, match="2 queries have 1 right documents"):
        ranks_of_right(np.ones((2, 3)), [0])
