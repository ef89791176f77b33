"""The oracle of a small world: equal to counting every document, and to what sampling shows."""

import math
from collections import Counter

import numpy as np
import pytest
import told_pairs
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from bertbook.corpus import (
    MaskingNoise,
    Oracle,
    hide_words,
    parse_world,
    sample_pairs,
    sample_tagged,
    senses,
    small_world,
    untagged,
)

STORIES = 2
WORLD = parse_world(told_pairs.TINY)
COUNTS = told_pairs.pairs(WORLD, STORIES)
TOLD = sorted({(first, second) for first, second, _ in COUNTS})
SMALL = small_world()
NOISE = MaskingNoise(random_words=20, chosen=0.3, masked=0.6, random=0.3)


@pytest.fixture(scope="module")
def oracle():
    return Oracle(WORLD, STORIES)


@pytest.fixture(scope="module")
def small_oracle():
    return Oracle(SMALL)


def plain(sentence):
    return [told_pairs.plain(word) for word in sentence]


def assert_same_beliefs(oracle, counts, pairs, noise=None):
    """Hold the oracle to what counting says."""
    found = oracle.read(pairs, noise)
    for number, pair in enumerate(pairs):
        chances, is_next = told_pairs.beliefs(counts, pair, noise)
        assert found.is_next[number] == pytest.approx(is_next, abs=1e-12)
        for row, expected in zip(found.words[number], chances, strict=True):
            right = np.zeros(len(oracle.words))
            for word, chance in expected.items():
                right[oracle.ids[word]] += chance
            np.testing.assert_allclose(row, right, rtol=0, atol=1e-12)


def test_the_chances_of_all_pairs_sum_to_1():
    assert math.fsum(COUNTS.values()) == pytest.approx(1, abs=1e-12)
    assert len(TOLD) > 500


@given(data=st.data())
@examples(30)
def test_beliefs_about_hidden_words_equal_counting(oracle, data):
    first, second = data.draw(st.sampled_from(TOLD))
    hidden = st.booleans()
    pair = [
        [("[MASK]" if data.draw(hidden) else word) for word in plain(sentence)]
        for sentence in (first, second)
    ]
    assert_same_beliefs(oracle, COUNTS, [tuple(pair)])


@given(data=st.data())
@examples(30)
def test_beliefs_about_corrupted_pairs_equal_counting(oracle, data):
    first, second = data.draw(st.sampled_from(TOLD))
    strange = st.sampled_from([None, None, "[MASK]", "[STRANGER]", *oracle.words])
    pair = [
        [(data.draw(strange) or word) for word in plain(sentence)] for sentence in (first, second)
    ]
    assert_same_beliefs(oracle, COUNTS, [tuple(pair)], NOISE)


def test_beliefs_about_senses_equal_counting():
    oracle = Oracle(WORLD, STORIES, with_senses=True)
    assert "bat/animal" in oracle.words and "bat/game" in oracle.words
    pairs = [(plain(a), plain(b)) for a, b in TOLD[5::97]]
    assert_same_beliefs(oracle, COUNTS, pairs)
    assert_same_beliefs(oracle, COUNTS, pairs[:5], NOISE)


WORDS = st.sampled_from(["x", "y", "z"])
PART = st.one_of(
    WORDS, st.sampled_from(["HERO", "HE", "ONE", "TWO"]), st.just("[x | y]"), st.just("[y | z | z]")
)
SENTENCE = st.lists(PART, min_size=1, max_size=3).map(" ".join)
TABLE = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3)


@st.composite
def grammars(draw):
    """Write a grammar with three letters for words, so that everything can be confused."""

    def table(names):
        return f"{names}: " + " | ".join(" ".join(row) for row in draw(TABLE))

    blocks = ["document " + table("HERO HE") + "\n" + table("ONE TWO")]
    for _ in range(draw(st.integers(2, 3))):
        blocks.append("\n".join([draw(SENTENCE), draw(SENTENCE)]))
    return "\n\n".join(blocks)


@given(grammar=grammars(), data=st.data())
@examples(25)
def test_beliefs_in_any_world_equal_counting(grammar, data):
    world = parse_world(grammar)
    stories = data.draw(st.integers(1, 2))
    counts = told_pairs.pairs(world, stories)
    first, second, _ = data.draw(st.sampled_from(sorted(counts)))
    pair = [
        [data.draw(st.sampled_from([word, "[MASK]"])) for word in sentence]
        for sentence in (first, second)
    ]
    assert_same_beliefs(Oracle(world, stories), counts, [tuple(pair)])
    assert_same_beliefs(Oracle(world, stories), counts, [tuple(pair)], NOISE)


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_rows_sum_to_1_and_follow_the_order_of_the_pairs(small_oracle):
    pairs = sample_pairs(SMALL, 8, rng=np.random.default_rng(3))
    together = small_oracle.read(pairs)
    for number, pair in enumerate(pairs):
        (words,), (is_next,) = small_oracle.read([pair])
        assert words.shape == (len(f"{pair.first} {pair.second}".split()), len(small_oracle.words))
        np.testing.assert_allclose(words.sum(-1), 1, atol=1e-12)
        np.testing.assert_allclose(together.words[number], words, atol=1e-12)
        assert together.is_next[number] == pytest.approx(is_next, abs=1e-12)


