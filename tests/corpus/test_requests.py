"""The requests and the pairs of questions of Chapter 16: how many, how apart, and how hard."""

import re
from collections import Counter
from random import Random

import pytest

from benchmarks.request_frames import RULES, SEED, fill_frames
from bertbook.corpus import MARKS, PAIR_LABELS, REQUEST_LABELS, question_pairs, service_requests
from bertbook.corpus.datasets.splits import split_text

SPLITS = ("train", "validation", "test")
REQUESTS = {split: service_requests(split) for split in SPLITS}
PAIRS = {split: question_pairs(split) for split in SPLITS}


def words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


def n_grams(text):
    spelled = words(text)
    return {tuple(spelled[i : i + n]) for n in (4, 5) for i in range(len(spelled) - n + 1)}


TEXTS = {split: [request.text for request in REQUESTS[split]] for split in SPLITS}
ASKED = {split: {text for pair in PAIRS[split] for text in pair[:2]} for split in SPLITS}


SIZES = {  # requests of a class, and pairs of a kind; how many requests have which mark
    "train": (210, 240, None),
    "validation": (40, 60, {"": 72, "keyword": 18, "negation": 12, "two topics": 12, "typo": 6}),
    "test": (60, 72, {"": 93, "keyword": 39, "negation": 18, "two topics": 18, "typo": 12}),
}


@pytest.mark.parametrize("split", SPLITS)
def test_classes_kinds_and_marks_are_balanced(split):
    each, pairs, marks = SIZES[split]
    requests = REQUESTS[split]
    assert Counter(r.label for r in requests) == dict.fromkeys(REQUEST_LABELS, each)
    assert Counter(p.label for p in PAIRS[split]) == dict.fromkeys(PAIR_LABELS, pairs)
    by_hand = sum(request.origin == "hand" for request in requests)
    assert by_hand == (180 if split == "train" else len(requests))
    if marks:  # equally many in each class
        assert Counter(request.mark for request in requests) == marks
        assert set(marks) == {"", *MARKS}
        both = Counter((request.label, request.mark) for request in requests)
        assert all(both[label, mark] * 3 == marks[mark] for label, mark in both)


def test_nothing_is_written_twice_and_no_question_tells_its_class():
    for of in (TEXTS, ASKED):
        counts = Counter(" ".join(words(text)) for texts in of.values() for text in texts)
        assert [text for text, count in counts.items() if count > 1] == []
    pairs = [frozenset(pair[:2]) for split in SPLITS for pair in PAIRS[split]]
    assert len(set(pairs)) == len(pairs)
    for split in SPLITS:  # a question stands in as many duplicates as not
        counts = {label: Counter() for label in PAIR_LABELS}
        for pair in PAIRS[split]:
            counts[pair.label].update(pair[:2])
        assert counts["duplicate"] == counts["not_duplicate"]


@pytest.mark.parametrize(("one", "others"), [("test", SPLITS[:2]), ("validation", SPLITS[:1])])
@pytest.mark.parametrize("of", [TEXTS, ASKED], ids=["requests", "questions"])
def test_the_phrasing_is_not_that_of_another_split(one, others, of):
    """Four words in a row are rarely shared (do I have to), and five hardly ever."""
    known = {gram for other in others for text in of[other] for gram in n_grams(text)}
    told = [gram for text in of[one] for gram in n_grams(text)]
    four, five = ([gram for gram in told if len(gram) == n and gram in known] for n in (4, 5))
    assert len(four) <= 0.015 * sum(len(gram) == 4 for gram in told), four
    assert len(five) <= 2, five


def test_the_rules_make_the_training_part_again():
    made = fill_frames(RULES.read_text(encoding="utf-8"), rng=Random(SEED))
    assert split_text("requests_and_pairs", "requests", "train").endswith(made)


def test_a_split_that_is_none():
    with pytest.raises(ValueError, match=r"no split 'dev'; take 'train', 'validation' or 'test'"):
        service_requests("dev")
