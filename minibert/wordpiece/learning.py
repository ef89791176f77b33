"""Learn pieces from counted words: start with characters, glue the pair that gains most, repeat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Num

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUED = "##"
LONGEST_WORD = 100
# Gains that differ by less, relatively, are a tie: logarithms differ so much between machines.
TIE = 1e-9


class Merge(NamedTuple):
    """Hold one step of learning: two neighbors become one piece.

    Parameters
    ----------
    left, right : str
        The pieces that are glued.
    piece : str
        The new piece.
    count : int
        How often the two stood side by side.
    gain : float
        Nats saved in the whole corpus, above 0.

    References
    ----------
    Chapter 6.
    """

    left: str
    right: str
    piece: str
    count: int
    gain: float


def spell(word: str) -> list[str]:
    """Write a word as single characters, those inside the word with ``##`` in front.

    Parameters
    ----------
    word : str
        At least one character.

    Returns
    -------
    list of str
        One piece for each character.

    References
    ----------
    Chapter 6.

    Examples
    --------
    >>> spell("cat")
    ['c', '##a', '##t']
    """
    return [word[0], *(CONTINUED + character for character in word[1:])]


def merge_gain(
    count: Num[np.ndarray, "..."] | float,
    left_count: Num[np.ndarray, "..."] | float,
    right_count: Num[np.ndarray, "..."] | float,
    total: float,
) -> Float[np.ndarray, "..."] | float:
    """Compute how many nats a corpus saves when a pair of pieces becomes one piece.

    ``gain = n(ab) ln( n(ab) N / (n(a) n(b)) )``: at each of the n(ab) places, two surprises
    ``-ln(n(a)/N) - ln(n(b)/N)`` are replaced by one, ``-ln(n(ab)/N)``.

    Parameters
    ----------
    count : number or array, shape (...), at least 1
        How often the two pieces stand side by side.
    left_count, right_count : number or array, shape (...)
        How often each of them occurs anywhere.
    total : float
        How many pieces the corpus has now.

    Returns
    -------
    float or array, shape (...)
        Nats; 0 if the two meet as often as chance has it, negative if they avoid each other.

    References
    ----------
    Schuster and Nakajima (2012). Chapter 6.

    Examples
    --------
    >>> round(float(merge_gain(2, 2, 4, 8)), 4)
    1.3863
    """
    return count * np.log(count * total / (left_count * right_count))


def learn_merges(word_counts: Mapping[str, int], min_frequency: int = 2) -> Iterator[Merge]:
    """Glue, again and again, the pair of neighbors with the largest gain.

    Parameters
    ----------
    word_counts : mapping from str to int
        How often each word occurs.
    min_frequency : int, default 2
        Pairs that occur less often are left alone.

    Yields
    ------
    Merge
        In the order learned, until no pair gains. Ties go to the first in alphabetical order.

    References
    ----------
    Chapter 6.

    Examples
    --------
    >>> [merge.piece for merge in learn_merges({"cat": 3, "cot": 1})]
    ['##at', 'cat']
    """
    corpus = _Spellings(word_counts)
    while (merge := corpus.best_merge(min_frequency)) is not None:
        corpus.apply(merge)
        yield merge


def learn_vocabulary(
    word_counts: Mapping[str, int], vocab_size: int, min_frequency: int = 2
) -> list[str]:
    """List the special tokens, the alphabet, and as many learned pieces as there is room for.

    Parameters
    ----------
    word_counts : mapping from str to int
        How often each word occurs.
    vocab_size : int
        The most entries wanted.
    min_frequency : int, default 2
        Pairs that occur less often are not glued.

    Returns
    -------
    list of str
        Different pieces; fewer than `vocab_size` if no further pair gains.

    Raises
    ------
    ValueError
        When there is no word, or not even the alphabet has room.

    References
    ----------
    Chapter 6.

    Examples
    --------
    >>> learn_vocabulary({"cat": 3, "cot": 1}, 20)[5:]
    ['a', 'c', 'o', 't', '##a', '##c', '##o', '##t', '##at', 'cat']
    """
    alphabet = _alphabet(word_counts)
    pieces = dict.fromkeys([*SPECIAL_TOKENS, *alphabet])
    if not alphabet:
        raise ValueError("the texts hold no word; give at least one with a letter in it")
    if vocab_size < len(pieces):
        raise ValueError(
            f"vocab_size ({vocab_size}) is too small: {len(SPECIAL_TOKENS)} special tokens and "
            f"{len(alphabet)} single characters need at least {len(pieces)}"
        )
    for merge in learn_merges(word_counts, min_frequency):
        if len(pieces) == vocab_size:
            break
        pieces[merge.piece] = None
    return list(pieces)


def _alphabet(word_counts: Mapping[str, int]) -> list[str]:
    """List every character; with ## as well if it can stand inside a word."""
    inside = sorted({c for word in word_counts if len(word) > 1 for c in word})
    return [*sorted({c for word in word_counts for c in word}), *(CONTINUED + c for c in inside)]


