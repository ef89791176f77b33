"""Labels between words and pieces against transformers' word numbers, and entities."""

import random

import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import odd_texts

from bertbook.topics.tag.tagging import Entity, find_entities, labels_of_words, tag_pieces
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

TINY = WordPieceTokenizer([*SPECIAL_TOKENS, "shang", "##hai", "is", "big", "-", "e"])


def labels_by_the_recipe(word_ids, labels):
    """Label the first token of each word; the recipe of everybody who uses word numbers."""
    row, last = [], None
    for word in word_ids:
        row.append(-100 if word is None or word == last else labels[word])
        last = word
    return row


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_labels_are_those_of_the_usual_recipe(minilm):
    path = minilm / "vocab.txt"
    ours, theirs = WordPieceTokenizer.load(path), transformers.BertTokenizer(vocab=str(path))
    rng = random.Random(0)
    for text in odd_texts(300, seed=1):
        words = [word for word in text.split() if len(word) < 100]
        labels = [rng.randrange(9) for _ in words]
        expected = theirs(words, is_split_into_words=True)
        row = tag_pieces(ours, words, labels)
        assert row.input_ids == expected["input_ids"]
        assert row.labels == labels_by_the_recipe(expected.word_ids(), labels)
        places = [
            expected.word_ids().index(number) if number in expected.word_ids() else None
            for number in range(len(words))
        ]
        assert row.first_pieces == places
        back = [-1 if place is None else label for place, label in zip(places, labels)]
        assert labels_of_words(row.first_pieces, row.labels, missing=-1) == back


@pytest.mark.usefixtures("unchecked")
def test_bad_input_is_answered_in_words():
    with pytest.raises(TypeError, match="give a list of words, not the one string 'is big'"):
        tag_pieces(TINY, "is big", [1, 1])
    with pytest.raises(ValueError, match="2 words and 1 labels do not fit; give one each"):
        tag_pieces(TINY, ["is", "big"], [1])
    for tag in ("PER", "E-PER", "B-", "B", "", "o", "O-PER"):
        with pytest.raises(ValueError, match=f"tag 1 is {tag!r}; a tag is O, or B- or I- and a ki"):
            find_entities(["O", tag])


GAP = st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from(["PER", "LOC", "X-Y"]))


@given(gaps=st.lists(GAP))
def test_entities_come_back_from_their_tags(gaps):
    tags, entities = [], []
    for outside, length, kind in gaps:
        tags += ["O"] * outside
        entities.append(Entity(kind, len(tags), len(tags) + length))
        tags += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)]
    assert find_entities(tags) == entities


@pytest.mark.parametrize(
    ("tags", "entities"),
    [
        (["I-PER", "I-PER"], [("PER", 0, 2)]),
        (["I-PER", "B-PER"], [("PER", 0, 1), ("PER", 1, 2)]),
        (["B-PER", "O", "I-PER"], [("PER", 0, 1), ("PER", 2, 3)]),
        (["B-PER", "I-LOC", "I-PER"], [("PER", 0, 1), ("LOC", 1, 2), ("PER", 2, 3)]),
    ],
)
def test_tags_that_no_person_would_write(tags, entities):
    assert find_entities(tags) == entities
