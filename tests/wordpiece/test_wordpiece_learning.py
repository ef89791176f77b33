"""Learning pieces: by hand, in any order of the texts, and to the end."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import odd_texts

from bertbook.corpus import hundred_sentences
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer, learn_merges


@given(st.lists(st.text("abc déÉ.中", max_size=30), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_the_texts_does_not_matter(texts, rng):
    texts = [*texts, "abba"]
    shuffled = rng.sample(texts, len(texts))
    first, second = (WordPieceTokenizer.train(t, 200) for t in (texts, shuffled))
    assert first.pieces == second.pieces


@given(st.integers(0, 10**6))
def test_a_corpus_of_odd_texts_can_be_learned(seed):
    texts = [*odd_texts(10, seed), "plain words"]
    tokenizer = WordPieceTokenizer.train(texts, 5000)
    assert list(tokenizer.pieces[:5]) == list(SPECIAL_TOKENS)
    assert len(set(tokenizer.pieces)) == tokenizer.vocab_size
    short = [t for t in texts if len(t) < 100 and "[" not in t]
    assert all("[UNK]" not in tokenizer.tokenize(text) for text in short)


def test_vocabulary_by_hand():
    merges = list(learn_merges({"ab": 2, "ac": 1, "dc": 1}, min_frequency=1))
    # 8 pieces: a 3, ##b 2, ##c 2, d 1. Then 6: ab 2, ##c 2, a 1, d 1; (a, ##c) and (d, ##c) tie.
    expected = [("a", "##b", "ab", 2), ("a", "##c", "ac", 1), ("d", "##c", "dc", 1)]
    assert [(m.left, m.right, m.piece, m.count) for m in merges] == expected
    ratios = [2 * 8 / (3 * 2), 1 * 6 / (1 * 2), 1 * 5 / (1 * 1)]
    assert [m.gain for m in merges] == pytest.approx(
        [m.count * math.log(ratio) for m, ratio in zip(merges, ratios, strict=True)]
    )
    (merge,) = learn_merges({"ab": 1}, min_frequency=1)  # less than one nat is a gain, too
    assert (merge.piece, merge.gain) == ("ab", pytest.approx(math.log(2 / (1 * 1))))


def test_the_size_is_kept_and_reached_and_the_smallest_is_the_alphabet():
    assert WordPieceTokenizer.train(["abc"], 11).vocab_size == 11
    assert WordPieceTokenizer.train((t for t in ["ab", "ab"]), 50).pieces[-1] == "ab"
    texts = hundred_sentences()
    for size in (60, 100, 150):
        assert WordPieceTokenizer.train(texts, size).vocab_size == size
    everything = WordPieceTokenizer.train(texts, 10_000)
    assert everything.vocab_size < 10_000
    assert all(len(everything.tokenize(w)) == 1 for w in ("the", "cat", "sits", "paper"))


def test_cased_and_uncased():
    texts = ["Café café CAFÉ"] * 3
    assert "cafe" in WordPieceTokenizer.train(texts, 100).vocab
    assert {"Café", "café", "CAFÉ"} <= {*WordPieceTokenizer.train(texts, 100, False).pieces}


def test_special_tokens_endless_words_and_rare_pairs_are_passed_over():
    plain = WordPieceTokenizer.train(["one cat"] * 3, 50)
    assert WordPieceTokenizer.train(["one [MASK] cat [SEP]"] * 3, 50).pieces == plain.pieces
    assert WordPieceTokenizer.train(["a" * 101, "b b"], 20).pieces[5:] == ("a", "b", "##a")
    counts = {"cat": 1, "dog": 3}
    assert {merge.piece for merge in learn_merges(counts, 2)} == {"##og", "dog"}
    assert not list(learn_merges(counts, 4))


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_learned():
    for texts, error, words in (
        ("one cat", TypeError, "give a list of texts, not the one string 'one cat'"),
        ([], ValueError, "the texts hold no word"),
        (["abc"], ValueError, r"vocab_size \(10\) .* 5 special .* 6 single .* at least 11"),
    ):
        with pytest.raises(error, match=words):
            WordPieceTokenizer.train(texts, 10)
