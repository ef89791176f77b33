"""The oracle of a small world: equal to counting every document, and to what sampling shows."""

import math

import exact_pairs
import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from bertbook.corpus import MaskingNoise, Oracle, parse_world, small_world

STORIES = 2
WORLD = parse_world(exact_pairs.TINY)
COUNTS = exact_pairs.pairs(WORLD, STORIES)
TOLD = sorted({(first, second) for first, second, _ in COUNTS})
ORACLE = Oracle(WORLD, STORIES)
NOISE = MaskingNoise(random_words=20, chosen=0.3, masked=0.6, random=0.3)


def assert_same_beliefs(oracle, counts, pairs, noise=None):
    """Hold the oracle to what counting says."""
    found = oracle.read(pairs, noise)
    for number, pair in enumerate(pairs):
        chances, is_next = exact_pairs.beliefs(counts, pair, noise)
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
def test_beliefs_about_hidden_words_and_corrupted_pairs_equal_counting(data):
    told = data.draw(st.sampled_from(TOLD))
    strange = st.sampled_from([None, None, "[MASK]", "[STRANGER]", *ORACLE.words])
    for marks, noise in ((st.sampled_from([None, "[MASK]"]), None), (strange, NOISE)):
        pair = [
            [(data.draw(marks) or word) for word in map(exact_pairs.plain, sentence)]
            for sentence in told
        ]
        assert_same_beliefs(ORACLE, COUNTS, [tuple(pair)], noise)


def test_beliefs_about_senses_equal_counting():
    oracle = Oracle(WORLD, STORIES, with_senses=True)
    assert "bat/animal" in oracle.words and "bat/game" in oracle.words
    pairs = [tuple([*map(exact_pairs.plain, each)] for each in told) for told in TOLD[5::97]]
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
    counts = exact_pairs.pairs(world, stories)
    first, second, _ = data.draw(st.sampled_from(sorted(counts)))
    pair = [
        [data.draw(st.sampled_from([word, "[MASK]"])) for word in sentence]
        for sentence in (first, second)
    ]
    assert_same_beliefs(Oracle(world, stories), counts, [tuple(pair)])
    assert_same_beliefs(Oracle(world, stories), counts, [tuple(pair)], NOISE)


def test_no_pairs_no_beliefs_and_pairs_that_are_never_told_are_named():
    small_oracle = Oracle(small_world())
    words, is_next = small_oracle.read([])
    assert words == [] and is_next.shape == (0,)
    message = "this world never tells 'the bank sits on anna' together with 'she sleeps'"
    with pytest.raises(ValueError, match=message):
        small_oracle.read([("the bank sits on anna", "she sleeps")])
    with pytest.raises(ValueError, match=r"'xylophone' is none of the \d+ words of this world"):
        small_oracle.read([("anna plays a xylophone", "she smiles")])
    with pytest.raises(ValueError, match=r"documents of 4 stories .* the world has 3"):
        Oracle(WORLD, 4)
