"""Where in the original text each piece stands.

The tokenizer changes a text before it cuts it: accents fall off, capitals become small, characters
vanish, spaces appear. Here every character of the changed text remembers which one it comes from.
Chapter 18.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from minibert.text import clean_text, lower_case, space_chinese, space_punctuation, strip_accents
from minibert.wordpiece import WordPieceTokenizer

from .learning import CONTINUED
from .tokenizer import SPECIAL


class LocatedPiece(NamedTuple):
    """The id of a piece and where it stands in the text."""

    token_id: int
    start: int
    end: int


class LocatedWord(NamedTuple):
    """A word as BERT looks it up, and the origin of each of its characters."""

    word: str
    places: tuple[int, ...]


def locate_pieces(tokenizer: WordPieceTokenizer, text: str) -> list[LocatedPiece]:
    r"""Cut a text into pieces, each with its place in the text.

    Parameters
    ----------
    tokenizer : WordPieceTokenizer
        Knows the pieces.
    text : str
        Any text.

    Returns
    -------
    list of LocatedPiece
        The pieces of ``tokenizer.tokenize(text)``, in the same order. One that stands for a word
        the vocabulary cannot spell, ``[UNK]``, covers the whole word.

    Examples
    --------
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
    for number, part in enumerate(SPECIAL.split(text)):
        if number % 2:  # a special token in the text stands for itself
            pieces.append(LocatedPiece(tokenizer.vocab[part], begin, begin + len(part)))
        else:
            for word in locate_words(part, tokenizer.do_lower_case):
                pieces += _pieces_of_word(tokenizer, word, begin)
        begin += len(part)
    return pieces


def locate_words(text: str, do_lower_case: bool = True) -> list[LocatedWord]:
    r"""Cut a text into words, each character with its origin in the text.

    Each character goes by itself through all steps of `split_words`. Only one of them looks at more
    than one character: marks on the same letter have an order of their own, and are put into it.
    """
    words: list[LocatedWord] = []
    letters, places = [], []
    for letter, place in [*_changed(text, do_lower_case), (" ", len(text))]:
        if letter != " ":
            letters.append(letter)
            places.append(place)
        elif letters:
            words.append(LocatedWord("".join(letters), tuple(places)))
            letters, places = [], []
    return words


def _changed(text: str, do_lower_case: bool) -> Iterator[tuple[str, int]]:
    """Yield the characters of the changed text, each with the place of its origin."""
    marks: list[tuple[str, int]] = []
    for place, original in enumerate(text):
        for letter in _change(original, do_lower_case):
            if do_lower_case and unicodedata.combining(letter):
                marks.append((letter, place))
                continue
            if marks:
                yield from _in_order(marks)
                marks = []
            yield letter, place
    yield from _in_order(marks)


def _in_order(marks: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Put marks on one letter into Unicode's canonical order."""
    return sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))


@lru_cache(maxsize=10_000)
def _change(character: str, do_lower_case: bool) -> str:
    """Apply to one character all steps of `split_words` before the cut."""
    changed = space_chinese(clean_text(character))
    if do_lower_case:
        changed = lower_case(strip_accents(changed))
    return space_punctuation(changed)


def _pieces_of_word(
    tokenizer: WordPieceTokenizer, located: LocatedWord, begin: int
) -> Iterator[LocatedPiece]:
    """Yield the pieces of a word with their places in the text."""
    word, places = located
    pieces = tokenizer.tokenize(word)
    if pieces == ["[UNK]"]:
        yield LocatedPiece(tokenizer.unk_token_id, begin + min(places), begin + max(places) + 1)
        return
    first = 0
    for number, piece in enumerate(pieces):
        last = first + len(piece.removeprefix(CONTINUED) if number else piece)
        covered = places[first:last]
        yield LocatedPiece(tokenizer.vocab[piece], begin + min(covered), begin + max(covered) + 1)
        first = last
