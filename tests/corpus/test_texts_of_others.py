"""The King James Bible is whole; glosses and names of WordNet are what their datasheet says."""

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import kjv_text as kjv_program
from benchmarks import verse_names as program
from benchmarks.glosses import KINDS, OF_EACH, glosses_of, table_of
from benchmarks.wordnet_names import names_of, single_things
from bertbook.corpus import glosses_file, noun_glosses
from bertbook.corpus.datasets import verse_names as names
from bertbook.corpus.kjv import chapters as kjv
from bertbook.records import record_of
from minibert.data import TextDocuments

WORDNET = Path("/usr/share/wordnet/data.noun")
SHEET = glosses_file().with_name("README.md").read_text(encoding="utf-8")
NAMES = names.verse_names()


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
        assert dict(names_of(lines)) == names.kinds_of_names()


def test_a_name_stands_in_its_verse_with_the_words_around_it():
    text = dict(names.verses())
    for each in NAMES:
        words, near = text[each.verse], each.words
        assert len(near) <= 2 * names.AROUND + 1
        assert any(words[start : start + len(near)] == near for start in range(len(words)))
    assert max(Counter(each.name for each in NAMES).values()) == names.MOST


def test_there_are_as_many_persons_as_places_and_no_common_words():
    kinds = names.kinds_of_names()
    assert Counter(kinds.values()) == {"person": 59, "location": 59}
    assert {each.name: each.kind for each in NAMES} == kinds
    words = {word for _, verse in names.verses() for word in verse}
    assert not {name.lower() for name in kinds} & words


def test_what_was_read_by_eye_are_fifty_of_these_places():
    drawn = random.Random(50).sample(NAMES, 50)
    eye = names.kinds_by_eye()
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


def test_the_whole_book_is_there():
    chapters = kjv.kjv_chapters()
    assert len(kjv.BOOKS) == 66
    assert len(chapters) == sum(number for _, number in kjv.BOOKS) == 1189
    assert sum(len(chapter.verses) for chapter in chapters) == 31_102
    verses = {(chapter.book, chapter.number): chapter.verses for chapter in chapters}
    assert verses["John", 11][34] == "Jesus wept."
    assert len(verses["Psalms", 119]) == 176
    assert all(verse == verse.strip() != "" for chapter in chapters for verse in chapter.verses)
    assert kjv.as_documents(chapters) == kjv.kjv_text()


def test_the_parts_are_all_share_no_chapter_and_are_read_as_documents(tmp_path):
    parts = kjv.kjv_parts()
    places = [(chapter.book, chapter.number) for part in parts for chapter in part]
    assert len(places) == len({*places}) == 1189
    assert {chapter.book for chapter in parts.books} == {*kjv.HELD_OUT_BOOKS}
    assert not {chapter.book for part in parts[:3] for chapter in part} & {*kjv.HELD_OUT_BOOKS}
    (tmp_path / "tune.txt").write_text(kjv.as_documents(parts.tune), encoding="utf-8")
    found = list(TextDocuments(tmp_path / "tune.txt"))
    assert found == [chapter.verses for chapter in parts.tune]


def test_places_are_left_out_and_chapters_kept_apart():
    printed = ["Jude1:1 Jude, the servant.", "Jude1:2 Mercy. ", "Rev1:1 The Revelation.",
               "Rev2:1 Unto the angel"]  # fmt: skip
    text = "Jude, the servant.\nMercy.\n\nThe Revelation.\n\nUnto the angel\n"
    assert kjv_program.stored_text(printed) == text


@pytest.mark.skipif(not shutil.which("bible"), reason="needs Debian's package bible-kjv-text")
def test_the_program_of_debian_prints_the_stored_text():
    assert kjv_program.stored_text(kjv_program.printed_verses()) == kjv.kjv_text()
