"""The tokenizer: the same ids as transformers, and every promise of its docstrings."""

import random
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import ANY_TEXT, odd_texts, odd_vocabulary

from minibert.text import clean_text
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.offsets import locate_pieces

TINY = [*SPECIAL_TOKENS, "un", "##aff", "##able", "play", "##ing", "##s", "a", "##b", "中", "."]
NAMES = ("pad", "unk", "cls", "sep", "mask")
tiny = WordPieceTokenizer(TINY)


@pytest.fixture(scope="module", params=["English", "Chinese style"])
def vocab_path(request, tmp_path_factory) -> Path:
    if request.param == "English":
        return request.getfixturevalue("minilm") / "vocab.txt"
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    WordPieceTokenizer(odd_vocabulary()).save(path)
    return path


@pytest.fixture(scope="module", params=[True, False], ids=["uncased", "cased"])
def both(request, vocab_path):
    """Build our tokenizer and the one of transformers from the same file."""
    ours = WordPieceTokenizer.load(vocab_path, do_lower_case=request.param)
    return ours, transformers.BertTokenizer(vocab=str(vocab_path), do_lower_case=request.param)


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_ids_are_those_of_transformers(both):
    ours, theirs = both
    texts = odd_texts(1500, seed=ours.vocab_size + ours.do_lower_case)
    expected = [row.ids for row in theirs._tokenizer.encode_batch(texts)]
    assert [ours.encode(text) for text in texts] == expected


@examples(300)
@given(text=ANY_TEXT)
def test_ids_of_any_text_are_those_of_transformers(both, text):
    ours, theirs = both
    assert ours.encode(text) == theirs(text)["input_ids"]
    assert ours.tokenize(text) == theirs.tokenize(text)


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_batches_pairs_and_truncation_are_those_of_transformers(both):
    ours, theirs = both
    rng = random.Random(3)

    def text():
        return " ".join(rng.choices(["play", "un", "the", "中"], k=rng.randint(0, 12)))

    # One text with the pair '' loses it there; in a batch, as here, it does not.
    texts = ["one", "", "Playing chess, 中国!", "[MASK] is a word."]
    cases = [(texts, None, {}), (texts, ["", "two words", "unaffable", "x"], {})]
    for _ in range(300):
        options = {"truncation": True, "max_length": rng.randint(3, 30)}
        cases.append(([text()], rng.choice([[text()], None]), options))
    for first, second, options in cases:
        expected = theirs(first, second, return_tensors="pt", padding=True, **options)
        batch = ours(first, second, **options)
        assert list(batch) == list(expected)
        for name, tensor in batch.items():
            assert tensor.dtype == torch.int64
            assert torch.equal(tensor, expected[name]), (first, second, options)


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_decoding_is_that_of_transformers(both):
    ours, theirs = both
    rng = random.Random(5)
    for number in range(600):
        ids = rng.choices(range(ours.vocab_size), k=rng.randint(0, 12))
        ids += ours.encode("It's play, isn't it? Yes.") if rng.random() < 0.3 else []
        options = {"skip_special_tokens": number % 2 == 0}
        assert ours.decode(ids, **options) == theirs.decode(ids, **options)


@pytest.mark.usefixtures("unchecked")
def test_ids_of_special_tokens_in_any_order_and_in_any_form():
    shuffled = WordPieceTokenizer([*reversed(TINY)])
    for tokenizer in (tiny, shuffled):
        ids = [getattr(tokenizer, f"{name}_token_id") for name in NAMES]
        assert [tokenizer.pieces[number] for number in ids] == list(SPECIAL_TOKENS)
    assert tiny.vocab_size == len(TINY)
    assert shuffled("a")["input_ids"].tolist() == [[12, 3, 11]]
    assert tiny("a", "")["input_ids"].tolist() == [[2, 11, 3, 3]]  # an empty pair is a pair
    for ids in ((8, 9), torch.tensor([8, 9]), np.array([8, 9]), iter([8, 9])):
        assert tiny.decode(ids) == "playing"


@given(st.sets(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"),
                       min_size=1)))  # fmt: skip
