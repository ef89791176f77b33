"""The ladder and the floors of a small world: what the best guesser gets wrong. Chapter 14."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from .grammar import Story, World, untagged, world_words
from .masking_noise import MaskingNoise, hide_words
from .oracle import Oracle, Posterior, within_share
from .sampling import STORIES, Pair, check_stories

Told = tuple[int, tuple[str, ...], float]  # first or second of a pair, its words, its chance
Sight = Callable[[int, tuple[str, ...], tuple[str, ...]], Hashable]


class WorldLadder(NamedTuple):
    """The best masked-word losses in pairs of sentences, in nats per masked word.

    Args:
        uniform: The guesser knows the vocabulary only: the logarithm of its size.
        unigram: It knows how often each word occurs.
        neighbors: It also sees the word on each side.
        sentence: It sees the whole rest of the sentence, and whether it is the first or the second.
    """

    uniform: float
    unigram: float
    neighbors: float
    sentence: float


class Estimate(NamedTuple):
    """A mean over a sample and its standard error.

    Args:
        value: The mean.
        error: Its standard error, in the same unit.
    """

    value: float
    error: float


class Floors(NamedTuple):
    """What the oracle reaches on a sample of pairs.

    Args:
        masked_word: Nats per masked word.
        next_sentence: Nats per pair.
        accuracy: Share of the pairs that are judged right, 0 to 1.
    """

    masked_word: Estimate
    next_sentence: Estimate
    accuracy: Estimate


def world_ladder(
    world: World, vocab_size: int | None = None, stories: int = STORIES
) -> WorldLadder:
    r"""Compute how well the masked words of a world's pairs can be guessed, knowing more and more.

    ``-sum p(word, context) ln p(word | context)`` over every sentence that can be told, exactly.

    Args:
        world: The grammar.
        vocab_size: How many entries a model chooses from; if not given, [MASK] and the words of the
            world.
        stories: Stories in a document.

    Returns:
        Nats per masked word, ``unigram >= neighbors >= sentence``.

    Raises:
        ValueError: When the world has too few stories.

    >>> from bertbook.corpus import parse_world
    >>> world = parse_world("document HERO: anna | ben\nHERO reads\nHERO sleeps")
    >>> [round(loss, 4) for loss in world_ladder(world, stories=1)]
    [1.6094, 1.3705, 0.6774, 0.4872]
    """
    check_stories(world, stories)
    told = list(_sentences(world, within_share(stories)))
    return WorldLadder(
        uniform=math.log(vocab_size or len(world_words(world)) + 1),
        unigram=_expected_loss(told, lambda side, left, right: None),
        neighbors=_expected_loss(told, lambda side, left, right: (left[-1:], right[:1])),
        sentence=_expected_loss(told, lambda side, left, right: (side, left, right)),
    )


def hidden_once_floors(oracle: Oracle, pairs: Sequence[Pair]) -> Floors:
    r"""Compute what the oracle reaches when each word of each pair is hidden once.

    For each place the surprise is averaged over all words that could stand there, and for each pair
    over both answers, rather than taken at the one that was drawn: the mean is the same, the error
    smaller. Whether the second sentence follows is judged with no word hidden.

    Args:
        oracle: Knows the world.
        pairs: Drawn independently, by `sample_pairs`; at least two.

    Returns:
        With standard errors.

    >>> from bertbook.corpus import parse_world, sample_pairs
    >>> world = parse_world("document HERO: anna | ben\nHERO reads\nHERO sleeps")
    >>> pairs = sample_pairs(world, 100, rng=np.random.default_rng(0), stories=1)
    >>> floors = hidden_once_floors(Oracle(world, stories=1), pairs)
    >>> 0.3 < floors.masked_word.value < 0.5
    True
    """
    beliefs = oracle.read(pairs)
    return _floors(beliefs, [np.ones(len(words), dtype=bool) for words in beliefs.words])


def corrupted_floors(
    oracle: Oracle, pairs: Sequence[Pair], noise: MaskingNoise, *, rng: np.random.Generator
) -> Floors:
    r"""Compute what the oracle reaches when words are hidden as in pre-training.

    The oracle sees what a model sees: [MASK], random words and true ones, and not which is which.
    It guesses the chosen words, and whether the second sentence follows.

    Args:
        oracle: Knows the world, and how words are hidden.
        pairs: Drawn independently, by `sample_pairs`; at least two.
        noise: How words are hidden.
        rng: Hides them.

    Returns:
        With standard errors.

    Raises:
        ValueError: When not one word was chosen.

    >>> from bertbook.corpus import parse_world, sample_pairs
    >>> world = parse_world("document HERO: anna | ben\nHERO reads\nHERO sleeps")
    >>> rng = np.random.default_rng(0)
    >>> pairs = sample_pairs(world, 100, rng=rng, stories=1)
    >>> floors = corrupted_floors(Oracle(world, stories=1), pairs, MaskingNoise(10), rng=rng)
    >>> 0.2 < floors.masked_word.value < 0.6
    True
    """
    seen, chosen = [], []
    for pair in pairs:
        sides = [hide_words(s.split(), noise, oracle.words, rng=rng) for s in pair[:2]]
        seen.append(tuple(words for words, _ in sides))
        chosen.append(np.concatenate([places for _, places in sides]))
    return _floors(oracle.read(seen, noise), chosen)


def _floors(beliefs: Posterior, chosen: Sequence[np.ndarray]) -> Floors:
    counts = np.array([places.sum() for places in chosen])
    if not counts.any():
        raise ValueError(f"no word of these {len(counts)} pairs was chosen; draw more pairs")
    sums = [
        _entropy(words)[places].sum() for words, places in zip(beliefs.words, chosen, strict=True)
    ]
    is_next = beliefs.is_next
    return Floors(
        masked_word=_ratio(np.array(sums), counts),
        next_sentence=_ratio(_entropy(np.stack([is_next, 1 - is_next], -1))),
        accuracy=_ratio(np.maximum(is_next, 1 - is_next)),
    )


def _entropy(probs: np.ndarray) -> np.ndarray:
    return -(probs * np.log(np.where(probs > 0, probs, 1.0))).sum(-1)


def _ratio(sums: np.ndarray, counts: np.ndarray | float = 1.0) -> Estimate:
    """Estimate a mean per count from independent sums."""
    counts = np.broadcast_to(counts, sums.shape)
    value = sums.sum() / counts.sum()
    spread = np.std(sums - value * counts, ddof=1) / counts.mean()
    return Estimate(float(value), float(spread / math.sqrt(len(sums))))


def _sentences(world: World, within: float) -> Iterator[Told]:
    """Yield every version of every sentence, first or second of a pair, and its probability."""
    across = 1 - within
    for story in world.stories:
        for told, (first, second) in enumerate([(within, across), (across, within)]):
            versions = list(_versions(story, told))
            for side, share in enumerate([first, (second + 0.5) / 2]):
                for words in versions if share else ():
                    yield side, words, share / len(world.stories) / len(versions)


def _versions(story: Story, told: int) -> Iterator[tuple[str, ...]]:
    """Yield one sentence of a story with every choice of rows."""
    sentence = story.sentences[told]
    used = sorted({place.table for place in sentence})
    tables = [[tuple(map(untagged, row)) for row in story.tables[table].rows] for table in used]
    places = [(used.index(place.table), place.column) for place in sentence]
    for rows in product(*tables):
        yield tuple(rows[table][column] for table, column in places)


def _expected_loss(told: Sequence[Told], sight: Sight) -> float:
    """Compute the smallest mean loss of a guesser that sees only ``sight``."""
    chances: dict = defaultdict(lambda: defaultdict(float))
    for side, words, chance in told:
        for place, word in enumerate(words):
            chances[sight(side, words[:place], words[place + 1 :])][word] += chance
    places = math.fsum(chance for words in chances.values() for chance in words.values())
    losses = (
        chance * math.log(total / chance)
        for words in chances.values()
        for total in [math.fsum(words.values())]
        for chance in words.values()
    )
    return math.fsum(losses) / places