class _Spellings:
    """Know how every word of a corpus is spelled now, and count pieces and pairs.

    Pieces have numbers here. A pair of them has a row in three arrays: left, right, count.
    """

    def __init__(self, word_counts: Mapping[str, int]):
        words = sorted(word for word in word_counts if len(word) <= LONGEST_WORD)
        self.weights = [word_counts[word] for word in words]
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}
        self.words = [[self._number(piece) for piece in spell(word)] for word in words]
        self.piece_counts = np.zeros(1024)
        self.rows: dict[tuple[int, int], int] = {}
        self.left, self.right, self.counts = np.zeros((3, 1024), dtype=np.int64)
        self.places: dict[tuple[int, int], set[int]] = defaultdict(set)
        changes: dict[tuple[int, int], int] = defaultdict(int)
        for place, (word, weight) in enumerate(zip(self.words, self.weights, strict=True)):
            for piece in word:
                self._count_piece(piece, weight)
            for pair in pairwise(word):
                changes[pair] += weight
                self.places[pair].add(place)
        self._change_counts(changes)
        self.total = self.piece_counts.sum()
        self.floor = int(self.total) // 1000

    def best_merge(self, min_frequency: int) -> Merge | None:
        """Find the pair that gains most, or None if no pair gains.

        A pair that occurs n times gains at most n ln(N/n). So pairs below a floor need no look
        while the best gain is above that bound; when it no longer is, the floor sinks.
        """
        while True:
            floor = max(self.floor, min_frequency, 1)
            rows = np.flatnonzero(self.counts >= floor)
            best = self._best_of(rows) if len(rows) else None
            if floor == max(min_frequency, 1):
                return best
            if best is not None and best.gain >= floor * np.log(self.total / floor):
                return best
            self.floor = floor * 9 // 10

    def _best_of(self, rows: np.ndarray) -> Merge | None:
        """Choose among some rows; a tie goes to the first in alphabetical order."""
        counts, left, right = self.counts[rows], self.left[rows], self.right[rows]
        gains = merge_gain(counts, self.piece_counts[left], self.piece_counts[right], self.total)
        best = gains.max()
        if best <= 0:
            return None
        ties = np.flatnonzero(gains >= best * (1 - TIE))
        names = [(self.names[left[i]], self.names[right[i]], i) for i in ties]
        first, second, i = min(names)
        piece = first + second.removeprefix(CONTINUED)
        return Merge(first, second, piece, int(counts[i]), float(gains[i]))

    def apply(self, merge: Merge) -> None:
        """Spell every word with the new piece."""
        left, right = self.numbers[merge.left], self.numbers[merge.right]
        piece = self._number(merge.piece)
        changes: dict[tuple[int, int], int] = defaultdict(int)
        glued = 0
        for place in self.places.pop((left, right)):
            glued += self._respell(place, left, right, piece, changes)
        self._change_counts(changes)
        self._count_piece(left, -glued)
        self._count_piece(right, -glued)
        self._count_piece(piece, glued)
        self.total -= glued

    def _respell(self, place: int, left: int, right: int, piece: int, changes: dict) -> int:
        """Replace the pair in one word, from left to right; note which pairs come and go."""
        word, weight = self.words[place], self.weights[place]
        glued = i = 0
        while i + 1 < len(word):
            if word[i] == left and word[i + 1] == right:
                if i:
                    changes[word[i - 1], left] -= weight
                    self._meet((word[i - 1], piece), place, weight, changes)
                if i + 2 < len(word):
                    changes[right, word[i + 2]] -= weight
                    self._meet((piece, word[i + 2]), place, weight, changes)
                changes[left, right] -= weight
                word[i : i + 2] = [piece]
                glued += weight
            i += 1
        return glued

    def _meet(self, pair: tuple[int, int], place: int, weight: int, changes: dict) -> None:
        changes[pair] += weight
        self.places[pair].add(place)

    def _number(self, piece: str) -> int:
        number = self.numbers.setdefault(piece, len(self.names))
        if number == len(self.names):
            self.names.append(piece)
        return number

    def _count_piece(self, piece: int, change: int) -> None:
        self.piece_counts = _with_room(self.piece_counts, piece)
        self.piece_counts[piece] += change

    def _change_counts(self, changes: Mapping[tuple[int, int], int]) -> None:
        for pair, change in changes.items():
            row = self.rows.setdefault(pair, len(self.rows))
            if row == len(self.counts):
                self.left, self.right, self.counts = (
                    _with_room(array, row) for array in (self.left, self.right, self.counts)
                )
            self.left[row], self.right[row] = pair
            self.counts[row] += change


def _with_room(array: np.ndarray, index: int) -> np.ndarray:
    """Return the array, twice as long with zeros if the index lies beyond its end."""
    return array if index < len(array) else np.concatenate([array, np.zeros_like(array)])
