"""The requests and the pairs of questions of Chapter 16: how many, how apart, and how hard."""

import re
from collections import Counter
from itertools import combinations
from random import Random

import pytest

from benchmarks.request_frames import RULES, SEED, fill_frames
from bertbook.corpus import (
    MARKS,
    PAIR_LABELS,
    REQUEST_LABELS,
    parse_pairs,
    parse_requests,
    question_pairs,
    service_requests,
)
from bertbook.corpus.datasets.splits import split_text

SPLITS = ("train", "validation", "test")
REQUESTS = {split: service_requests(split) for split in SPLITS}
PAIRS = {split: question_pairs(split) for split in SPLITS}


def words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


def n_grams(text):
    spelled = words(text)
    return {tuple(spelled[i : i + n]) for n in (4, 5) for i in range(len(spelled) - n + 1)}


def texts(split):
    return [request.text for request in REQUESTS[split]]


def questions(split):
    return {question for pair in PAIRS[split] for question in (pair.first, pair.second)}


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


# Nothing twice, nothing from one split in another


def test_no_request_and_no_question_is_written_twice():
    for of in (texts, questions):
        counts = Counter(" ".join(words(text)) for split in SPLITS for text in of(split))
        assert [text for text, count in counts.items() if count > 1] == []
    pairs = [frozenset(pair[:2]) for split in SPLITS for pair in PAIRS[split]]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize(("one", "others"), [("test", SPLITS[:2]), ("validation", SPLITS[:1])])
@pytest.mark.parametrize("of", [texts, questions], ids=["requests", "questions"])
def test_the_phrasing_is_not_that_of_another_split(one, others, of):
    """Four words in a row are rarely shared (do I have to), and five hardly ever."""
    known = {gram for other in others for text in of(other) for gram in n_grams(text)}
    told = [gram for text in of(one) for gram in n_grams(text)]
    four, five = ([gram for gram in told if len(gram) == n and gram in known] for n in (4, 5))
    assert len(four) <= 0.015 * sum(len(gram) == 4 for gram in told), four
    assert len(five) <= 2, five


# How they are made


def test_the_rules_make_the_training_part_again():
    made = fill_frames(RULES.read_text(encoding="utf-8"), rng=Random(SEED))
    assert parse_requests(made) == REQUESTS["train"]
    assert split_text("requests_and_pairs", "requests", "train").endswith(made)
    assert fill_frames(RULES.read_text(encoding="utf-8"), rng=Random(SEED + 1)) != made


# Files of one's own

TABLES = "OPENING: -\nCLOSING: -\nWHO: I | we | you\n== Billing: sums\n"


def fill(text):
    return fill_frames(TABLES + text, rng=Random(0))


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (parse_requests, "# mine\nhelp", r"line 2 \('help'\) has no heading"),
        (parse_requests, "== Sales: hand\nhelp", "line 1 has the label 'Sales'"),
        (parse_requests, "== Billing: hand\n(irony) thanks", "line 2 has the mark 'irony'"),
        (parse_pairs, "== x\nhow?\nwhy?", "block 'x' has 0 lines '--'"),
        (parse_pairs, "== x\nhow?\nwhy?\n--\nwho?", "'x' has 2 questions above '--' and 1 below"),
        (parse_pairs, "how?", r"'how\?' stands in no block"),
        (fill, "WHOM paid", r"'WHOM paid' names the table WHOM; there are OPENING, C"),
        (fill, "I [pay | paid]", r"'I \[pay \| paid\]' has 2 fillings, 3 are needed"),
        (service_requests, "dev", r"no split 'dev'; take 'train', 'validation' or 'test'"),
    ],
)
def test_what_makes_no_requests_and_no_pairs(read, text, words):
    with pytest.raises(ValueError, match=words):
        read(text)


@pytest.mark.parametrize("size", [2, 4])
def test_a_block_makes_every_pair_but_mirror_images(size):
    one, other = [f"a{i}" for i in range(size)], [f"b{i}" for i in range(size)]
    pairs = parse_pairs("\n".join(["# mine", "== x", *one, "--", *other]))
    duplicates = {frozenset(p[:2]) for p in pairs if p.label == "duplicate"}
    others = {p[:2] for p in pairs if p.label == "not_duplicate"}
    assert duplicates == {frozenset(p) for half in (one, other) for p in combinations(half, 2)}
    assert others == {(a, b) for a in one for b in other if int(a[1]) + int(b[1]) != size - 1}
    assert len(pairs) == 2 * size * (size - 1)
