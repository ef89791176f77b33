"""The hundred sentences, and the exact losses computed from them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertbook.corpus import (
    hundred_sentences,
    masked_word_ladder,
    vocabulary,
)

CORPORA = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=8
)


def test_there_are_a_hundred_different_sentences_of_88_words():
    sentences = hundred_sentences()
    assert len(sentences) == len(set(sentences)) == 100
    assert sentences[0] == "the cat sits on the mat"
    words = {word for sentence in sentences for word in sentence.split()}
    assert len(words) == 88
    assert vocabulary(sentences) == ("[MASK]", *sorted(words))


def test_the_queries_of_the_chapter_are_no_training_sentences():
    queries = ["the man eats the [MASK]", "the man reads the [MASK]", "the man [MASK] the book"]
    for query in queries:
        start, end = query.split("[MASK]")
        assert not [s for s in hundred_sentences() if s.startswith(start) and s.endswith(end)]


def brute_force(sentences, same):
    """Mean loss when each masked word is guessed by its share among the positions with ``same``."""
    places = [(s.split(), i) for s in sentences for i in range(len(s.split()))]
    losses = []
    for words, i in places:
        rivals = [w[j] for w, j in places if same(words, i, w, j)]
        losses.append(-math.log(rivals.count(words[i]) / len(rivals)))
    return math.fsum(losses) / len(losses)


def same_neighbors(words, i, others, j):
    left = (words[i - 1] if i else "<") == (others[j - 1] if j else "<")
    return left and words[i + 1 : i + 2] == others[j + 1 : j + 2]


def same_bag(words, i, others, j):
    return sorted(words[:i] + words[i + 1 :]) == sorted(others[:j] + others[j + 1 :])


def same_rest(words, i, others, j):
    return words[:i] == others[:j] and words[i + 1 :] == others[j + 1 :]


def assert_ladder_is_exact(sentences):
    ladder = masked_word_ladder(sentences)
    words = {word for sentence in sentences for word in sentence.split()}
    assert ladder.uniform == pytest.approx(math.log(len(words) + 1))
    assert ladder.unigram == pytest.approx(brute_force(sentences, lambda *hole: True), abs=1e-12)
    assert ladder.neighbors == pytest.approx(brute_force(sentences, same_neighbors), abs=1e-12)
    assert ladder.bag == pytest.approx(brute_force(sentences, same_bag), abs=1e-12)
    assert ladder.full == pytest.approx(brute_force(sentences, same_rest), abs=1e-12)


def test_the_ladder_of_the_hundred_sentences_equals_a_brute_force():
    assert_ladder_is_exact(hundred_sentences())


@given(CORPORA)
def test_the_ladder_of_any_corpus_equals_a_brute_force_and_descends(sentences):
    assert_ladder_is_exact(sentences)
    uniform, unigram, neighbors, bag, full = masked_word_ladder(sentences)
    assert uniform >= unigram >= neighbors - 1e-12
    assert min(neighbors, bag) >= full - 1e-12
    assert unigram >= bag - 1e-12


@pytest.mark.parametrize(
    ("sentences", "error", "message"),
    [
        (["", "  "], ValueError, "holds no word"),
        (["the [MASK] sleeps"], ValueError, r"\[MASK\] is the mark for a hidden word"),
        ("the cat sleeps", TypeError, "not the one string 'the cat sleeps'"),
    ],
)
def test_a_corpus_that_cannot_be_is_refused_in_words(sentences, error, message):
    for function in (vocabulary, masked_word_ladder):
        with pytest.raises(error, match=message):
            function(sentences)
