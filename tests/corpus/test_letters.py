"""The letters of Chapter 19 are what their datasheet says."""

from collections import Counter
from random import Random

import numpy as np

from benchmarks.letter_frames import LABELS, RULES, SEED, made_letters, read_rules, table_of
from bertbook.corpus import LETTER_LABELS, letters_file, town_letters
from berttools.classify.duplicates import find_duplicates
from berttools.classify.table import read_table

LETTERS = town_letters()
SHEET = letters_file().with_name("README.md").read_text(encoding="utf-8")
WRITTEN = RULES.read_text(encoding="utf-8")
MADE = made_letters(WRITTEN, Random(SEED))


def test_the_rules_make_the_table_again():
    assert table_of(MADE) == letters_file().read_text(encoding="utf-8")


def test_the_counts_of_the_datasheet():
    assert len(LETTERS) == 1500 and LABELS == LETTER_LABELS
    counts = Counter(letter.label for letter in LETTERS)
    assert all(f"*{label}* ({counts[label]}" in SHEET for label in LETTER_LABELS)
    assert f"{len({letter.writer for letter in LETTERS})} writers" in SHEET
    assert f"{len(read_rules(WRITTEN)[1])} complaints with gaps" in SHEET


def test_readers_agree_as_often_as_their_shares_say():
    shares = np.array([letter.readers for letter in MADE])
    assert np.allclose(shares.sum(axis=1), 1)
    agree = np.array([letter.label == letter.second for letter in LETTERS])
    expected, error = (shares**2).sum(axis=1), agree.std() / 1500**0.5
    assert abs(agree.mean() - expected.mean()) < 3 * error
    assert f"agree in {agree.mean():.3f} of the letters" in SHEET
    assert f"agrees with one of them in {shares.max(axis=1).mean():.3f}" in SHEET


def test_copies_and_contradictions():
    table = read_table(letters_file(), "text", "label", group="writer", time="date")
    found = find_duplicates(table)
    assert f"{len(found.exact) + len(found.near)} rows repeat" in SHEET
    assert len(found.exact) > 30 and len(found.near) > 10 and len(found.contradictions) == 7
    origins = Counter(letter.origin for letter in MADE)
    assert origins == {"new": 1406, "petition": 24, "again": 30, "retold": 40}
    assert len({letter.text for letter in MADE if letter.origin == "new"}) == origins["new"]
