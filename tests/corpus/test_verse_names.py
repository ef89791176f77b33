"""Names of the Bible with WordNet's kinds: whose they are, and that none is asked that was learned.

What is asked of readers in ``benchmarks.verse_names`` is held here, too.
"""

import random
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import verse_names as program
from benchmarks.wordnet_names import names_of, single_things
from bertbook.corpus import glosses_file
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
from minibert.losses import IGNORED_LABEL
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

WORDNET = Path("/usr/share/wordnet/data.noun")
NAMES = verse_names()
ARK = VerseName("Genesis 8:20", ("And", "Noah", "builded", "an", "altar"), 1, "person")


def test_a_name_stands_in_its_verse_with_the_words_around_it():
    text = dict(verses())
    for each in NAMES:
        words, near = text[each.verse], each.words
        assert len(near) <= 2 * AROUND + 1
        assert any(words[start : start + len(near)] == near for start in range(len(words)))
    found = Counter(each.name for each in NAMES)
    assert {*found} == {*kinds_of_names()} and max(found.values()) == MOST


def test_there_are_as_many_persons_as_places_and_no_common_words():
    kinds = kinds_of_names()
    assert Counter(kinds.values()) == {"person": 59, "location": 59}
    assert {each.name: each.kind for each in NAMES} == kinds
    assert not {name.lower() for name in kinds} & {word for _, verse in verses() for word in verse}


def test_a_name_of_both_kinds_and_a_kind_of_things_are_left_out():
    line = "00000000 {} n 02 {} 0 x 0 001 {} 00000001 n 0000 | what it is\n".format
    lines = ["  1 This software\n", line("18", "Moses", "@i"), line("15", "Egypt", "@i"),
             line("18", "Judah", "@i"), line("15", "Judah", "@i"), line("18", "Levite", "@"),
             line("18", "Tarsus", "@"), line("15", "Tarsus", "@i")]  # fmt: skip
    assert single_things(lines) == {"Moses": {"person"}, "Egypt": {"location"}}
    assert names_of(lines) == [("Egypt", "location"), ("Moses", "person")]


@pytest.mark.skipif(not WORDNET.is_file(), reason="Debian's package wordnet-base is not here")
def test_the_program_makes_the_names_again():
    with WORDNET.open(encoding="utf-8") as lines:
        assert dict(names_of(lines)) == kinds_of_names()


def test_what_was_read_by_eye_are_fifty_of_these_places():
    drawn = random.Random(50).sample(NAMES, 50)
    eye = kinds_by_eye()
    assert {*eye} == {(each.verse, each.name) for each in drawn}
    right = [eye[each.verse, each.name] == each.kind for each in drawn]
    sheet = glosses_file().with_name("README.md").read_text(encoding="utf-8")
    assert f"{sum(right)} of the {len(right)}" in sheet


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


def test_only_the_name_has_a_label_at_its_first_piece():
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "and", "no", "##ah", "builded", "an", "altar"])
    encoder = object.__new__(program.Encoder)
    encoder.tokenizer = tokenizer
    row = encoder.labeled((ARK.words, ARK.place), kind=1)
    labels = {tokenizer.pieces[piece]: label
              for piece, label in zip(row["input_ids"], row["labels"], strict=True)}  # fmt: skip
    assert labels.pop("no") == 1
    assert {*labels.values()} == {IGNORED_LABEL}


def test_each_way_changes_what_it_says_and_nothing_else():
    ways = {way: program.told([ARK], way)[0] for way in program.WAYS}
    assert ways["as it stands"] == (ARK.words, 1)
    assert ways["the name alone"] == (("Noah",), 0)
    assert ways["[MASK] for the name"] == (("And", "[MASK]", "builded", "an", "altar"), 1)
    words, place = ways["an invented name"]
    assert (words[:1], words[2:], place) == (ARK.words[:1], ARK.words[2:], 1)
    assert words[1] not in ARK.words
    words, place = ways["other words shuffled"]
    assert words[place] == "Noah" and sorted(words) == sorted(ARK.words) and words != ARK.words


def test_letters_come_from_the_name_and_words_from_around_it():
    row = (ARK.words, ARK.place)
    assert program.letters_of(row)["^no"] == 1 and program.letters_of(row)["h$"] == 1
    hidden = program.told([ARK], "[MASK] for the name")[0]
    assert program.words_of(row) == program.words_of(hidden)
    assert program.words_of(row)["+1 builded"] == 1 and "noah" not in program.words_of(row)


def test_the_record_is_of_these_names():
    record = record_of("verse_names")
    told = [(each["verse"], each["name"], each["kind"]) for each in record["asked"]]
    assert told == [(each.verse, each.name, each.kind) for each in NAMES]
    for rows in record["right"].values():
        assert {way: {*asked} for way, asked in rows.items()} == {
            way: {*asked} for way, asked in program.ASKED_AFTER.items()
        }
        hits = [row for asked in rows.values() for row in asked.values()]
        assert all(len(row) == len(NAMES) and {*row} <= {*"01"} for row in hits)


def test_a_tagger_that_learned_from_whole_verses_calls_each_mask_a_person():
    record = record_of("verse_names")
    persons = "".join(str(int(each.kind == "person")) for each in NAMES)
    taggers = [rows for name, rows in record["right"].items() if name.startswith("tagger")]
    assert len(taggers) == 2
    assert all(rows["as it stands"]["[MASK] for the name"] == persons for rows in taggers)
