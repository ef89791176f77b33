"""The counters that Chapter 5 holds against its toy."""

import math
from collections import Counter

import pytest

from bertbook.corpus import hundred_sentences
from bertbook.topics.toy.baselines import INTERPOLATED, UNIGRAM, counted_loss


def test_a_unigram_of_two_sentences_by_hand():
    # "a b" is held out while "a a" is counted, and the other way round.
    loss = counted_loss(["a b", "a a"], {(0, 0): 0.9}, folds=2)
    of_a, of_b = 0.9 + 0.05, 0.05  # of "a a"
    half = 0.45 + 0.05  # of "a b"
    assert loss == pytest.approx(-math.log(of_a * of_b * half * half) / 4)


def test_a_context_that_was_not_counted_leaves_it_to_the_others():
    loss = counted_loss(["a b", "c d"], {(0, 0): 0.6, (1, 1): 0.3}, folds=2)
    assert loss == pytest.approx(-math.log(0.1 / 4 / 0.7))  # unseen words, and no neighbor known


def test_the_order_of_the_baselines():
    sentences = hundred_sentences()
    counts = Counter(word for s in sentences for word in s.split())
    seen = -sum(n * math.log(n / counts.total()) for n in counts.values()) / counts.total()
    assert counted_loss(sentences, INTERPOLATED) < seen < counted_loss(sentences, UNIGRAM)
