"""The counting rival: how likely each piece is between its neighbors, by counts of pairs alone.

Chapter 14.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from minibert.disk import atomic_write

NAMED = ("left", "right", "count")


class BigramChain:
    """A chain of pieces, each drawn by the piece before it, asked for the hidden ones.

    The chance of a piece after another is that of interpolated Kneser–Ney: its count, less a
    discount, and what the discounts leave is shared out by how many different pieces each piece
    follows. Where pieces are hidden, the chances of all ways to fill them are summed, forward and
    backward, so that the answer knows both sides, and is the right one if texts were such chains.

    Source: Kneser & Ney 1995, interpolated as in Chen & Goodman 1999, section 2.7; the discount is
    theirs, n1 / (n1 + 2 n2). Sums over ways: Rabiner 1989, section III.A.
    """

    def __init__(
        self,
        left: Int[np.ndarray, " pairs"],
        right: Int[np.ndarray, " pairs"],
        count: Int[np.ndarray, " pairs"],
        vocab_size: int,
    ):
        self.left, self.right, self.count, self.vocab_size = left, right, count, vocab_size
        once, twice = (count == 1).sum(), (count == 2).sum()
        discount = once / (once + 2 * twice)
        total = np.bincount(left, count, vocab_size)  # (vocab)
        self.kept = (count - discount) / total[left]  # (pairs): shares of counts, less discounts
        self.rest = 1 - np.bincount(left, self.kept, vocab_size)  # (vocab): 1 for a new piece
        followed = np.bincount(right, minlength=vocab_size) + 0.5  # half, for those never seen
        self.base = followed / followed.sum()  # (vocab)

    @classmethod
    def count_pairs(cls, rows: Iterable[Sequence[int]], vocab_size: int) -> BigramChain:
        """Count the pairs in rows of ids, each from [CLS] to [SEP]."""
        both = [(np.asarray(row[:-1]), np.asarray(row[1:])) for row in rows]
        left, right = (np.concatenate(side) for side in zip(*both))
        pairs, count = np.unique(left * vocab_size + right, return_counts=True)
        return cls(pairs // vocab_size, pairs % vocab_size, count, vocab_size)

    @classmethod
    def load(cls, folder: str | Path, vocab_size: int) -> BigramChain:
        """Read the pairs that :meth:`save` has stored in a folder."""
        with np.load(Path(folder) / "bigrams.npz") as stored:
            left, right, count = (stored[name].astype(np.int64) for name in NAMED)
        return cls(left, right, count, vocab_size)

    def save(self, folder: str | Path) -> None:
        """Store the pairs in a folder as ``bigrams.npz``."""
        arrays = {name: getattr(self, name).astype(np.uint32) for name in NAMED}
        with atomic_write(Path(folder) / "bigrams.npz") as path, path.open("wb") as file:
            np.savez_compressed(file, **arrays)

    def answers(
        self, input_ids: Sequence[int], mask_token_id: int
    ) -> Float[np.ndarray, "masks vocab"]:
        """Give the chance of every piece at every [MASK] of a row; special pieces have none."""
        places = [place for place, number in enumerate(input_ids) if number == mask_token_id]
        before, after = {}, {}
        for place in places:
            known = before.get(place - 1, self._certain(input_ids[place - 1]))
            before[place] = self._step(known)
        for place in reversed(places):
            known = after.get(place + 1, self._certain(input_ids[place + 1]))
            after[place] = self._step_back(known)
        rows = [before[place] * after[place] for place in places]
        return np.array([row / row.sum() for row in rows]).reshape(-1, self.vocab_size)

    def _certain(self, number: int) -> Float[np.ndarray, " vocab"]:
        """Give all weight to a piece that is seen."""
        return np.eye(1, self.vocab_size, number)[0]

    def _step(self, before: Float[np.ndarray, " vocab"]) -> Float[np.ndarray, " vocab"]:
        """Sum over the piece on the left how likely each piece is after it."""
        kept = np.bincount(self.right, self.kept * before[self.left], self.vocab_size)
        return self._words(kept + (before @ self.rest) * self.base)

    def _step_back(self, after: Float[np.ndarray, " vocab"]) -> Float[np.ndarray, " vocab"]:
        """Sum over the piece on the right how likely it is after each piece."""
        kept = np.bincount(self.left, self.kept * after[self.right], self.vocab_size)
        return self._words(kept + self.rest * (self.base @ after))

    @staticmethod
    def _words(weights: Float[np.ndarray, " vocab"]) -> Float[np.ndarray, " vocab"]:
        """Take all weight from special pieces: they are never hidden."""
        from minibert.wordpiece import SPECIAL_TOKENS  # loads PyTorch

        weights[: len(SPECIAL_TOKENS)] = 0
        return weights
