"""Glosses and names of WordNet (Chapters 16, 17 and 19) are what their datasheet says."""

import random
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import verse_names as program
from benchmarks.glosses import KINDS, OF_EACH, glosses_of, table_of
from benchmarks.wordnet_names import names_of, single_things
from bertbook.corpus import glosses_file, noun_glosses
from bertbook.corpus.datasets.verse_names import (
    AROUND,
    MOST,
    VerseName,
    kinds_by_eye,
    kinds_of_names,
    verse_names,
    verses,
)
from bertbook.records import record_of

WORDNET = Path("/usr/share/wordnet/data.noun")
SHEET = glosses_file().with_name("README.md").read_text(encoding="utf-8")
NAMES = verse_names()


def test_each_kind_has_as_many_and_the_license_stands_beside_them():
    rows = noun_glosses()
    assert f"{len(rows):,} rows" in SHEET
    assert Counter(row.kind for row in rows) == dict.fromkeys(KINDS.values(), OF_EACH)
    assert all(row.word and row.gloss and '"' not in row.gloss[:1] for row in rows)
    assert len({(row.gloss, row.kind) for row in rows}) == len(rows)
    notice = glosses_file().with_name("LICENSE").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice
    assert 'PROVIDED "AS IS"' in notice


def test_lines_of_wordnet_are_read_without_examples_names_of_both_kinds_and_kinds_of_things():
    line = (
        "00001740 06 n 02 dinner_bell 0 bell 0 001 @ 02824448 n 0000 | a bell rung for dinner; "
        '"the dinner bell rang"  \n'
    )
    told = {"06": [("dinner bell", "a bell rung for dinner")]}
    assert glosses_of(["  1 This software\n", line]) == told
    line = "00000000 {} n 02 {} 0 x 0 001 {} 00000001 n 0000 | what it is\n".format
    given = (
        "18 Moses @i, 15 Egypt @i, 18 Judah @i, 15 Judah @i, 18 Levite @, 18 Tarsus @, 15 Tarsus @i"
    )
    lines = ["  1 This software\n", *(line(*each.split()) for each in given.split(", "))]
    assert single_things(lines) == {"Moses": {"person"}, "Egypt": {"location"}}
    assert names_of(lines) == [("Egypt", "location"), ("Moses", "person")]


@pytest.mark.skipif(not WORDNET.is_file(), reason="Debian's package wordnet-base is not here")
def test_the_programs_make_the_tables_again():
    with WORDNET.open(encoding="utf-8") as lines:
        assert table_of(lines) == [tuple(row) for row in noun_glosses()]
    with WORDNET.open(encoding="utf-8") as lines:
        assert dict(names_of(lines)) == kinds_of_names()


def test_a_name_stands_in_its_verse_with_the_words_around_it():
    text = dict(verses())
    for each in NAMES:
        words, near = text[each.verse], each.words
        assert len(near) <= 2 * AROUND + 1
        assert any(words[start : start + len(near)] == near for start in range(len(words)))
    assert max(Counter(each.name for each in NAMES).values()) == MOST


def test_there_are_as_many_persons_as_places_and_no_common_words():
    kinds = kinds_of_names()
    assert Counter(kinds.values()) == {"person": 59, "location": 59}
    assert {each.name: each.kind for each in NAMES} == kinds
    assert not {name.lower() for name in kinds} & {word for _, verse in verses() for word in verse}


def test_what_was_read_by_eye_are_fifty_of_these_places():
    drawn = random.Random(50).sample(NAMES, 50)
    eye = kinds_by_eye()
    assert {*eye} == {(each.verse, each.name) for each in drawn}
    right = [eye[each.verse, each.name] == each.kind for each in drawn]
    assert f"In {sum(right)} of the {len(right)}" in SHEET


def test_no_name_that_is_asked_stands_in_what_is_learned_from():
    asked = []
    for learned, numbers in program.folds(NAMES):
        held = {NAMES[n].name.lower() for n in numbers}
        text = " ".join(word.lower() for each in learned for word in each.words)
        letters = "".join(sign if sign.isalpha() else " " for sign in text)
        assert not held & {*letters.split()}
        assert Counter(each.kind for each in learned).keys() == {*program.KINDS}
        asked += numbers
    assert sorted(asked) == [*range(len(NAMES))], "each is asked once"


def test_each_way_changes_what_it_says_and_nothing_else():
    ark = VerseName("Genesis 8:20", ("And", "Noah", "builded", "an", "altar"), 1, "person")
    ways = {way: program.told([ark], way)[0] for way in program.WAYS}
    assert ways["as it stands"] == (ark.words, 1)
    assert ways["the name alone"] == (("Noah",), 0)
    assert ways["[MASK] for the name"] == (("And", "[MASK]", "builded", "an", "altar"), 1)
    words, place = ways["an invented name"]
    assert (words[:1], words[2:], place) == (ark.words[:1], ark.words[2:], 1)
    assert words[1] not in ark.words
    words, place = ways["other words shuffled"]
    assert words[place] == "Noah" and sorted(words) == sorted(ark.words) and words != ark.words


def test_the_record_is_of_these_names_and_a_tagger_calls_each_mask_a_person():
    record = record_of("verse_names")
    told = [(each["verse"], each["name"], each["kind"]) for each in record["asked"]]
    assert told == [(each.verse, each.name, each.kind) for each in NAMES]
    asked_after = {way: {*asked} for way, asked in program.ASKED_AFTER.items()}
    for rows in record["right"].values():
        assert {way: {*asked} for way, asked in rows.items()} == asked_after
        hits = [row for asked in rows.values() for row in asked.values()]
        assert all(len(row) == len(NAMES) and {*row} <= {*"01"} for row in hits)
    persons = "".join(str(int(each.kind == "person")) for each in NAMES)
    taggers = [rows for name, rows in record["right"].items() if name.startswith("tagger")]
    assert len(taggers) == 2  # both learned from whole verses
    assert all(rows["as it stands"]["[MASK] for the name"] == persons for rows in taggers)
