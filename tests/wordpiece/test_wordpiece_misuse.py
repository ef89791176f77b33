"""What is no text, no id and no piece is refused in a sentence: what it is, and the way out."""

import numpy as np
import pytest
import torch

from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

pytestmark = pytest.mark.usefixtures("unchecked")

TINY = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing"])
MISUSES = {
    "no text for a batch": (lambda: TINY(None), r"text is NoneType \(None\), .* use '' for no"),
    "pairs in one list": (lambda: TINY([("a", "b")]), r"text 0 is tuple .* go in two lists: tok"),
    "a list to encode": (lambda: TINY.encode(["a", "b"]), r"text is list .*; several go as a list"),
    "a length in letters": (
        lambda: TINY("play", truncation=True, max_length="8"),
        "max_length must be a whole number, not '8'",
    ),
    "rows to decode": (lambda: TINY.decode([[1, 2]]), r"id 0 is list \(\[1, 2\]\), .* one row"),
    "a matrix to decode": (lambda: TINY.decode(torch.ones(2, 3).long()), r"id 0 is Tensor .* one"),
    "one id to decode": (lambda: TINY.decode(5), r"ids are int \(5\); give a list of ids"),
    "a piece that is none": (
        lambda: WordPieceTokenizer([*SPECIAL_TOKENS, None]),
        r"piece 5 is NoneType \(None\), not a string; give the pieces themselves",
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
    assert TINY.decode([2, *ids, 3], skip_special_tokens=True) == "playing"