def test_saving_and_loading_changes_nothing(tmp_path_factory, extra):
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    extra = {piece.rstrip() or piece for piece in extra}  # no word ends in white space
    pieces = list(dict.fromkeys([*TINY, *sorted(extra)]))
    WordPieceTokenizer(pieces).save(path)
    assert list(WordPieceTokenizer.load(path).pieces) == pieces
    assert path.read_bytes().decode() == "\n".join(pieces) + "\n"
    path.write_bytes("\r\n".join(TINY).encode())  # from Windows
    assert list(WordPieceTokenizer.load(str(path)).pieces) == TINY


IDLE = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat \n\nthe\n##s\t\r\n\n\nat\n\n\n"


def test_blank_doubled_and_padded_lines_are_read_as_transformers_does(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_bytes(IDLE.encode())
    with pytest.warns(UserWarning, match=r"^4 lines of '.*' are blank or .* of them line 6;"):
        ours = WordPieceTokenizer.load(path)
    theirs = transformers.BertTokenizer.from_pretrained(str(tmp_path), do_lower_case=True)
    text = "the cats at the [no piece 5] cat"
    assert ours.encode(text) == theirs(text)["input_ids"]
    assert [ours.vocab[word] for word in ("the", "cat", "at")] == [8, 6, 12]
    assert ours.vocab_size == 13
    ours.save(path)
    assert WordPieceTokenizer.load(path).pieces == ours.pieces


REFUSED = [
    (lambda: tiny([]), ValueError, "no text; give at least one"),
    (lambda: tiny(["a", "b"], ["a"]), ValueError, "2 texts and 1 pairs do not fit"),
    (lambda: tiny("a", None, "max_length"), ValueError, "padding is 'max_length'; it can be True"),
    (lambda: tiny("a", truncation=True), ValueError, "truncation needs a max_length"),
    (lambda: tiny(["a", "a a a"], max_length=4), ValueError, r"row 1 has 5 .* max_length \(4\)"),
    (lambda: tiny(["a", "a a"], padding=False), ValueError, "the rows have 3 to 4 tokens; without"),
    (lambda: tiny.decode([0, 15]), ValueError, "id 15 is outside .* from 0 to 14"),
    (lambda: WordPieceTokenizer(TINY[1:]), ValueError, r"the vocabulary of 14 pieces lacks \[PAD"),
    (lambda: WordPieceTokenizer([*TINY, "a"]), ValueError, "piece 'a' has two ids, 11 and 15"),
    (lambda: WordPieceTokenizer([*TINY, None]), TypeError, r"piece 15 is NoneType \(None\), not a"),
    (lambda: tiny(None), TypeError, r"text is NoneType \(None\), .* use '' for no"),
    (lambda: tiny([("a", "b")]), TypeError, r"text 0 is tuple .* go in two lists: tok"),
    (lambda: tiny.encode(["a", "b"]), TypeError, r"text is list .*; several go as a list"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("attempt", "error", "words"), REFUSED)
def test_misuse_is_named(attempt, error, words):
    with pytest.raises(error, match=words):
        attempt()


def test_files_that_cannot_be_read_or_written(tmp_path):
    (tmp_path / "latin.txt").write_bytes(b"[PAD]\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"line 2 of '.*latin.txt' is not UTF-8 .* vocab.txt\?"):
        WordPieceTokenizer.load(tmp_path / "latin.txt")
    for path in (tmp_path, tmp_path / "missing" / "vocab.txt"):
        with pytest.raises(OSError, match=r"is a folder; name a file in it|there is no folder"):
            tiny.save(path)


# Places of pieces in the text

PLACED = [*SPECIAL_TOKENS, "cafe", "##s", "i", "##stan", "un", "##aff", "ss", *"中国ex-"]


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
def test_places_of_any_text_are_in_it_and_their_pieces_those_of_the_tokenizer(text, do_lower_case):
    tokenizer = WordPieceTokenizer(PLACED, do_lower_case)
    pieces = locate_pieces(tokenizer, text)
    assert [piece.token_id for piece in pieces] == tokenizer.encode(text)[1:-1]
    assert all(0 <= piece.start < piece.end <= len(text) for piece in pieces)


def test_marks_that_change_places_keep_their_own():
    text = "x\u0358\u302e"  # the second mark belongs before the first, and is the one that stays
    assert unicodedata.normalize("NFD", text) == "x\u302e\u0358"
    (piece,) = locate_pieces(WordPieceTokenizer([*SPECIAL_TOKENS, "x\u302e"]), text)
    assert (piece.token_id, piece.start, piece.end) == (5, 0, 3)
