"""What counting gets on sentences it has not counted: the baselines of Chapter 5's toy."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

UNIGRAM = {(0, 0): 0.95}
# How much each view of the neighbors counts, by the words it sees on either side; not tuned.
INTERPOLATED = {(2, 2): 0.35, (1, 1): 0.25, (1, 0): 0.15, (0, 1): 0.15, (0, 0): 0.09}


def counted_loss(
    sentences: Sequence[str], weights: dict[tuple[int, int], float], folds: int = 5
) -> float:
    """Compute the mean loss of interpolated n-gram counts on held-out sentences.

    Each sentence is held out once, and each of its words hidden once. What the weights leave over
    goes to all words alike, so that none has probability 0.

    Args:
        sentences: Words separated by spaces.
        weights: A weight for each view: the number of words to the left and to the right that it
            sees.
        folds: Sentence i is held out in fold ``i % folds``.

    Returns:
        Nats per hidden word.
    """
    words = {word for sentence in sentences for word in sentence.split()}
    rest = (1 - sum(weights.values())) / len(words)
    losses = []
    for fold in range(folds):
        known = [s.split() for i, s in enumerate(sentences) if i % folds != fold]
        tables = {view: _count(known, view) for view in weights}
        for row in map(str.split, sentences[fold::folds]):
            for i, word in enumerate(row):
                found = [(w, tables[view][_seen(row, i, view)]) for view, w in weights.items()]
                found = [(w, counts) for w, counts in found if counts]  # else it has no opinion
                total = sum(w for w, _ in found) + rest * len(words)
                p = rest + sum(w * counts[word] / counts.total() for w, counts in found)
                losses.append(-math.log(p / total))
    return math.fsum(losses) / len(losses)


def _seen(row: list[str], i: int, view: tuple[int, int]) -> tuple[tuple[str, ...], ...]:
    left, right = view
    return tuple(row[max(0, i - left) : i]), tuple(row[i + 1 : i + 1 + right])


def _count(rows: list[list[str]], view: tuple[int, int]) -> defaultdict[tuple, Counter]:
    counts: defaultdict[tuple, Counter] = defaultdict(Counter)
    for row in rows:
        for i, word in enumerate(row):
            counts[_seen(row, i, view)][word] += 1
    return counts
