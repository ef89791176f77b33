"""Intervals of tagging results, and how tables write them."""

import numpy as np
import pytest

from bertbook.corpus import entity_sentences
from bertbook.show.tables import ranged, with_sign
from bertbook.show.tagging_results import counts_of_names, drawn_f1, middle_of
from bertbook.tasks.tagging import find_entities


def test_signs_are_those_of_people():
    assert (with_sign(-0.041), with_sign(0.041, 1)) == ("−0.04", "+0.0")
    assert ranged([-1.26, 2]) == "−1.26 to 2.00"


def test_f1_of_all_sentences_and_of_drawn_ones():
    counts = [[[1, 2, 1], [0, 1, 1], [2, 2, 3]]] * 2
    values = drawn_f1(counts)
    assert values[0] == pytest.approx(2 * 3 / (5 + 5))
    low, high = middle_of(values)
    assert 0 <= low < values[0] < high <= 1
    one = drawn_f1([[[1, 1, 1]] * 4])
    assert np.allclose(one, 1)


def test_counts_with_and_without_kinds():
    true = [find_entities(tags) for _, tags in entity_sentences("test")]
    strangers = [[("XYZ", name.start, name.end) for name in names] for names in true]
    pairs = [[(name.start, name.end) for name in names] for names in true]
    assert np.sum(counts_of_names(true), axis=0).tolist() == [203, 203, 203]
    assert np.sum(counts_of_names(strangers), axis=0).tolist() == [0, 203, 203]
    for found in (strangers, pairs):
        assert np.sum(counts_of_names(found, borders=True), axis=0).tolist() == [203, 203, 203]
