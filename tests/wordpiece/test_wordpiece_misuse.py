"""What is no text, no id and no piece is refused in a sentence: what it is, and the way out."""

import numpy as np
import pytest
import torch

from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

pytestmark = pytest.mark.usefixtures("unchecked")

TINY = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing"])
MISUSES = {
    "no text for a batch": (lambda: TINY(None), r"text is NoneType \(None\), .* use '' for no"),
    "a number for a batch": (lambda: TINY(7), r"text is int \(7\), not a string"),
    "bytes for a batch": (lambda: TINY(b"play"), r"text is bytes .* decode it: \.decode"),
    "bytes in a batch": (lambda: TINY(["play", b"x"]), r"text 1 is bytes \(b'x'\), .* decode it"),
    "bytes for a pair": (lambda: TINY("play", b"x"), r"pair is bytes \(b'x'\), not a string"),
    "pairs in one list": (lambda: TINY([("a", "b")]), r"text 0 is tuple .* go in two lists: tok"),
    "no text to encode": (lambda: TINY.encode(None), r"text is NoneType \(None\), not a string"),
    "a list to encode": (lambda: TINY.encode(["a", "b"]), r"text is list .*; several go as a list"),
    "a list as a pair": (lambda: TINY.encode("a", ["b"]), r"pair is list \(\['b'\]\), not a stri"),
    "no text to cut": (lambda: TINY.tokenize(None), r"text is NoneType \(None\), .* for no text"),
    "bytes to cut": (lambda: TINY.tokenize(b"play"), r"text is bytes \(b'play'\), .* decode it"),
    "a length in letters": (
        lambda: TINY("play", truncation=True, max_length="8"),
        "max_length must be a whole number, not '8'",
    ),
    "half a token": (lambda: TINY("play", max_length=2.5), r"max_length must be .*, not 2\.5"),
    "rows to decode": (lambda: TINY.decode([[1, 2]]), r"id 0 is list \(\[1, 2\]\), .* one row"),
    "a matrix to decode": (
        lambda: TINY.decode(torch.ones(2, 3).long()),
        r"id 0 is Tensor .* one",
    ),
    "an array to decode": (
        lambda: TINY.decode(np.ones((2, 3), int)),
        r"id 0 is ndarray .* one",
    ),
    "a text to decode": (lambda: TINY.decode("play"), r"id 0 is str \('p'\), not a whole number"),
    "half an id": (lambda: TINY.decode([2, 5.5]), r"id 1 is float \(5\.5\), not a whole number"),
    "one id to decode": (lambda: TINY.decode(5), r"ids are int \(5\); give a list of ids"),
    "one scalar": (lambda: TINY.decode(torch.tensor(5)), r"ids are Tensor .*; give a list of ids"),
    "numbers for pieces": (lambda: WordPieceTokenizer([1, 2]), r"piece 0 is int \(1\), not a str"),
    "a piece that is none": (
        lambda: WordPieceTokenizer([*SPECIAL_TOKENS, None]),
        r"piece 5 is NoneType \(None\), not a string; give the pieces themselves",
    ),
    "nothing to learn from": (lambda: WordPieceTokenizer.train(None, 50), "texts are NoneType"),
    "no text to learn from": (
        lambda: WordPieceTokenizer.train(["play", None], 50),
        r"text 1 is NoneType \(None\), not a string; use '' for no text",
    ),
    "bytes to learn from": (lambda: WordPieceTokenizer.train([b"play"], 50), "text 0 is bytes"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_is_named(misuse):
    attempt, sentence = MISUSES[misuse]
    with pytest.raises(TypeError, match=sentence):
        attempt()


@pytest.mark.parametrize("ids", [[5, 6], (5, 6), torch.tensor([5, 6]), np.array([5, 6])])
def test_one_row_of_ids_in_any_form(ids):
    assert TINY.decode(ids) == TINY.decode(iter(ids)) == "playing"
