"""A query that finds the right key, in Chapter 2."""

import numpy as np
import pytest

from bertbook.topics.self_attention.checks import check_query


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (None, "nothing yet"),
        ([1, 2], "three numbers"),
        ([0, 0, 0], "Both keys get the same score"),
        ([np.inf, 0, 0], "not finite"),
        ([-2, -2, 2], "prefers cat"),
        ([0.5, 0.5, -0.5], "longer query"),
    ],
)
def test_wrong_query(query, hint):
    verdict = check_query(lambda: query)
    assert not verdict.passed
    assert hint in verdict.message


def test_a_query_that_raises_is_explained():
    verdict = check_query(lambda: 1 / 0)
    assert verdict.message.startswith("<lambda> stopped with ZeroDivisionError: division by zero.")


@pytest.mark.parametrize("query", [[2, 2, -2], np.array([10.0, 10.0, -10.0])])
def test_right_query(query):
    assert check_query(lambda: query).passed
