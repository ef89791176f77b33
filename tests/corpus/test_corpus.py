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


def test_there_are_a_hundred_different_sentences_of_88_words_and_none_is_asked_in_the_chapter():
    sentences = hundred_sentences()
    assert len(sentences) == len(set(sentences)) == 100
    words = {word for sentence in sentences for word in sentence.split()}
    assert len(words) == 88
    assert vocabulary(sentences) == ("[MASK]", *sorted(words))
    for query in ("the man eats the [MASK]", "the man reads the [MASK]", "the man [MASK] the book"):
        start, end = query.split("[MASK]")
        assert not [s for s in sentences if s.startswith(start) and s.endswith(end)]


def brute_force(sentences, sight):
    """Mean loss when each masked word is guessed by its share where the same is seen around it."""
    places = [(s.split(), i) for s in sentences for i in range(len(s.split()))]
    losses = []
    for words, i in places:
        rivals = [others[j] for others, j in places if sight(words, i) == sight(others, j)]
        losses.append(-math.log(rivals.count(words[i]) / len(rivals)))
    return math.fsum(losses) / len(losses)


SIGHTS = {
    "unigram": lambda words, i: None,
    "neighbors": lambda words, i: ["<", *words, ">"][i : i + 3 : 2],
    "bag": lambda words, i: sorted(words[:i] + words[i + 1 :]),
    "full": lambda words, i: [*words[:i], None, *words[i + 1 :]],
}


@given(CORPORA)
@example(hundred_sentences())
def test_the_ladder_of_any_corpus_equals_a_brute_force_and_descends(sentences):
    ladder = masked_word_ladder(sentences)
    words = {word for sentence in sentences for word in sentence.split()}
    assert ladder.uniform == pytest.approx(math.log(len(words) + 1))
    for name, sight in SIGHTS.items():
        assert getattr(ladder, name) == pytest.approx(brute_force(sentences, sight), abs=1e-12)
    uniform, unigram, neighbors, bag, full = ladder
    assert uniform >= unigram >= neighbors - 1e-12
    assert min(neighbors, bag) >= full - 1e-12
    assert unigram >= bag - 1e-12


@pytest.mark.parametrize("function", [vocabulary, masked_word_ladder])
def test_a_corpus_that_cannot_be_is_refused_in_words(function):
    for sentences, message in (["", "  "], "no word"), (["the [MASK]"], "mark for a hidden word"):
        with pytest.raises(ValueError, match=message):
            function(sentences)
    with pytest.raises(TypeError, match="not the one string 'the cat sleeps'"):
        function("the cat sleeps")


def test_a_unigram_of_two_sentences_by_hand():
    # "a b" is held out while "a a" is counted, and the other way round.
    loss = counted_loss(["a b", "a a"], {(0, 0): 0.9}, folds=2)
    of_a, of_b = 0.9 + 0.05, 0.05  # of "a a"
    half = 0.45 + 0.05  # of "a b"
    assert loss == pytest.approx(-math.log(of_a * of_b * half * half) / 4)


def test_a_context_that_was_not_counted_leaves_it_to_the_others():
    loss = counted_loss(["a b", "c d"], {(0, 0): 0.6, (1, 1): 0.3}, folds=2)
    assert loss == pytest.approx(-math.log(0.1 / 4 / 0.7))  # unseen words, and no neighbor known
