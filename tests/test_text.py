"""Cleaning and splitting text, compared with the steps of the Rust tokenizer."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import ANY_TEXT
from tokenizers import normalizers, pre_tokenizers

from minibert.text import (
    _OF_UNICODE_8,
    CHINESE,
    clean_text,
    lower_case,
    space_chinese,
    space_punctuation,
    split_words,
    strip_accents,
)

# The first scripts whole, every seventh character of the others, and all edges.
CODES = {
    *range(0x600),
    *range(0x600, 0x1FFFF, 7),
    *range(0xE0000, 0xE0200),
    0x10FFFF,
    *_OF_UNICODE_8,
}
CODES |= {code for first, last in CHINESE for code in (first - 1, first, last, last + 1)}
CHARACTERS = [chr(code) for code in sorted(CODES) if not 0xD800 <= code < 0xE000]
OFF = dict.fromkeys(("clean_text", "handle_chinese_chars", "lowercase", "strip_accents"), False)


@pytest.mark.usefixtures("unchecked")  # they would take most of the time
@pytest.mark.parametrize(
    ("ours", "step", "is_asked"),
    [
        (clean_text, "clean_text", lambda c: True),
        (space_chinese, "handle_chinese_chars", lambda c: True),
        # What this Python takes apart and the witness does not know yet is no accent.
        (strip_accents, "strip_accents",
         lambda c: unicodedata.normalize("NFD", c) == c or ord(c) < 0x10000),
        # Letters that this Python does not know have no small form here.
        (lower_case, "lowercase", lambda c: unicodedata.category(c) != "Cn"),
    ],
)  # fmt: skip
def test_each_step_is_that_of_the_witness_for_every_character(ours, step, is_asked):
    theirs = normalizers.BertNormalizer(**OFF | {step: True}).normalize_str
    asked = filter(is_asked, CHARACTERS)
    assert [f"{ord(c):04X}" for c in asked if ours(f"a{c}b") != theirs(f"a{c}b")] == []


@pytest.mark.usefixtures("unchecked")  # they would take most of the time
def test_punctuation_is_that_of_the_witness():
    split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    kept = [c for c in CHARACTERS if clean_text(c) == c and not c.isspace()]
    ours = {c: space_punctuation(f"a{c}b").split() for c in kept}
    theirs = {c: [word for word, _ in split(f"a{c}b")] for c in kept}
    assert [c for c in kept if ours[c] != theirs[c]] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" \t\n\u3000\u00a0", []), ("don't", ["don", "'", "t"]), ("\ud800", []),
        ("a\u200bb\u00adc\x00d\ufffde", ["abcde"]), ("a\u2028b\u2009c\rd", [*"abcd"]),
        ("我喜欢BERT", ["我", "喜", "欢", "bert"]), ("İstanbul ΟΔΟΣ", ["istanbul", "οδοσ"]),
        ("caf\u00e9 cafe\u0301 NAÏVE", ["cafe", "cafe", "naive"]), ("Straße", ["straße"]),
        ("«$5»", ["«", "$", "5", "»"]), ("👩\u200d👧", ["👩👧"]),
    ],
)  # fmt: skip
def test_words(text, words):
    assert split_words(text) == words
    assert split_words("Café CAFE\u0301", do_lower_case=False) == ["Café", "CAFE\u0301"]


@given(ANY_TEXT, ANY_TEXT, st.booleans())
def test_a_space_may_stand_for_a_cut(left, right, lower):
    words = split_words(f"{left} {right}", lower)
    assert words == split_words(left, lower) + split_words(right, lower)


@given(ANY_TEXT, st.booleans())
def test_words_hold_no_space_and_splitting_them_again_changes_nothing(text, lower):
    words = split_words(text, lower)
    assert all(word and not any(c.isspace() for c in word) for word in words)
    assert split_words(" ".join(words), lower) == words


@given(st.text(st.characters(max_codepoint=126, min_codepoint=32)))
def test_the_short_way_for_ascii_is_the_long_way(text):
    assert clean_text(text) == space_chinese(text) == strip_accents(text) == text
