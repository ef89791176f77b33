"""The position of each piece in the original text. Chapter 18.

The tokenizer changes a text before it cuts it: accents fall off, capitals become small, characters
vanish, spaces appear. Here every character of the changed text remembers which one it comes from.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from minibert.text import clean_text, lower_case, space_chinese, space_punctuation, strip_accents
from minibert.wordpiece import WordPieceTokenizer

from .learning import CONTINUED


class LocatedPiece(NamedTuple):
    """The id of a piece, `token_id`, and its position in the text, ``text[start:end]``.

    `start` is the place of its first character, and `end` of the first one behind it.
    """

    token_id: int
    start: int
    end: int


class LocatedWord(NamedTuple):
    """A word as BERT looks it up, and the origin of each of its characters."""

    word: str
    places: tuple[int, ...]


def locate_pieces(tokenizer: WordPieceTokenizer, text: str) -> list[LocatedPiece]:
    r"""Return the pieces of ``tokenizer.tokenize(text)``, each with its position in `text`.

    One that stands for a word which the vocabulary of `tokenizer` cannot spell, ``[UNK]``, covers
    the whole word.

    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "cafe", "##s"])
    >>> text = "two  Caf\u00e9s"
    >>> for token_id, start, end in locate_pieces(tokenizer, text):
    ...     print(tokenizer.pieces[token_id], start, end, text[start:end])
    [UNK] 0 3 two
    cafe 5 9 Café
    ##s 9 10 s
    """
    pieces, begin = [], 0
    for part, token_id in tokenizer.raw_tokens.split(text):
        if token_id is not None:  # a token in the text stands for itself
            pieces.append(LocatedPiece(token_id, begin, begin + len(part)))
        else:
            located = _normalized(part, tokenizer.do_lower_case, tokenizer.strip_accents)
            pieces += _pieces_of_part(tokenizer, [(c, begin + place) for c, place in located])
        begin += len(part)
    return pieces


def _pieces_of_part(
    tokenizer: WordPieceTokenizer, located: list[tuple[str, int]]
) -> Iterator[LocatedPiece]:
    """Yield the pieces between two tokens of the text, and those that show in it only now."""
    first = 0
    for part, token_id in tokenizer.normalized_tokens.split("".join(c for c, _ in located)):
        own, first = located[first : first + len(part)], first + len(part)
        if token_id is not None:
            places = [place for _, place in own]
            yield LocatedPiece(token_id, min(places), max(places) + 1)
        else:
            for word in _words(own):
                yield from _pieces_of_word(tokenizer, word)


def _words(located: list[tuple[str, int]]) -> list[LocatedWord]:
    """Cut characters into words, at spaces and around punctuation."""
    words: list[LocatedWord] = []
    letters, places = [], []
    spaced = ((c, place) for letter, place in located for c in space_punctuation(letter))
    for letter, place in [*spaced, (" ", 0)]:
        if letter != " ":
            letters.append(letter)
            places.append(place)
        elif letters:
            words.append(LocatedWord("".join(letters), tuple(places)))
            letters, places = [], []
    return words


def _normalized(text: str, lower: bool, strip: bool) -> Iterator[tuple[str, int]]:
    """Yield the characters of the normalized text, each with the position of its origin.

    Each goes by itself through `WordPieceTokenizer.normalize`, but for marks on one letter, which
    are put into an order of their own.
    """
    marks: list[tuple[str, int]] = []
    for place, original in enumerate(text):
        for letter in _change(original, lower, strip):
            if strip and unicodedata.combining(letter):
                marks.append((letter, place))
                continue
            yield from sorted(marks, key=_order)
            marks = []
            yield letter, place
    yield from sorted(marks, key=_order)


def _order(mark: tuple[str, int]) -> int:
    return unicodedata.combining(mark[0])  # its place in Unicode's canonical order


@lru_cache(maxsize=10_000)
def _change(character: str, lower: bool, strip: bool) -> str:
    changed = space_chinese(clean_text(character))
    changed = strip_accents(changed) if strip else changed
    return lower_case(changed) if lower else changed


def _pieces_of_word(tokenizer: WordPieceTokenizer, located: LocatedWord) -> Iterator[LocatedPiece]:
    word, places = located
    ids = tokenizer.ids_of_word(word)
    if ids == [tokenizer.unk_token_id]:
        yield LocatedPiece(tokenizer.unk_token_id, min(places), max(places) + 1)
        return
    first = 0
    for number, token_id in enumerate(ids):
        piece = tokenizer.pieces[token_id]
        last = first + len(piece.removeprefix(CONTINUED) if number else piece)
        covered = places[first:last]
        yield LocatedPiece(token_id, min(covered), max(covered) + 1)
        first = last
