"""Checkers of Chapter 5: dropout, the unigram loss, the masked loss, and a left-to-right floor."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from minibert.corpus import hundred_sentences, masked_word_ladder, masked_word_loss
from minibert.reference import cross_entropy, softmax

from .verdict import Mistake, Verdict, check

CORPORA = (
    ["one cat", "one dog", "one dog sleeps"],
    ["the cat sees the dog", "the dog sees the cat", "the dog sleeps", "a cat sleeps by day"],
    ["a day by the sea", "a day by the river", "the sea by day", "a sea"],
    ["left right left", "right left right", "left left"],
    list(hundred_sentences()),
)
OVERFLOW = (
    "Right on small logits, but a logit of 900 overflows. Which number can you subtract from a row "
    "without changing its shares?"
)


def check_dropout(function: Callable) -> Verdict:
    """Check inverted dropout with a given choice of what stays.

    Parameters
    ----------
    function : callable
        Takes `x`, `kept` (boolean, same shape) and `rate`; returns an array of the same shape.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 5.
    """
    rng = np.random.default_rng(51)
    cases = []
    for shape, rate in [((4,), 0.1), ((2, 5), 0.25), ((2, 3, 4), 0.6)]:
        kept = rng.random(shape) >= rate
        kept.flat[:2] = True, False
        cases.append((rng.standard_normal(shape), kept, rate))
    mistakes = [
        Mistake(lambda x, kept, rate: x * kept, "The right numbers are dropped. But the sum is "
                "now smaller than it will be when nothing is dropped. By which factor?"),
        Mistake(lambda x, kept, rate: x * kept / rate, "Which share of the numbers stays on "
                "average: the rate, or 1 minus the rate?"),
        Mistake(lambda x, kept, rate: x * kept * (1 - rate), "The numbers that stay should grow, "
                "to make up for those that are gone. Yours shrink."),
        Mistake(lambda x, kept, rate: x * ~kept / (1 - rate), "You keep what should be dropped, "
                "and drop what should stay. What does a true entry of kept mean?"),
        Mistake(lambda x, kept, rate: x * ~kept / rate, "You keep what should be dropped, and "
                "drop what should stay. What does a true entry of kept mean?"),
        Mistake(lambda x, kept, rate: x * kept / kept.mean(), "You divide by the share that "
                "happened to stay this time. Dividing by the share expected, 1 minus the rate, "
                "keeps each number independent of the others."),
    ]  # fmt: skip
    return check(
        function,
        right=lambda x, kept, rate: x * kept / (1 - rate),
        cases=cases,
        mistakes=mistakes,
    )


def check_unigram_loss(function: Callable) -> Verdict:
    """Check the mean loss of one who knows only how frequent each word is.

    Parameters
    ----------
    function : callable
        Takes a list of sentences, returns nats for each hidden word.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 5.
    """
    mistakes = [
        Mistake(lambda s: _unigram(s) / math.log(2), "Your unit is the bit. Which logarithm gives "
                "nats?"),
        Mistake(_unigram_by_word, "You average over the different words. A frequent word is "
                "hidden more often: should it not count more often?"),
        Mistake(_unigram_by_sentence, "You average sentence by sentence. Then a word of a short "
                "sentence counts more than one of a long sentence."),
        Mistake(lambda s: -_unigram(s), "A loss is not negative. Where is the minus?"),
        Mistake(lambda s: _unigram(s) * sum(_word_counts(s).values()), "That is the sum over all "
                "hidden words. The loss is their mean."),
        Mistake(lambda s: math.log(len(_word_counts(s))), "You treat all words alike. That is the "
                "uniform guesser; this one knows how frequent they are."),
    ]  # fmt: skip
    return check(
        function, right=_unigram, cases=[(corpus,) for corpus in CORPORA], mistakes=mistakes
    )


def check_masked_loss(function: Callable) -> Verdict:
    """Check the mean loss over the labeled positions, in numpy.

    Parameters
    ----------
    function : callable
        Takes logits "seq vocab" and labels "seq" with -100 where nothing is asked.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 5.
    """
    rng = np.random.default_rng(53)
    usual = [
        (rng.standard_normal((5, 7)), np.array([-100, 2, -100, 6, 0])),
        (rng.standard_normal((3, 4)), np.array([3, 1, -100])),
    ]
    verdict = check(
        function, right=cross_entropy, cases=usual, mistakes=_masked_loss_mistakes(), rtol=1e-7
    )
    if not verdict.passed:
        return verdict
    certain = (np.array([[900.0, 0.0], [0.0, 0.0], [1.0, 2.0]]), np.array([0, 1, -100]))
    hopeless = (np.array([[0.0, 1000.0], [0.5, 0.0]]), np.array([0, 1]))
    edges = [
        Mistake(_mean_of_nonzero, "Right on random numbers. But a labeled position that is "
                "certain and right has a loss of exactly 0, and yours forgets it. What decides "
                "whether a position counts?"),
        Mistake(_overflowing_total, OVERFLOW),
        Mistake(_overflowing_shares, OVERFLOW),
        Mistake(_log_of_share, "Right on small logits, but a share below the smallest number "
                "there is becomes 0, and its logarithm infinite. Can you take the logarithm "
                "before anything is rounded to 0?"),
        Mistake(_with_epsilon, "A tiny number in the logarithm? It changes the answer for "
                "hopeless words. The logarithm of a softmax needs no help."),
    ]  # fmt: skip
    return check(
        function, right=cross_entropy, cases=[*usual, certain, hopeless], mistakes=edges, rtol=1e-8
    )


def check_left_floor(function: Callable) -> Verdict:
    """Check the floor of a guesser who sees all words before the hidden one, and no others.

    Parameters
    ----------
    function : callable
        Takes a list of sentences, returns nats for each word.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 5.
    """

    def floor(context: Callable) -> Callable:
        return lambda sentences: masked_word_loss(sentences, context)

    mistakes = [
        Mistake(floor(lambda w, i: w[i - 1] if i else None), "You use the one word before. A "
                "left-to-right model remembers all of them."),
        Mistake(floor(lambda w, i: tuple(w[i + 1 :])), "That is the floor of one who reads from "
                "the right. Which words come before position i?"),
        Mistake(floor(lambda w, i: tuple(w[: i + 1])), "Your guesser sees the hidden word itself. "
                "Where should the slice end?"),
        Mistake(floor(lambda w, i: tuple(sorted(w[:i]))), "You forget the order of the words "
                "before."),
        Mistake(lambda s: masked_word_ladder(s).full, "Your guesser also sees what follows. A "
                "left-to-right model does not."),
        Mistake(floor(lambda w, i: (len(w), *w[:i])), "Your guesser knows how long the sentence "
                "will be. Reading from the left, nobody does."),
    ]  # fmt: skip
    return check(
        function,
        right=floor(lambda words, position: tuple(words[:position])),
        cases=[(corpus,) for corpus in CORPORA],
        mistakes=mistakes,
    )


def _word_counts(sentences: Sequence[str]) -> Counter:
    return Counter(word for sentence in sentences for word in sentence.split())


def _unigram(sentences: Sequence[str]) -> float:
    return masked_word_loss(sentences, lambda words, position: None)


def _surprise(sentences: Sequence[str]) -> dict[str, float]:
    """Say for each word minus the logarithm of its frequency."""
    counts = _word_counts(sentences)
    return {word: -math.log(count / counts.total()) for word, count in counts.items()}


def _unigram_by_word(sentences: Sequence[str]) -> float:
    return float(np.mean(list(_surprise(sentences).values())))


def _unigram_by_sentence(sentences: Sequence[str]) -> float:
    surprise = _surprise(sentences)
    return float(np.mean([np.mean([surprise[w] for w in s.split()]) for s in sentences]))


def _masked_loss_mistakes() -> list[Mistake]:
    """List what goes wrong on ordinary numbers already."""
    return [
        Mistake(lambda x, y: cross_entropy(x, y) * (y != -100).mean(), "You divide by the number "
                "of all positions. How many were asked?"),
        Mistake(lambda x, y: cross_entropy(x, y) * (y != -100).sum(), "That is the sum. The loss "
                "is the mean over the labeled positions."),
        Mistake(lambda x, y: -cross_entropy(x, y), "A loss is not negative. Where is the minus?"),
        Mistake(lambda x, y: cross_entropy(x, np.where(y == -100, 0, y)), "You count the "
                "positions labeled -100 as if their word had id 0. Nothing is asked there."),
        Mistake(lambda x, y: cross_entropy(x, y) / math.log(2), "Your unit is the bit. Which "
                "logarithm gives nats?"),
        Mistake(lambda x, y: -softmax(x)[y != -100, y[y != -100]].mean(), "You average the shares "
                "of the true words. Where is the logarithm?"),
        Mistake(lambda x, y: -np.log(softmax(x)[y != -100, y[y != -100]].mean()), "You take the "
                "logarithm of the mean. The loss is the mean of the logarithms."),
    ]  # fmt: skip


def _losses(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Compute the loss of each labeled position."""
    asked = labels != -100
    return np.array(
        [cross_entropy(x[None], y[None]) for x, y in zip(logits[asked], labels[asked], strict=True)]
    )


def _mean_of_nonzero(logits: np.ndarray, labels: np.ndarray) -> float:
    losses = _losses(logits, labels)
    return losses[losses != 0].mean()


def _overflowing_shares(logits: np.ndarray, labels: np.ndarray) -> float:
    asked = labels != -100
    exponentials = np.exp(logits[asked])
    shares = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return -np.log(shares[np.arange(len(shares)), labels[asked]]).mean()


def _overflowing_total(logits: np.ndarray, labels: np.ndarray) -> float:
    asked = labels != -100
    scores, truth = logits[asked], labels[asked]
    log_total = np.log(np.exp(scores).sum(axis=-1))
    return (log_total - scores[np.arange(len(truth)), truth]).mean()


def _log_of_share(logits: np.ndarray, labels: np.ndarray) -> float:
    asked = labels != -100
    return -np.log(softmax(logits)[asked, labels[asked]]).mean()


def _with_epsilon(logits: np.ndarray, labels: np.ndarray) -> float:
    asked = labels != -100
    return -np.log(softmax(logits)[asked, labels[asked]] + 1e-9).mean()
