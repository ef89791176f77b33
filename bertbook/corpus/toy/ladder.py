"""The best loss that anybody can reach on a list of sentences, by counting.

A word is hidden, the rest is known: how well could it be guessed? Counting answers that question
exactly, for a guesser that sees nothing, the two neighbors, or the whole sentence. Chapter 5.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

MASK_TOKEN = "[MASK]"
Context = Callable[[Sequence[str], int], Hashable]


class Ladder(NamedTuple):
    """The best masked-word losses, in nats per masked word, for five kinds of guesser.

    Args:
        uniform: The guesser knows the vocabulary only: the logarithm of its size, [MASK] included.
        unigram: It knows how often each word occurs.
        neighbors: It also sees the word on each side.
        bag: It sees all other words of the sentence, and not their order.
        full: It sees the whole rest of the sentence, in order.
    """

    uniform: float
    unigram: float
    neighbors: float
    bag: float
    full: float


def vocabulary(sentences: Sequence[str]) -> tuple[str, ...]:
    """List [MASK] and then every different word, sorted; a word's place in the list is its id.

    Args:
        sentences: Words separated by spaces; at least one word in all.

    Returns:
        ``[MASK]`` first, then the words in alphabetical order, each once.

    Raises:
        ValueError: When there is no word, or ``[MASK]`` is one of the words.
        TypeError: When a single string is given.

    >>> vocabulary(["one cat", "one dog"])
    ('[MASK]', 'cat', 'dog', 'one')
    """
    words = {word for sentence in _split(sentences) for word in sentence}
    return (MASK_TOKEN, *sorted(words))


def masked_word_loss(sentences: Sequence[str], context: Context) -> float:
    """Compute the smallest mean loss of a guesser that sees only ``context``.

    Every word of every sentence is masked once; all these positions weigh the same.
    ``-(1/N) sum ln p(word | context)``, p being counted among the positions with that context.

    Args:
        sentences: The corpus, words separated by spaces.
        context: ``context(words, position)``: whatever the guesser may know about the masked
            position.

    Returns:
        Nats per masked word, at least 0.

    >>> round(masked_word_loss(["one cat", "one dog"], lambda words, position: position), 4)
    0.3466
    """
    counts = defaultdict(Counter)
    for words in _split(sentences):
        for position, word in enumerate(words):
            counts[context(words, position)][word] += 1
    total = sum(counter.total() for counter in counts.values())
    return sum(
        count / total * math.log(counter.total() / count)
        for counter in counts.values()
        for count in counter.values()
    )


def masked_word_ladder(sentences: Sequence[str]) -> Ladder:
    """Compute how well the masked words of a corpus can be guessed, knowing more and more.

    Every word of every sentence is masked once; all these positions weigh the same.

    Args:
        sentences: The corpus, words separated by spaces.

    Returns:
        Nats per masked word; ``full`` is the exact floor of the corpus: ``uniform >= unigram >=
        neighbors >= full`` and ``unigram >= bag >= full``.

    Raises:
        ValueError, TypeError: As ``vocabulary`` does.

    >>> ladder = masked_word_ladder(["one cat", "one dog"])
    >>> [round(loss, 4) for loss in ladder]
    [1.3863, 1.0397, 0.3466, 0.3466, 0.3466]
    """
    return Ladder(
        uniform=math.log(len(vocabulary(sentences))),
        unigram=masked_word_loss(sentences, lambda words, position: None),
        neighbors=masked_word_loss(sentences, _neighbors),
        bag=masked_word_loss(sentences, lambda *hole: tuple(sorted(_rest(*hole)))),
        full=masked_word_loss(sentences, _rest),
    )


def _split(sentences: Sequence[str]) -> list[list[str]]:
    if isinstance(sentences, str):
        raise TypeError(f"give a list of sentences, not the one string {sentences[:30]!r}")
    split = [sentence.split() for sentence in sentences]
    if not any(split):
        raise ValueError("the corpus holds no word; give at least one sentence")
    if any(MASK_TOKEN in words for words in split):
        raise ValueError(f"{MASK_TOKEN} is the mark for a hidden word; it cannot be a word itself")
    return split


def _neighbors(words: Sequence[str], position: int) -> tuple[str | None, str | None]:
    edged = [None, *words, None]  # None marks the edge of the sentence
    return edged[position], edged[position + 2]


def _rest(words: Sequence[str], position: int) -> tuple[str, ...]:
    return (*words[:position], MASK_TOKEN, *words[position + 1 :])
