"""The sentences of Chapter 21 are what their datasheet says."""

import re
from collections import Counter, defaultdict
from statistics import mean

from bertbook.corpus import (
    WORD_CLASSES,
    sense_sentences,
    senses,
    small_world,
    word_classes,
    world_words,
)

SENTENCES = sense_sentences()


def test_ten_words_two_senses_eight_sentences():
    counts = Counter((s.word, s.sense) for s in SENTENCES)
    assert len(counts) == 20 and set(counts.values()) == {8}
    assert set(Counter(word for word, _ in counts).values()) == {2}
    assert len({s.text for s in SENTENCES}) == 160
    assert all(len(re.findall(rf"\b{s.word}\b", s.text.lower())) == 1 for s in SENTENCES)


def test_neither_length_nor_place_gives_a_sense_away():
    lengths, places = defaultdict(list), defaultdict(list)
    for s in SENTENCES:
        words = s.text.lower().replace(",", "").rstrip(".?").split()
        index = next(i for i, w in enumerate(words) if w.startswith(s.word))
        lengths[s.word, s.sense].append(len(words))
        places[s.word, s.sense].append(index / len(words))
    for values, most in ((lengths, 3), (places, 0.4)):
        for word, sense in values:
            one, other = (mean(values[key]) for key in values if key[0] == word)
            assert abs(one - other) < most, (word, sense)


def test_classes_of_words_of_the_world():
    classes, world = word_classes(), small_world()
    assert Counter(classes.values()) == {"noun": 195, "verb": 78, "adjective": 58}
    assert set(classes.values()) == set(WORD_CLASSES)
    assert set(classes) <= set(world_words(world)) - set(senses(world))
    assert list(classes) == sorted(classes)
