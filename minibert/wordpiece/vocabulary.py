"""Vocabularies: the longest match of a word, and vocab.txt, one piece a line. Chapter 6."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from minibert.disk import atomic_write
from minibert.text_files import read_text

from .learning import SPECIAL_TOKENS


def longest_match(word: str, start: Mapping[str, int], inside: Mapping[str, int]) -> list[int]:
    """Return the ids of the longest piece that fits, again and again, from left to right.

    There are none if at some position no piece fits: the choice is never taken back.

    Args:
        word: In the form in which the vocabulary has words, perhaps without capitals and accents.
        start: The pieces that may begin a word, and their ids.
        inside: The pieces that may continue one, without their ``##``, and their ids.

    Source: Devlin et al. (2019), section 3; Wu et al. (2016), section 4.1.

    >>> longest_match("playing", {"play": 5, "p": 6}, {"ing": 7, "i": 8})
    [5, 7]
    """
    ids, position, pieces = [], 0, start
    while position < len(word):
        for end in range(len(word), position, -1):
            if word[position:end] in pieces:
                break
        else:
            return []
        ids.append(pieces[word[position:end]])
        position, pieces = end, inside
    return ids


def read_pieces(path: str | Path) -> list[str]:
    """Read the lines of a vocab.txt; one that is blank or stands again gets a name no word has."""
    text = read_text(
        path, if_missing="give the path of a vocab.txt", if_garbled="is it a vocab.txt?"
    )
    lines = [line.rstrip() or line for line in text.rstrip("\n").split("\n")]
    last = {line: number for number, line in enumerate(lines)}
    idle = [n for n, line in enumerate(lines) if not line or last[line] != n]
    if idle:
        warnings.warn(
            f"{len(idle)} lines of {str(path)!r} are blank or stand again further down, the first "
            f"of them line {idle[0] + 1}; no text gets their ids",
            stacklevel=3,
        )
    for number in idle:
        lines[number] = f"[no piece {number}]"
    return lines


def write_pieces(pieces: Sequence[str], path: str | Path) -> None:
    """Write a vocab.txt; the file is the old one or the new one, never half of it."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it, as vocab.txt")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; make it first")
    with atomic_write(path) as temporary:
        text = "".join(piece + "\n" for piece in pieces)
        temporary.write_text(text, encoding="utf-8", newline="\n")


def check_pieces(pieces: Sequence[str], vocab: Mapping[str, int]) -> None:
    """Raise for what is no vocabulary."""
    for number, piece in enumerate(pieces):
        if not isinstance(piece, str):
            kind = type(piece).__name__
            raise TypeError(
                f"piece {number} is {kind} ({piece!r:.30}), not a string; give the pieces "
                "themselves, in the order of their ids"
            )
        if not piece or "\n" in piece:
            raise ValueError(f"piece {number} is {piece!r}; a piece needs a line of its own")
        if vocab[piece] != number:
            raise ValueError(f"piece {piece!r} has two ids, {number} and {vocab[piece]}; keep one")
    if missing := [token for token in SPECIAL_TOKENS if token not in vocab]:
        raise ValueError(f"the vocabulary of {len(pieces)} pieces lacks {', '.join(missing)}")
