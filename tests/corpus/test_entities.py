"""The tagged sentences of Chapter 17: legal tags, new names in the test, and nothing for free."""

import re
from collections import Counter, defaultdict
from importlib import resources
from itertools import combinations

from baselines import capital_names, known_words, surface

from bertbook.core.metrics import score_entities
from bertbook.corpus import entity_sentences
from bertbook.topics.tag.tagging import find_entities

SPLITS = {split: entity_sentences(split) for split in ("train", "validation", "test")}
NAMES = {split: [find_entities(s.tags) for s in sentences] for split, sentences in SPLITS.items()}
FOLDER = resources.files("bertbook.corpus.datasets") / "passages_and_entities"
SHEET = (FOLDER / "README.md").read_text("utf-8")
LEGAL = re.compile(r"(O |B-(PER|LOC|ORG) (I-\2 )*)+")


def test_tags_are_legal_fit_the_words_and_are_as_many_as_the_datasheet_tells():
    for split, sentences in SPLITS.items():
        for words, tags in sentences:
            assert len(words) == len(tags) > 0
            assert LEGAL.fullmatch(" ".join(tags) + " ")
            # marks are words of their own; a dot stays with a title
            assert not any(re.search(r"\w[.,;?!]$", w) for w in words if w not in ("Mr.", "Dr."))
        kinds = Counter(kind for names in NAMES[split] for kind, _, _ in names)
        row = [len(sentences), sum(len(s.words) for s in sentences)]
        row += [kinds[kind] for kind in ("PER", "LOC", "ORG")]
        assert f"| {split} | {' | '.join(map(str, row))} |" in SHEET


def test_splits_share_no_name():
    surfaces = [
        {surface(s, name) for s, names in zip(SPLITS[split], NAMES[split]) for name in names}
        for split in SPLITS
    ]
    assert all(one & other == set() for one, other in combinations(surfaces, 2))


def test_what_capitals_and_known_words_reach():
    sentences, right = SPLITS["test"], NAMES["test"]
    persons = score_entities([capital_names(s, "PER") for s in sentences], right).f1
    assert f"| each run of capitals is a person | {persons:.2f} |" in SHEET
    ends = [[("", *name[1:]) for name in found] for found in right]
    runs = score_entities([capital_names(s, "") for s in sentences], ends).f1
    assert f"| each run of capitals is a name, its kind not asked | {runs:.2f} |" in SHEET
    counts = defaultdict(Counter)
    for words, tags in SPLITS["train"]:
        for word, tag in zip(words, tags):
            counts[word.lower()][tag] += 1
    tag_of = {word: count.most_common(1)[0][0] for word, count in counts.items()}
    assert score_entities([known_words(s, tag_of) for s in sentences], right).f1 == 0
