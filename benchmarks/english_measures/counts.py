"""A guesser that counts: what stood between the same neighbors in the training text. Chapter 14.

The counts of longer contexts back off to those of shorter ones as Witten and Bell have it: a
context that was followed by many different pieces leaves much to the shorter one. Left, right and
both sides together make four opinions, which are multiplied, each to a power; the powers are
tuned on chapters that are neither trained with nor tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int

from .questions import Places

# Which neighbors a chain of contexts sees, from little to much; 0 would be the place itself. Some
# skip a neighbor: where it is hidden, those behind it are still known.
LEFT = ((-3,), (-2,), (-1,), (-2, -1), (-3, -2, -1))
RIGHT = ((3,), (2,), (1,), (1, 2), (1, 2, 3))
BOTH = ((-2, 2), (-1, 2), (-2, 1), (-1, 1), (-2, -1, 1), (-1, 1, 2), (-2, -1, 1, 2))
MASKED, RANDOM = 0.8, 0.1  # of the chosen pieces: see `minibert.masking`
CHUNK = 256


class Contexts:
    """How often each piece stood in each context of one form."""

    def __init__(
        self, windows: Int[np.ndarray, "places 7"], offsets: tuple[int, ...], vocab_size: int
    ) -> None:
        self.offsets, self.vocab_size = offsets, vocab_size
        pieces = windows[:, 3]
        keys = self._keys(windows) * vocab_size + pieces
        pairs, self.counts = np.unique(keys, return_counts=True)
        self.keys, self.pieces = pairs // vocab_size, pairs % vocab_size

    def _keys(self, windows: Int[np.ndarray, "places 7"]) -> Int[np.ndarray, " places"]:
        keys = np.zeros(len(windows), dtype=np.int64)
        for offset in self.offsets:
            keys = keys * self.vocab_size + windows[:, 3 + offset]
        return keys

    def seen(self, windows: Int[np.ndarray, "places 7"]) -> Int[np.ndarray, " places"]:
        """Count how often the context of each window stood in the training text."""
        keys = self._keys(windows)
        sums = np.concatenate([[0], self.counts.cumsum()])
        return (
            sums[np.searchsorted(self.keys, keys, "right")] - sums[np.searchsorted(self.keys, keys)]
        )

    def mix(
        self,
        shorter: Float[np.ndarray, "places vocab"],
        windows: Int[np.ndarray, "places 7"],
        mask_token_id: int,
    ) -> Float[np.ndarray, "places vocab"]:
        """Return (counts + kinds · shorter) / (all + kinds); what was never seen stays shorter."""
        longer = shorter.copy()
        keys = self._keys(windows)
        begins, ends = (np.searchsorted(self.keys, keys, side) for side in ("left", "right"))
        hidden = (windows[:, [3 + offset for offset in self.offsets]] == mask_token_id).any(axis=1)
        for row in np.flatnonzero((ends > begins) & ~hidden):
            span = slice(begins[row], ends[row])
            counts, kinds = self.counts[span], ends[row] - begins[row]
            longer[row] *= kinds
            longer[row, self.pieces[span]] += counts
            longer[row] /= kinds + counts.sum()
        return longer


class CountingGuesser:
    """Guess pieces by counts of the training text, on both sides."""

    def __init__(
        self, rows: Sequence[Sequence[int]], *, vocab_size: int, edge: int, mask_token_id: int
    ) -> None:
        self.vocab_size, self.mask_token_id = vocab_size, mask_token_id
        windows = training_windows(rows, edge)
        self.frequencies = (np.bincount(windows[:, 3], minlength=vocab_size) + 1.0) / (
            len(windows) + vocab_size
        )
        self.chains = [
            [Contexts(windows, offsets, vocab_size) for offsets in chain]
            for chain in (LEFT, RIGHT, BOTH)
        ]
        self.powers = torch.tensor([0.0, 0.0, 0.0, 1.0])

    def opinions(self, windows: Int[np.ndarray, "places 7"]) -> Float[np.ndarray, "4 places vocab"]:
        """Compute the logarithms of four guesses: frequencies, left, right, both."""
        base = np.repeat(self.frequencies[None], len(windows), axis=0)
        left, right = (self._along(chain, base, windows) for chain in self.chains[:2])
        product = left * right / base
        product /= product.sum(axis=1, keepdims=True)
        both = self._along(self.chains[2], product, windows)
        return np.log(np.stack([base, left, right, both]))

    def _along(
        self,
        chain: Sequence[Contexts],
        guess: Float[np.ndarray, "places vocab"],
        windows: Int[np.ndarray, "places 7"],
    ) -> Float[np.ndarray, "places vocab"]:
        for contexts in chain:
            guess = contexts.mix(guess, windows, self.mask_token_id)
        return guess

    def tune(self, places: Places, most: int = 2000) -> None:
        """Find the powers with the lowest loss on places of held-out text."""
        every = max(1, len(places.truth) // most)
        some = Places(*(column[::every] for column in places))
        opinions = torch.tensor(self.opinions(some.window), dtype=torch.float32)
        powers = self.powers.clone().requires_grad_()
        optimizer = torch.optim.LBFGS([powers], max_iter=30, line_search_fn="strong_wolfe")

        def loss() -> torch.Tensor:
            optimizer.zero_grad()
            value = -self._log_chances(powers, opinions, some).mean()
            value.backward()
            return value

        optimizer.step(loss)
        self.powers = powers.detach()

    def losses(self, places: Places) -> Float[np.ndarray, " places"]:
        """Compute what it pays at each place, in nats."""
        parts = [
            -self._log_chances(self.powers, torch.tensor(self.opinions(part.window)), part)
            for part in _chunks(places)
        ]
        return torch.cat(parts).numpy()

    def guesses(self, windows: Int[np.ndarray, "places 7"]) -> Float[torch.Tensor, "places vocab"]:
        """Compute the probabilities of all pieces for hidden places."""
        opinions = torch.tensor(self.opinions(windows))
        return (self.powers.double() @ opinions.flatten(1)).view(opinions.shape[1:]).softmax(-1)

    def _log_chances(
        self, powers: torch.Tensor, opinions: torch.Tensor, places: Places
    ) -> Float[torch.Tensor, " places"]:
        """Combine the opinions, then weigh what is shown at the place itself by Bayes' rule.

        A chosen piece that is not hidden is shown as it is, or replaced by any other: both are as
        likely, so the piece that is shown is far likelier than its context alone would say.
        """
        scores = (powers.to(opinions.dtype) @ opinions.flatten(1)).view(opinions.shape[1:])
        rows = torch.arange(len(scores))
        kept = 1 - MASKED - RANDOM
        noise = torch.full_like(scores, RANDOM / self.vocab_size)
        noise[rows, torch.from_numpy(places.shown)] += kept
        is_hidden = torch.from_numpy(places.shown == self.mask_token_id)[:, None]
        scores = scores + torch.where(is_hidden, torch.zeros_like(noise), noise.log())
        return scores.log_softmax(-1)[rows, torch.from_numpy(places.truth)]


def training_windows(rows: Sequence[Sequence[int]], edge: int) -> Int[np.ndarray, "places 7"]:
    """Cut a window of seven around every piece of every verse."""
    line = np.array([piece for row in rows for piece in (edge, edge, edge, *row)] + [edge] * 3)
    windows = np.lib.stride_tricks.sliding_window_view(line, 7)
    return windows[windows[:, 3] != edge]


def _chunks(places: Places) -> Iterator[Places]:
    for begin in range(0, len(places.truth), CHUNK):
        yield Places(*(column[begin : begin + CHUNK] for column in places))
