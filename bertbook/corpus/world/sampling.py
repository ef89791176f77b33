"""Documents told by a small world, and pairs of sentences from them. Chapter 14."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from .grammar import Story, Table, World, untagged

STORIES = 1  # in a document


class Pair(NamedTuple):
    """Two sentences and whether the second one follows the first in its document.

    Args:
        first, second: Words separated by spaces.
        is_next: False if the second one comes from another document.

    >>> Pair("anna sings", "she is happy", is_next=True).second
    'she is happy'
    """

    first: str
    second: str
    is_next: bool


def sample_documents(
    world: World, count: int, *, rng: np.random.Generator, stories: int = STORIES
) -> list[tuple[str, ...]]:
    """Let a world tell documents: a few different stories about one hero each.

    Args:
        world: The grammar.
        count: How many documents.
        rng: The source of chance; the same state tells the same documents.
        stories: Stories in a document, at most as many as the world has.

    Returns:
        The sentences of each document, two for each story.

    Raises:
        ValueError: When the world has too few stories.

    >>> from bertbook.corpus import small_world
    >>> (document,) = sample_documents(small_world(), 1, rng=np.random.default_rng(0))
    >>> for sentence in document[:2]:
    ...     print(sentence)
    felix greets the captain of the old ship with a wave
    the ship leaves in the evening and the captain sings
    """
    tagged = sample_tagged(world, count, rng=rng, stories=stories)
    return [tuple(untagged(" ".join(words)) for words in sentences) for sentences in tagged]


def sample_tagged(
    world: World, count: int, *, rng: np.random.Generator, stories: int = STORIES
) -> list[tuple[tuple[str, ...], ...]]:
    """Return the documents of `sample_documents` word by word, each word with its sense.

    Args:
        world: The grammar.
        count: How many documents.
        rng: The source of chance.
        stories: Stories in a document.

    Returns:
        Sentences of words, ``bank/river`` where a word has several senses.

    Raises:
        ValueError: When the world has too few stories.

    >>> from bertbook.corpus import small_world
    >>> (document,) = sample_tagged(small_world(), 1, rng=np.random.default_rng(0))
    >>> document[1][:5]
    ('the', 'ship', 'leaves/goes', 'in', 'the')
    """
    check_stories(world, stories)
    documents = []
    for _ in range(count):
        hero, order = _row(world.heroes, rng), rng.permutation(len(world.stories))
        told = (_tell(world.stories[number], hero, rng) for number in order[:stories])
        documents.append(tuple(chain.from_iterable(told)))
    return documents


def sample_pairs(
    world: World, count: int, *, rng: np.random.Generator, stories: int = STORIES
) -> list[Pair]:
    """Draw pairs of sentences, each from fresh documents; every second one is a true pair.

    The first sentence is any but the last of a document. The second is the one that follows it,
    or, with the same chance, any sentence of another document.

    Args:
        world: The grammar.
        count: How many pairs.
        rng: The source of chance; the same state draws the same pairs.
        stories: Stories in a document.

    Returns:
        Independent of each other.

    Raises:
        ValueError: When the world has too few stories.

    >>> from bertbook.corpus import small_world
    >>> pairs = sample_pairs(small_world(), 100, rng=np.random.default_rng(0))
    >>> 30 < sum(pair.is_next for pair in pairs) < 70
    True
    """
    documents = sample_documents(world, 2 * count, rng=rng, stories=stories)
    pairs = []
    for document, other in zip(documents[::2], documents[1::2], strict=True):
        place, is_next = rng.integers(len(document) - 1), bool(rng.integers(2))
        second = document[place + 1] if is_next else other[rng.integers(len(other))]
        pairs.append(Pair(document[place], second, is_next))
    return pairs


def check_stories(world: World, stories: int) -> None:
    """Raise for documents that the world cannot fill without telling a story twice."""
    most = len(world.stories)
    if not 1 <= stories <= most:
        raise ValueError(
            f"documents of {stories} stories cannot be told: the world has {most}, and a document "
            f"tells none of them twice; ask for 1 to {most}"
        )


def _tell(story: Story, hero: tuple[str, ...], rng: np.random.Generator) -> list[tuple[str, ...]]:
    rows = [hero, *(_row(table, rng) for table in story.tables[1:])]
    return [tuple(rows[place.table][place.column] for place in s) for s in story.sentences]


def _row(table: Table, rng: np.random.Generator) -> tuple[str, ...]:
    return table.rows[rng.integers(len(table.rows))]
