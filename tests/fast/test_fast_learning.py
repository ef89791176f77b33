"""The fast learner makes the merges of the plain one: the same pairs, in the same order."""

import random
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from effort import mostly_slow
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import odd_texts

from bertbook.corpus import hundred_sentences
from minibert.fast import fast_learn_merges, fast_parts
from minibert.parts import override, part
from minibert.text import split_words
from minibert.wordpiece import WordPieceTokenizer, learn_merges

COUNTS = st.dictionaries(st.text("abcd", min_size=1, max_size=8), st.integers(1, 9), min_size=1)


def both(word_counts, min_frequency=2, number=None):
    """The first merges of both learners, checked against each other; all without a number."""
    learners = fast_learn_merges, learn_merges
    fast, plain = (list(islice(learn(word_counts, min_frequency), number)) for learn in learners)
    assert [merge[:4] for merge in fast] == [merge[:4] for merge in plain]
    assert [merge.gain for merge in fast] == pytest.approx([merge.gain for merge in plain])
    return fast


@given(COUNTS, st.integers(0, 3))
def test_any_words_of_four_letters(word_counts, min_frequency):
    both(word_counts, min_frequency)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("seed", mostly_slow(range(4)))
def test_to_the_end_on_words_of_few_letters_and_on_odd_characters(seed):
    """Few letters make pairs frequent, so that each gluing changes many gains; some words recur."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcd", [8, 4, 2, 1], k=rng.randint(1, 9))) for _ in range(120)]
    merges = both({word: 1 + int(rng.paretovariate(1)) for word in words}, 1)
    assert len(merges) > 150 and ("##a", "##a") in {(merge.left, merge.right) for merge in merges}
    texts = [text for text in odd_texts(40, seed) if len(text) < 1000]
    for lower in (True, False):
        counts = Counter(word for text in texts for word in split_words(text, lower))
        assert len({character for word in counts for character in word}) > 200
        assert len(both(counts, 1, 100)) == 100


def test_a_tie_goes_to_the_first_in_alphabetical_order():
    """9 ln 2 = 3 ln 8, and of the two the computer finds the first larger by a last bit."""
    merges = both(dict.fromkeys(("xy", "ab", "pq", "éa", "学习"), 7))
    assert [merge.piece for merge in merges] == ["ab", "pq", "xy", "éa", "学习"]
    merges = both({"xy": 9, "x": 7, "ab": 3, "a": 1})
    assert [merge.piece for merge in merges] == ["ab", "xy"]
    assert merges[0].gain < 9 * np.log(2)


def test_pairs_that_meet_as_chance_has_it_gain_nothing_and_long_words_are_passed_over():
    assert both({"ab": 1, "ac": 1, "db": 1, "dc": 1}, 1) != []
    assert both({"a": 5, "bb": 0}, 1) == []
    assert [merge.piece for merge in both({"a" * 101: 9, "bb": 2})] == ["bb"]


def test_it_learns_for_a_tokenizer_where_the_fast_parts_play():
    plain = WordPieceTokenizer.train(hundred_sentences(), 150)
    with override(fast_parts()):
        assert part(learn_merges) is fast_learn_merges
        assert WordPieceTokenizer.train(hundred_sentences(), 150).pieces == plain.pieces
