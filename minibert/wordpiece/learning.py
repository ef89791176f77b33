"""Learn pieces from counted words: from letters on, merge the pair that gains most. Chapter 6."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Num

from minibert.parts import part

#: The first five tokens of every vocabulary that is learned here.
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUED = "##"
LONGEST_WORD = 100
# Gains that differ by less, relatively, are a tie: logarithms differ so much between machines.
TIE = 1e-9


class Merge(NamedTuple):
    """One step of learning: two neighbors become one piece.

    Args:
        left, right: The two pieces that become one; those inside a word begin with ``##``.
        piece: What they become.
        count: How often they stand side by side in the corpus.
        gain: Their score when they were chosen, as `merge_gain` computes it.
    """

    left: str
    right: str
    piece: str
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]: nobody asks a tuple's count
    gain: float


def spell(word: str) -> list[str]:
    """Return the characters of `word` as pieces, those inside the word with ``##`` in front.

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
    """Return how many nats a corpus saves when a pair of pieces becomes one piece.

    ``gain = n(ab) ln( n(ab) N / (n(a) n(b)) )``: at each of the n(ab) places, two surprises
    ``-ln(n(a)/N) - ln(n(b)/N)`` are replaced by one, ``-ln(n(ab)/N)``. It is 0 if the two meet as
    often as chance has it, negative if they avoid each other. `count`, at least 1, is n(ab),
    `left_count` and `right_count` are n(a) and n(b), and `total` is N, how many pieces the corpus
    has now.

    Source: Schuster and Nakajima (2012).

    >>> round(float(merge_gain(2, 2, 4, 8)), 4)
    1.3863
    """
    return count * np.log(count * total / (left_count * right_count))


def learn_merges(word_counts: Mapping[str, int], min_frequency: int = 2) -> Iterator[Merge]:
    """Yield the merge of the two neighbors that gain most, again and again, until no pair gains.

    Ties go to the first in alphabetical order. `word_counts` is how often each word occurs; pairs
    that occur less often than `min_frequency` are left alone.

    >>> [merge.piece for merge in learn_merges({"cat": 3, "cot": 1})]
    ['##at', 'cat']
    """
    spellings = {word: spell(word) for word in word_counts if len(word) <= LONGEST_WORD}
    while (merge := _best_merge(spellings, word_counts, min_frequency)) is not None:
        yield merge
        spellings = {word: _merge_pair(pieces, merge) for word, pieces in spellings.items()}


def _best_merge(
    spellings: Mapping[str, list[str]], word_counts: Mapping[str, int], min_frequency: int
) -> Merge | None:
    """Find the pair of neighbors with the largest gain, or None if no pair gains."""
    pieces, pairs = _count_pieces_and_pairs(spellings, word_counts)
    total = pieces.total()
    gains = {
        (left, right): float(merge_gain(count, pieces[left], pieces[right], total))
        for (left, right), count in pairs.items()
        if count >= min_frequency
    }
    best = max(gains.values(), default=0.0)
    if best <= 0:
        return None
    left, right = min(pair for pair, gain in gains.items() if gain >= best * (1 - TIE))
    piece = left + right.removeprefix(CONTINUED)
    return Merge(left, right, piece, pairs[left, right], gains[left, right])


def _count_pieces_and_pairs(
    spellings: Mapping[str, list[str]], word_counts: Mapping[str, int]
) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """Count every piece and every two neighbors, each as often as its word occurs."""
    pieces, pairs = Counter(), Counter()
    for word, spelled in spellings.items():
        count = word_counts[word]
        for piece in spelled:
            pieces[piece] += count
        for pair in pairwise(spelled):
            pairs[pair] += count
    return pieces, pairs


def _merge_pair(spelled: list[str], merge: Merge) -> list[str]:
    """Replace the pair by the new piece, from left to right."""
    merged: list[str] = []
    for piece in spelled:
        if merged and (merged[-1], piece) == (merge.left, merge.right):
            merged[-1] = merge.piece
        else:
            merged.append(piece)
    return merged


def learn_vocabulary(
    word_counts: Mapping[str, int], vocab_size: int, min_frequency: int = 2
) -> list[str]:
    """Return the special tokens, the alphabet, and the pieces that `learn_merges` finds.

    There are `vocab_size` at most, fewer if no further pair gains; `word_counts` and
    `min_frequency` are as `learn_merges` takes them.

    >>> learn_vocabulary({"cat": 3, "cot": 1}, 20)[5:]
    ['a', 'c', 'o', 't', '##a', '##c', '##o', '##t', '##at', 'cat']
    """
    alphabet = sorted({c for word in word_counts for c in word})
    inside = sorted({c for word in word_counts if len(word) > 1 for c in word})
    alphabet += [CONTINUED + c for c in inside]
    pieces = dict.fromkeys([*SPECIAL_TOKENS, *alphabet])
    if not alphabet:
        raise ValueError("the texts hold no word; give at least one with a letter in it")
    if vocab_size < len(pieces):
        raise ValueError(
            f"vocab_size ({vocab_size}) is too small: {len(SPECIAL_TOKENS)} special tokens and "
            f"{len(alphabet)} single characters need at least {len(pieces)}"
        )
    for merge in part(learn_merges)(word_counts, min_frequency):
        if len(pieces) == vocab_size:
            break
        pieces[merge.piece] = None
    return list(pieces)
