"""Places of pieces in the text: the same as transformers', and the words of the tokenizer."""

import unicodedata

import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import ANY_TEXT, odd_texts

from minibert.text import clean_text, split_words
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.offsets import _normalized, _words, locate_pieces

TINY = WordPieceTokenizer(
    [*SPECIAL_TOKENS, "cafe", "##s", "i", "##stan", "un", "##aff", "中", "国", "ss", "e", "-", "x"]
)


def locate_words(text, do_lower_case=True):
    """The words of `split_words`, each character with its origin in the text."""
    return _words([*_normalized(text, do_lower_case, do_lower_case)])


@pytest.fixture(scope="module", params=[True, False], ids=["uncased", "cased"])
def both(request, minilm):
    """Build our tokenizer and the one of transformers from the real vocabulary."""
    path = minilm / "vocab.txt"
    ours = WordPieceTokenizer.load(path, do_lower_case=request.param)
    return ours, transformers.BertTokenizer(vocab=str(path), do_lower_case=request.param)


def marks_change_places(text):
    """Whether Unicode's canonical order differs from that of the text, marks on a letter only."""
    apart = "".join(unicodedata.normalize("NFD", letter) for letter in clean_text(text))
    return apart != unicodedata.normalize("NFD", apart)


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_places_are_those_of_transformers(both):
    ours, theirs = both
    texts = odd_texts(1500, seed=ours.do_lower_case)
    rows = theirs(texts, return_offsets_mapping=True, add_special_tokens=False)
    different = []
    for text, ids, offsets in zip(texts, rows["input_ids"], rows["offset_mapping"], strict=True):
        located = locate_pieces(ours, text)
        assert [piece.token_id for piece in located] == ids
        if [(piece.start, piece.end) for piece in located] != offsets:
            different.append(text)
    # Theirs counts letters after marks have changed places, and then points at a neighbor.
    assert all(marks_change_places(text) for text in different)
    assert len(different) < 10


@given(text=ANY_TEXT, do_lower_case=st.booleans())
def test_words_and_pieces_are_those_of_the_tokenizer(text, do_lower_case):
    located = locate_words(text, do_lower_case)
    assert [word for word, _ in located] == split_words(text, do_lower_case)
    for word, places in located:
        assert len(word) == len(places)
        assert all(0 <= place < len(text) for place in places)
    tokenizer = WordPieceTokenizer(TINY.pieces, do_lower_case)
    pieces = locate_pieces(tokenizer, text)
    assert [piece.token_id for piece in pieces] == tokenizer.encode(text)[1:-1]
    assert all(piece.start < piece.end for piece in pieces)


def test_marks_that_change_places_keep_their_own():
    text = "x\u0358\u302e"  # the second mark belongs before the first, and is the one that stays
    assert unicodedata.normalize("NFD", text) == "x\u302e\u0358"
    assert locate_words(text) == [("x\u302e", (0, 2))]
