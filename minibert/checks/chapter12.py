"""Checkers of Chapter 12: frame a pair, list its negatives, the loss of pairs, the sum of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

import numpy as np

from minibert.reference import linear, softmax

from .verdict import Mistake, Verdict, check


def check_framed_pair(function: Callable) -> Verdict:
    """Check the segment ids and the label of a pair.

    Parameters
    ----------
    function : callable
        Takes the number of tokens of the first sentence, that of the second, and whether the second
        follows the first; returns an array of segment ids and the label.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 12.
    """
    mistakes = [
        Mistake(_framed(label=int), "Your segment ids are right. Your labels are turned around: 0 "
                "stands for IsNext."),
        Mistake(_framed(segments=(1, 0)), "Your segments are turned around: the first sentence is "
                "segment 0."),
        Mistake(_framed(segments=(1, 0), label=int), "Segments and labels are both turned around: "
                "0 is the first sentence, and 0 is IsNext."),
        Mistake(_framed(moved=-1), "To which segment does the first [SEP] belong?"),
        Mistake(_framed(moved=1), "The second segment begins right behind the first [SEP]."),
        Mistake(_framed(moved=-1, label=int), "To which segment does the first [SEP] belong? And "
                "the labels are turned around: 0 stands for IsNext."),
        Mistake(_framed(segments=(0, 0)), "All your tokens are in one segment. The second sentence "
                "has segment id 1."),
        Mistake(_framed(segments=(1, 2)), "Segment ids start at 0, and there are two of them."),
    ]  # fmt: skip
    cases = [(2, 3, True), (10, 7, True), (1, 1, False), (3, 2, False), (4, 6, True)]
    return check(function, right=_framed(), cases=cases, mistakes=mistakes)


def check_negatives(function: Callable) -> Verdict:
    """Check the list of all sentences that may stand as "not the next one".

    Parameters
    ----------
    function : callable
        Takes a list of documents, the number of a document, and the place of a sentence in it that
        has a next one. Returns a list: in order, the sentences of all other documents that are not
        the same text as the true next one, capitals and spaces aside.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 12.
    """

    @wraps(function)
    def as_text(*case: object) -> object:
        return _joined(function(*case))

    cases = [(STORIES, number, place) for number in range(3) for place in range(2)]
    return check(as_text, right=_joined_negatives(), cases=cases, mistakes=_NEGATIVES)


def check_pair_loss(function: Callable) -> Verdict:
    """Check the loss of pairs, from summary vectors to one number.

    Parameters
    ----------
    function : callable
        Takes vectors of shape (batch, hidden), a weight of shape (2, hidden), a bias of two
        numbers, and labels: 0, 1, or -100 where nothing is asked. Returns the mean loss.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 12.
    """
    mistakes = [
        Mistake(_pair_loss(ignored=(0, -100)), "Pairs with the label 0 do not count with you. 0 is "
                "an answer, IsNext. Only -100 asks nothing."),
        Mistake(_pair_loss(over=len), "You divide by all pairs. Divide by those with a label."),
        Mistake(_pair_loss(over=lambda asked: 1), "You add up. The loss is the mean over the "
                "labeled pairs."),
        Mistake(_pair_loss(turn=True), "Your labels are turned around: score 0 belongs to IsNext, "
                "and so does label 0."),
        Mistake(_pair_loss(ignored=()), "Pairs with the label -100 count with you. As an index, "
                "-100 is the wrong thing to look up."),
        Mistake(_pair_loss(bias=0), "The bias is missing."),
        Mistake(_pair_loss(log=lambda p: p), "You average shares. The loss is minus their "
                "logarithm."),
        Mistake(_pair_loss(log=np.log), "The sign is turned around: a loss is not negative."),
        Mistake(_pair_loss(log=lambda p: -np.log2(p)), "That is in bits. This book counts in nats, "
                "with the natural logarithm."),
    ]  # fmt: skip
    rng = np.random.default_rng(12)
    cases = [
        (rng.normal(size=(len(labels), 3)), rng.normal(size=(2, 3)), rng.normal(size=2),
         np.array(labels))
        for labels in ([0], [1], [0, 1, 1], [1, -100, 0, 0], [-100, 1, 1, -100, 0])
    ]  # fmt: skip
    return check(function, right=_pair_loss(), cases=cases, mistakes=mistakes)


def check_total_loss(function: Callable) -> Verdict:
    """Check the loss of pre-training.

    Parameters
    ----------
    function : callable
        Takes word scores of shape (batch, seq, vocab), word labels of shape (batch, seq), -100
        where nothing is asked, pair scores of shape (batch, 2) and pair labels of shape (batch,).
        Returns the sum of the two mean losses.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 12.
    """
    mistakes = [
        Mistake(lambda *case: sum(_both(*case)) / 2, "You take the mean of the two. BERT adds "
                "them up."),
        Mistake(lambda *case: _both(*case)[0], "The loss of the pairs is missing."),
        Mistake(lambda *case: _both(*case)[1], "The loss of the words is missing."),
        Mistake(_pooled_means, "You put all losses in one pot and take one mean. Each task has a "
                "mean of its own, and the two means are added."),
        Mistake(lambda *case: sum(_both(*case, ignored=0)), "Label 0 does not count with you. Only "
                "-100 asks nothing."),
        Mistake(lambda *case: sum(_both(*case, by_row=True)), "You take a mean for each row, and "
                "then the mean of these. Every labeled position should weigh the same."),
        Mistake(lambda *case: sum(_sums(*case)), "You add up over positions and pairs. Each of the "
                "two losses is a mean."),
    ]  # fmt: skip
    rng = np.random.default_rng(13)
    labels = [
        ([[-100, 3, -100]], [0]),
        ([[-100, 0, 2], [4, -100, -100]], [0, 1]),
        ([[1, 2, 3, 0], [-100, -100, 2, -100], [-100, 4, -100, 0]], [1, 0, 1]),
    ]
    cases = [
        (rng.normal(size=(*np.shape(words), 5)), np.array(words),
         rng.normal(size=(len(pairs), 2)), np.array(pairs))
        for words, pairs in labels
    ]  # fmt: skip
    return check(function, right=lambda *case: sum(_both(*case)), cases=cases, mistakes=mistakes)


STORIES = [
    ["a dog barks", "It rains", "the dog runs home"],
    ["a boy waits", "it  rains", "the dog runs home"],
    ["the sun sets", "a dog barks", "it rains"],
]


def _framed(
    segments: tuple = (0, 1), moved: int = 0, label: Callable = lambda follows: 1 - int(follows)
) -> Callable:
    """Build segment ids and a label; the right ones, or with a usual mistake."""

    def frame(first: int, second: int, follows: bool) -> tuple[np.ndarray, int]:
        counts = [first + 2 + moved, second + 1 - moved]
        return np.repeat(segments, counts), label(follows)

    return frame


def _negatives(
    own: bool = False, same: Callable = lambda text: text.casefold().split(), avoid: int = 1
) -> Callable:
    """Build a list of negatives; the right one, or with a usual mistake."""

    def negatives(documents: Sequence[Sequence[str]], number: int, place: int) -> list[str]:
        avoided = same(documents[number][place + avoid])
        return [
            sentence
            for other, document in enumerate(documents)
            if own or other != number
            for sentence in document
            if same(sentence) != avoided
        ]

    return negatives


def _joined(sentences: object) -> object:
    """Write a list of sentences as one text, so that lists of different lengths compare."""
    return " | ".join(sentences) if isinstance(sentences, list | tuple) else sentences


def _joined_negatives(**changes: object) -> Callable:
    return lambda *case: _joined(_negatives(**changes)(*case))


_NEGATIVES = [
    Mistake(_joined_negatives(own=True), "You also take sentences of the same document. Take them "
            "from the others only."),
    Mistake(_joined_negatives(same=lambda text: object()), "Among them is the text of the true "
            "next sentence, from another document: a false negative."),
    Mistake(_joined_negatives(own=True, same=lambda text: object()), "You take all sentences there "
            "are, even the true next one."),
    Mistake(_joined_negatives(same=lambda text: text), "You compare letter by letter. A capital or "
            "a second space hides a false negative from you."),
    Mistake(_joined_negatives(same=str.casefold), "Spaces still count with you. Compare the words: "
            "split the text."),
    Mistake(_joined_negatives(same=str.split), "Capitals still count with you."),
    Mistake(_joined_negatives(avoid=0), "You avoid the first sentence of the pair. Which text must "
            "not stand as a wrong one?"),
]  # fmt: skip


def _pair_loss(
    ignored: tuple = (-100,), over: Callable = np.count_nonzero, turn: bool = False,
    bias: int = 1, log: Callable = lambda p: -np.log(p),
) -> Callable:  # fmt: skip
    """Build the loss of pairs; the right one, or with a usual mistake."""

    def loss(vectors: np.ndarray, weight: np.ndarray, shift: np.ndarray, labels: np.ndarray):
        probs = softmax(linear(vectors, weight, bias * shift))
        asked = ~np.isin(labels, ignored)
        answers = np.clip(labels, 0, 1)  # -100 becomes 0
        answers = 1 - answers if turn else answers
        losses = log(probs[np.arange(len(labels)), answers])
        return np.divide(losses[asked].sum(), over(asked))

    return loss


def _both(
    word_scores: np.ndarray, word_labels: np.ndarray, pair_scores: np.ndarray,
    pair_labels: np.ndarray, ignored: int = -100, by_row: bool = False,
) -> tuple[float, float]:  # fmt: skip
    """Compute the two losses; the right ones, or with a usual mistake."""
    words, asked = _losses(word_scores, word_labels, ignored)
    pairs, judged = _losses(pair_scores, pair_labels, ignored)
    rows = words.sum(axis=1) / np.maximum(asked.sum(axis=1), 1)
    mean = rows.mean() if by_row else words.sum() / asked.sum()
    return mean, np.divide(pairs.sum(), judged.sum())


def _losses(scores: np.ndarray, labels: np.ndarray, ignored: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute one loss for each place, 0 where nothing is asked, and where something is."""
    asked = (labels != -100) & (labels != ignored)
    probs = softmax(scores)
    picked = np.take_along_axis(probs, np.where(asked, labels, 0)[..., None], axis=-1)[..., 0]
    return np.where(asked, -np.log(picked), 0.0), asked


def _sums(word_scores, word_labels, pair_scores, pair_labels) -> tuple[float, float]:
    words, _ = _losses(word_scores, word_labels, -100)
    pairs, _ = _losses(pair_scores, pair_labels, -100)
    return words.sum(), pairs.sum()


def _pooled_means(word_scores, word_labels, pair_scores, pair_labels) -> float:
    counts = np.count_nonzero(word_labels != -100), np.count_nonzero(pair_labels != -100)
    return sum(_sums(word_scores, word_labels, pair_scores, pair_labels)) / sum(counts)
