"""Vectors that lie apart, and probes, against scikit-learn and loops."""

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from bertbook.topics.vectors.probes import control_labels, cosine_gap, fit_probe, nearest_mean


def clouds(seed, dim=6, rows=40, apart=1.0):
    """Draw vectors of three labels around three centers, in ten groups."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=rows)
    centers = apart * rng.standard_normal((3, dim))
    vectors = centers[labels] + rng.standard_normal((rows, dim))
    return vectors, labels, np.arange(rows) % 10


def test_cosine_gap_with_loops():
    vectors, labels, _ = clouds(0)
    same, different = [], []
    for i in range(len(vectors)):
        for j in range(i):
            a, b = vectors[i], vectors[j]
            cosine = a @ b / np.sqrt((a @ a) * (b @ b))
            (same if labels[i] == labels[j] else different).append(cosine)
    expected = np.mean(same) - np.mean(different)
    assert cosine_gap(vectors, list(labels)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("labels", ["aaa", "abc"])
def test_cosine_gap_is_zero_where_labels_say_nothing_and_needs_pairs(labels):
    vectors, _, _ = clouds(1, rows=400)
    dealt = np.random.default_rng(2).integers(2, size=400)
    assert abs(cosine_gap(vectors, list(dealt))) < 0.02
    with pytest.raises(ValueError, match=f"3 vectors with {len(set(labels))} labels"):
        cosine_gap(np.eye(3), list(labels))


def test_nearest_mean_equals_that_of_scikit_learn():
    vectors, labels, groups = clouds(3)
    expected = np.empty(len(labels))
    for group in range(10):
        out = groups == group
        model = NearestCentroid().fit(vectors[~out], labels[~out])
        expected[out] = model.predict(vectors[out]) == labels[out]
    assert 0.4 < expected.mean() < 1
    np.testing.assert_array_equal(nearest_mean(vectors, list(labels), list(groups)), expected)
    answers = nearest_mean(np.array([[0.0], [0.1], [5.0]]), list("aab"), [0, 1, 2])
    assert answers[:2].tolist() == [1, 1] and np.isnan(answers[2])  # whose label nobody else has


def test_control_labels_keep_words_and_counts_and_are_dealt():
    classes = {f"word{i}": ("noun", "verb", "adjective")[i % 3] for i in range(90)}
    dealt, again = (control_labels(classes, rng=np.random.default_rng(n)) for n in (0, 1))
    assert list(dealt) == list(classes) and dealt != again
    assert Counter(dealt.values()) == Counter(classes.values())
    assert 0.15 < np.mean([dealt[word] == classes[word] for word in classes]) < 0.55


@pytest.mark.parametrize("penalty", [0.1, 30.0])
def test_the_probe_equals_that_of_scikit_learn(penalty):
    vectors, labels, _ = clouds(4, rows=120)
    probe = fit_probe(vectors, labels, 3, penalty)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=10_000)
    theirs.fit(vectors, labels)
    np.testing.assert_allclose(probe.weight, theirs.coef_, rtol=0, atol=1e-4)
    np.testing.assert_allclose(
        probe.bias - probe.bias.mean(), theirs.intercept_ - theirs.intercept_.mean(), atol=1e-4
    )
    np.testing.assert_array_equal(probe.answers(vectors), theirs.predict(vectors))
    with pytest.raises(ValueError, match="penalty must be positive, not 0"):
        fit_probe(np.eye(2), np.array([0, 1]), 2, penalty=0)
