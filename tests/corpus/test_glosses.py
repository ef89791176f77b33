"""The glosses of Chapters 16 and 19 are what their datasheet says."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.glosses import KINDS, OF_EACH, glosses_of, table_of
from bertbook.corpus import glosses_file, noun_glosses

WORDNET = Path("/usr/share/wordnet/data.noun")


def test_each_kind_has_as_many():
    rows = noun_glosses()
    assert Counter(row.kind for row in rows) == dict.fromkeys(KINDS.values(), OF_EACH)
    assert all(row.word and row.gloss and '"' not in row.gloss[:1] for row in rows)
    assert len({(row.gloss, row.kind) for row in rows}) == len(rows)


def test_the_license_stands_beside_the_table():
    notice = glosses_file().with_name("LICENSE").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice
    assert 'PROVIDED "AS IS"' in notice
    sheet = glosses_file().with_name("README.md").read_text(encoding="utf-8")
    assert f"{len(noun_glosses()):,} rows" in sheet


def test_a_line_of_wordnet_is_read_without_its_examples():
    line = (
        "00001740 06 n 02 dinner_bell 0 bell 0 001 @ 02824448 n 0000 | a bell rung for dinner; "
        '"the dinner bell rang"  \n'
    )
    assert glosses_of(["  1 This software\n", line]) == {
        "06": [("dinner bell", "a bell rung for dinner")]
    }


@pytest.mark.skipif(not WORDNET.is_file(), reason="Debian's package wordnet-base is not here")
def test_the_program_makes_the_table_again():
    with WORDNET.open(encoding="utf-8") as lines:
        rows = table_of(lines)
    assert rows == [tuple(row) for row in noun_glosses()]
