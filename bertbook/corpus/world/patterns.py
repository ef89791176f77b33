"""The chance of a text under a story, without telling the story in all its versions.

A text may be known, hidden, or blurred: for each place and each word, a likelihood says how well
the word explains what is seen there. Tables are independent, so a story's chance is a product of
one sum for each table. It is linear in the likelihoods of each place. That is why its derivative
there is the chance of everything else, together with each word. Chapter 14.
"""

from collections import defaultdict
from collections.abc import Mapping
from itertools import chain

import numpy as np
from jaxtyping import Float

from .grammar import Story


class Pattern:
    """Which words, by their `ids`, stand where in one or both sentences (`told`) of a story."""

    def __init__(self, story: Story, told: tuple[int, ...], ids: Mapping[str, int]):
        self.lengths = tuple(len(story.sentences[number]) for number in told)
        filled = defaultdict(list)
        for number, place in enumerate(chain.from_iterable(story.sentences[n] for n in told)):
            filled[place.table].append((number, place.column))
        # The heroes come first, even if the story does not name them.
        self.places, self.words = [], []
        for table in (0, *sorted({*filled} - {0})):
            places, columns = zip(*filled[table], strict=True) if filled[table] else ((), ())
            rows = [[ids[row[column]] for column in columns] for row in story.tables[table].rows]
            self.places.append(list(places))
            self.words.append(np.array(rows, dtype=int))

    def chance(
        self, likelihood: Float[np.ndarray, "batch positions vocab"]
    ) -> Float[np.ndarray, "batch rows"]:
        """Compute how likely each text is for each hero, given how well words explain what is seen.

        ``chance = product over tables of mean over rows of product over places of likelihood``.
        """
        return self._tables(likelihood).prod(0)

    def add_derivative(
        self,
        likelihood: Float[np.ndarray, "batch positions vocab"],
        grad_chance: Float[np.ndarray, "batch rows"],
        grad_likelihood: Float[np.ndarray, "batch positions vocab"],
    ) -> None:
        """Add the derivative of ``sum of grad_chance * chance`` by each likelihood."""
        others = grad_chance * product_of_others(self._tables(likelihood))
        for number, (places, words) in enumerate(zip(self.places, self.words, strict=True)):
            grad_rows = others[number]
            if number > 0:  # only the hero's rows are told apart
                grad_rows = grad_rows.sum(1, keepdims=True) / len(words)
            cells = product_of_others(likelihood[:, places, words].transpose(2, 0, 1))
            for place, column, rest in zip(places, words.T, cells, strict=True):
                np.add.at(  # its annotation forgets that an index may be a slice
                    grad_likelihood[:, place],
                    (slice(None), column),  # pyright: ignore[reportArgumentType]
                    grad_rows * rest,
                )

    def _tables(
        self, likelihood: Float[np.ndarray, "batch positions vocab"]
    ) -> Float[np.ndarray, "layers batch rows"]:
        """Compute each table's probability: for every hero, or as the mean over its rows."""
        heroes, *others = (
            likelihood[:, places, words].prod(-1)
            for places, words in zip(self.places, self.words, strict=True)
        )
        means = (np.broadcast_to(rows.mean(1, keepdims=True), heroes.shape) for rows in others)
        return np.stack([heroes, *means])


def product_of_others(values: Float[np.ndarray, "rows ..."]) -> Float[np.ndarray, "rows ..."]:
    """Return for each row the product of all other rows, without dividing, since rows can be 0."""
    before, after = np.ones_like(values), np.ones_like(values)
    before[1:] = values[:-1].cumprod(0)
    after[:-1] = values[:0:-1].cumprod(0)[::-1]
    return before * after
