"""The hundred sentences, and the exact losses computed from them."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bertbook.corpus import hundred_sentences, masked_word_ladder, vocabulary
from bertbook.topics.toy.baselines import counted_loss

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


@given(CORPORA)
@example(hundred_sentences())
def test_the_ladder_of_any_corpus_equals_a_brute_force_and_descends(sentences):
    ladder = masked_word_ladder(sentences)
    words = {word for sentence in sentences for word in sentence.split()}
    assert ladder.uniform == pytest.approx(math.log(len(words) + 1))
    sights = {"neighbors": same_neighbors, "bag": same_bag, "full": same_rest}
    for name, same in {"unigram": lambda *hole: True, **sights}.items():
        assert getattr(ladder, name) == pytest.approx(brute_force(sentences, same), abs=1e-12)
    uniform, unigram, neighbors, bag, full = ladder
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


# The counters that Chapter 5 holds against its toy


def test_a_unigram_of_two_sentences_by_hand():
    # "a b" is held out while "a a" is counted, and the other way round.
    loss = counted_loss(["a b", "a a"], {(0, 0): 0.9}, folds=2)
    of_a, of_b = 0.9 + 0.05, 0.05  # of "a a"
    half = 0.45 + 0.05  # of "a b"
    assert loss == pytest.approx(-math.log(of_a * of_b * half * half) / 4)


def test_a_context_that_was_not_counted_leaves_it_to_the_others():
    loss = counted_loss(["a b", "c d"], {(0, 0): 0.6, (1, 1): 0.3}, folds=2)
    assert loss == pytest.approx(-math.log(0.1 / 4 / 0.7))  # unseen words, and no neighbor known
