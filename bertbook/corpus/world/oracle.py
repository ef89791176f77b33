"""The best possible guesser: it knows the grammar, and nothing of what is hidden. Chapter 14."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from .grammar import World, untagged, world_words
from .masking_noise import MaskingNoise, likelihoods
from .patterns import Pattern
from .sampling import STORIES, Pair, check_stories

Text = str | Sequence[str]
TEXTS_AT_ONCE = 256
ALL, FIRST, SECOND = ((0, 1), (0,), (1,))  # sentences of a story, and parts of a pair
# What a story can be in a pair: all of it, or one of its sentences as the first or as the second.
ROLES = ((ALL, ALL), (FIRST, FIRST), (SECOND, FIRST), (FIRST, SECOND), (SECOND, SECOND))


class Posterior(NamedTuple):
    """The posterior of the oracle: probabilities of words and of a true pair.

    Args:
        words: For each pair and each place in it, the probability of each word of `Oracle.words`;
            rows sum to 1.
        is_next: For each pair the probability that its second sentence follows the first.
    """

    words: list[Float[np.ndarray, "positions words"]]
    is_next: Float[np.ndarray, " batch"]


class Oracle:
    """Compute what can be known about a pair of sentences of a small world, exactly.

    A pair is told like this: its first sentence is any but the last of a document. With chance 1/2
    the second one is the sentence after it, and otherwise any sentence of another document. The
    oracle sums over both answers, over all heroes and stories, and over all rows of all
    tables: ``p(word | rest) = p(word, rest) / p(rest)``.

    Args:
        world: The grammar.
        stories: Stories in a document.
        with_senses: Whether to tell the senses of a word apart, and believe in ``bank/river`` or
            ``bank/money``.

    Raises:
        ValueError: When the world has too few stories.

    >>> from bertbook.corpus import small_world
    >>> oracle = Oracle(small_world())
    >>> first = "anna kicks the blue ball over the wall"
    >>> second = "a small dog finds the [MASK] ball [MASK] the wall and her sister laughs"
    >>> chances = oracle.read([(first, second)]).words[0][13]
    >>> oracle.words[chances.argmax()], round(float(chances.max()), 3)
    ('blue', 0.999)
    """

    def __init__(self, world: World, stories: int = STORIES, with_senses: bool = False):
        check_stories(world, stories)
        self.world, self.stories = world, stories
        self.words = world_words(world, with_senses)
        numbers = {word: number for number, word in enumerate(self.words)}
        self.ids = numbers | {
            word: numbers[word if with_senses else untagged(word)]
            for word in world_words(world, with_senses=True)
        }
        self._patterns = [
            {told: Pattern(story, told, self.ids) for told in (ALL, FIRST, SECOND)}
            for story in world.stories
        ]

    def read(
        self, pairs: Sequence[Pair | tuple[Text, Text]], noise: MaskingNoise | None = None
    ) -> Posterior:
        """Compute the posterior of every word of every pair, and of a true pair.

        Args:
            pairs: Sentences; any number of words may be ``[MASK]``. The answer in a `Pair` is not
                used.
            noise: How the words were hidden. If given, a word that is shown may be a false one, and
                whatever is no word of the world is a random piece. If not, what is shown is true.

        Returns:
            Without noise: each place given all the others, as if it alone was also hidden. With
            noise: each place as if it was chosen, given all that is shown.

        Raises:
            ValueError: When a pair can never be told, or holds a word that the world does not have.
        """
        texts = [tuple(map(_split, pair[:2])) for pair in pairs]
        groups = defaultdict(list)
        for number, (first, second) in enumerate(texts):
            groups[len(first), len(second)].append(number)
        words, is_next = [np.empty((0, 0))] * len(texts), np.empty(len(texts))
        for members in groups.values():
            for begin in range(0, len(members), TEXTS_AT_ONCE):
                numbers = members[begin : begin + TEXTS_AT_ONCE]
                found, is_next[numbers] = self._read([texts[n] for n in numbers], noise)
                for number, chances in zip(numbers, found, strict=True):
                    words[number] = chances
        return Posterior(words, is_next)

    def _read(
        self, texts: Sequence[tuple[Sequence[str], Sequence[str]]], noise: MaskingNoise | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute the posterior for pairs whose sentences have the same two lengths."""
        likelihood, if_chosen = likelihoods([[*a, *b] for a, b in texts], self.words, noise)
        lengths = tuple(map(len, texts[0]))
        fitting = list(self._fitting(lengths))
        shape = (len(ROLES), len(self._patterns), len(texts), len(self.world.heroes.rows))
        chances = np.zeros(shape)
        for role, story, pattern, part in fitting:
            chances[role, story] = pattern.chance(likelihood[:, part])
        following, other, slopes = _mix(chances, within_share(self.stories))
        if not (following + other).all():
            first, second = map(" ".join, texts[int((following + other).argmin())])
            raise ValueError(f"this world never tells {first!r} together with {second!r}")
        joint = np.zeros_like(likelihood)
        for role, story, pattern, part in fitting:
            pattern.add_derivative(likelihood[:, part], slopes[role, story], joint[:, part])
        joint *= if_chosen
        return joint / joint.sum(-1, keepdims=True), following / (following + other)

    def _fitting(self, lengths: tuple[int, ...]) -> Iterator[tuple[int, int, Pattern, slice]]:
        """Yield the roles that the lengths allow a story, and the places that it explains."""
        parts = {ALL: slice(None), FIRST: slice(lengths[0]), SECOND: slice(lengths[0], None)}
        for story, patterns in enumerate(self._patterns):
            for role, (told, sides) in enumerate(ROLES):
                if patterns[told].lengths == tuple(lengths[side] for side in sides):
                    yield role, story, patterns[told], parts[sides]


def _split(text: Text) -> tuple[str, ...]:
    return tuple(text.split() if isinstance(text, str) else text)


def _mix(chances: np.ndarray, within: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probabilities of true and false pairs; derive their sum by `chances`."""
    whole, first_0, first_1, second_0, second_1 = chances
    count, heroes, across = chances.shape[1], chances.shape[3], 1 - within
    one = 1 / count / heroes  # of all stories, about one of all heroes
    two = one / max(count - 1, 1)  # and after it another one
    before, after = first_1.sum(0) - first_1, second_0.sum(0) - second_0
    following = (one * within * whole + two * across * first_1 * after).sum((0, 2)) / 2
    first = one * (within * first_0 + across * first_1).sum((0, 2))
    second = one * (second_0 + second_1).sum((0, 2)) / 2
    slopes = np.empty_like(chances)
    slopes[0] = one * within / 2
    slopes[1] = one * within * second[:, None] / 2
    slopes[2] = two * across * after / 2 + one * across * second[:, None] / 2
    slopes[3] = two * across * before / 2 + one * first[:, None] / 4
    slopes[4] = one * first[:, None] / 4
    return following, first * second / 2, slopes


def within_share(stories: int) -> float:
    """Compute the share of the true pairs that are the two sentences of one story."""
    return stories / (2 * stories - 1)
