"""Agreement over a distance: *thou* or *ye*, when what tells stands out of sight. Chapter 14."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from minibert.wordpiece import WordPieceTokenizer

# To one and to several; and all words that tell which of both is spoken to.
FORMS = (("thou", "ye"), ("thee", "you"), ("thy", "your"))
CLUES = frozenset(
    "thou thee thy thine thyself ye you your yours yourselves shalt hast art wilt".split()
)
NEAR = 3  # so far do the counts see


class FormQuestion(NamedTuple):
    """A verse with one pronoun hidden, the true one, its counterpart, and what stands near."""

    input_ids: list[int]
    place: int
    truth: int
    other: int
    is_one: bool
    is_far: bool
    window: Int[np.ndarray, " 7"]


def form_questions(verses: Iterable[str], tokenizer: WordPieceTokenizer) -> list[FormQuestion]:
    """Hide each pronoun to which the verse has a clue; it is far if none is within three pieces."""
    return [question for verse in verses for question in _of_verse(verse, tokenizer)]


def _of_verse(verse: str, tokenizer: WordPieceTokenizer) -> Iterator[FormQuestion]:
    vocab, edge = tokenizer.vocab, tokenizer.sep_token_id
    other = {vocab[a]: vocab[b] for pair in FORMS for a, b in (pair, pair[::-1])}
    ones = {vocab[one] for one, _ in FORMS}
    clues = {vocab[word] for word in CLUES if word in vocab}
    ids = tokenizer.encode(verse)
    line = np.array([edge] * NEAR + [edge, *ids[1:-1], edge] + [edge] * NEAR)
    for place, piece in enumerate(ids):
        if piece not in other or not clues & {*ids[:place], *ids[place + 1 :]}:
            continue
        window = line[place : place + 2 * NEAR + 1].copy()
        window[NEAR] = tokenizer.mask_token_id
        hidden = [*ids[:place], tokenizer.mask_token_id, *ids[place + 1 :]]
        is_far = not clues & {*window.tolist()}
        yield FormQuestion(hidden, place, piece, other[piece], piece in ones, is_far, window)