def z_score(values, means, variances):
    """Tell how many standard deviations a sum is away from its mean."""
    return (np.sum(values) - np.sum(means)) / math.sqrt(np.sum(variances))


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
@pytest.mark.parametrize("noise", [None, MaskingNoise(random_words=1000)])
def test_what_is_believed_happens_as_often(small_oracle, noise):
    """Of all things believed with chance p, the share p comes true, within 4 deviations."""
    rng = np.random.default_rng(14)
    pairs = sample_pairs(SMALL, 200, rng=rng)
    seen, asked = pairs, [slice(None)] * len(pairs)
    if noise:
        hidden = [
            [hide_words(s.split(), noise, small_oracle.words, rng=rng) for s in pair[:2]]
            for pair in pairs
        ]
        seen = [(first[0], second[0]) for first, second in hidden]
        asked = [np.concatenate([first[1], second[1]]) for first, second in hidden]
    beliefs = small_oracle.read(seen, noise)
    answers, is_next = np.array([pair.is_next for pair in pairs]), beliefs.is_next
    assert abs(z_score(answers, is_next, is_next * (1 - is_next))) < 4
    # Squares weigh sure beliefs more: another side of the same claim.
    assert abs(z_score(answers * is_next, is_next**2, is_next**3 * (1 - is_next))) < 4
    losses = []
    for pair, words, places in zip(pairs, beliefs.words, asked, strict=True):
        true = [small_oracle.ids[word] for word in f"{pair.first} {pair.second}".split()]
        surprise = -np.log(np.where(words > 0, words, 1))
        mean = (words * surprise).sum(-1)
        losses.append((surprise[np.arange(len(true)), true] - mean)[places].sum())
    # The words of a pair depend on each other, the pairs do not.
    assert abs(z_score(losses, [0.0], [np.var(losses) * len(losses)])) < 4


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_a_sense_is_open_to_the_left_neighbor_and_clear_in_the_pair(small_oracle):
    """The same word after the same word has several senses; the whole pair leaves one."""
    documents = sample_tagged(SMALL, 1000, rng=np.random.default_rng(7))
    told = [pair for sentences in documents for pair in zip(sentences, sentences[1:])]
    ambiguous, word_of = senses(SMALL), told_pairs.plain
    after: dict = {}
    for sentence in (s for sentences in documents for s in sentences):
        for left, word in zip(sentence, sentence[1:]):
            if word_of(word) in ambiguous:
                after.setdefault((word_of(left), word_of(word)), Counter())[word] += 1
    open_words = {
        word
        for (_, word), counts in after.items()
        if len(counts) > 1 and min(counts.values()) > 0.1 * counts.total()
    }
    assert {"bank", "bark", "bat", "crane", "key", "mouse", "ring", "trunk"} <= open_words
    oracle, sharp = Oracle(SMALL, with_senses=True), []
    for pair, words in zip(told[:40], oracle.read(told_plain(told[:40])).words):
        for word, row in zip(sum(pair, ()), words, strict=True):
            rivals = [f"{word_of(word)}/{sense}" for sense in ambiguous.get(word_of(word), ())]
            if rivals:
                sharp.append(
                    row[oracle.ids[word]] / sum(row[oracle.ids[rival]] for rival in rivals)
                )
    assert len(sharp) > 30
    assert np.mean(sharp) > 0.99


def told_plain(pairs):
    return [tuple(untagged(" ".join(sentence)) for sentence in pair) for pair in pairs]


def test_the_second_sentence_tells_what_the_first_one_leaves_open(small_oracle):
    finds = "anna finds a [MASK] bat in the attic"
    games = "she takes it from the attic to the park and hits the first ball well"
    night = "the bat hangs from the roof of the attic and sleeps all day"
    oracle = Oracle(SMALL, with_senses=True)
    for second, sense in [(games, "bat/game"), (night, "bat/animal")]:
        bat = oracle.read([(finds, second)]).words[0][4]
        both = bat[oracle.ids["bat/game"]] + bat[oracle.ids["bat/animal"]]
        assert bat[oracle.ids[sense]] / both > 0.99


def test_no_pairs_no_beliefs_and_pairs_that_are_never_told_are_named(small_oracle):
    words, is_next = small_oracle.read([])
    assert words == [] and is_next.shape == (0,)
    message = "this world never tells 'the bank sits on anna' together with 'she sleeps'"
    with pytest.raises(ValueError, match=message):
        small_oracle.read([("the bank sits on anna", "she sleeps")])
    with pytest.raises(ValueError, match=r"'xylophone' is none of the \d+ words of this world"):
        small_oracle.read([("anna plays a xylophone", "she smiles")])


@pytest.mark.parametrize("stories", [0, 4])
def test_documents_that_cannot_be_told_are_refused(stories):
    with pytest.raises(ValueError, match=f"documents of {stories} stories .* the world has 3"):
        Oracle(WORLD, stories)
