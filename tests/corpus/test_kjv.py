"""The King James Bible is whole, its parts keep apart, and its program makes it again."""

import shutil

import pytest

from benchmarks import kjv_text as program
from bertbook.corpus.kjv.chapters import (
    BOOKS,
    HELD_OUT_BOOKS,
    as_documents,
    kjv_chapters,
    kjv_parts,
    kjv_text,
)
from minibert.data import TextDocuments


def test_the_whole_book_is_there():
    chapters = kjv_chapters()
    assert len(BOOKS) == 66
    assert len(chapters) == sum(number for _, number in BOOKS) == 1189
    assert sum(len(chapter.verses) for chapter in chapters) == 31_102
    verses = {(chapter.book, chapter.number): chapter.verses for chapter in chapters}
    assert verses["John", 11][34] == "Jesus wept."
    assert len(verses["Psalms", 119]) == 176
    assert all(verse == verse.strip() != "" for chapter in chapters for verse in chapter.verses)
    assert as_documents(chapters) == kjv_text()


def test_the_parts_are_all_share_no_chapter_and_are_read_as_documents(tmp_path):
    parts = kjv_parts()
    places = [(chapter.book, chapter.number) for part in parts for chapter in part]
    assert len(places) == len({*places}) == 1189
    assert {chapter.book for chapter in parts.books} == {*HELD_OUT_BOOKS}
    assert not {chapter.book for part in parts[:3] for chapter in part} & {*HELD_OUT_BOOKS}
    (tmp_path / "tune.txt").write_text(as_documents(parts.tune), encoding="utf-8")
    found = list(TextDocuments(tmp_path / "tune.txt"))
    assert found == [chapter.verses for chapter in parts.tune]


def test_places_are_left_out_and_chapters_kept_apart():
    printed = ["Jude1:1 Jude, the servant.", "Jude1:2 Mercy. ", "Rev1:1 The Revelation.",
               "Rev2:1 Unto the angel"]  # fmt: skip
    text = "Jude, the servant.\nMercy.\n\nThe Revelation.\n\nUnto the angel\n"
    assert program.stored_text(printed) == text


@pytest.mark.skipif(not shutil.which("bible"), reason="needs Debian's package bible-kjv-text")
def test_the_program_of_debian_prints_the_stored_text():
    assert program.stored_text(program.printed_verses()) == kjv_text()
