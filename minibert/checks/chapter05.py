"""Exercises of Chapter 5: dropout, the unigram loss, the masked loss, and a left-to-right floor."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from minibert.corpus import hundred_sentences, masked_word_ladder, masked_word_loss

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(51)
_CORPORA = [
    (["one cat", "one dog", "one dog sleeps"],),
    (["the cat sees the dog", "the dog sees the cat", "the dog sleeps", "a cat sleeps by day"],),
    (["a day by the sea", "a day by the river", "the sea by day", "a sea"],),
    (["left right left", "right left right", "left left"],),
    (list(hundred_sentences()),),
]


def _dropout_case(shape, rate):
    kept = _RNG.random(shape) >= rate
    kept.flat[:2] = True, False
    return _RNG.standard_normal(shape), kept, rate


def _dropout(x, kept, rate, *, stays=as_it_is, scale=lambda kept, rate: 1 / (1 - rate)):
    return np.where(stays(kept), x * scale(kept, rate), 0.0)


check_dropout = Exercise(
    "Write inverted dropout, when what stays is given.",
    _dropout,
    cases=[_dropout_case((4,), 0.1), _dropout_case((2, 5), 0.25), _dropout_case((2, 3, 4), 0.6)],
    mistakes=[
        Mistake({"scale": lambda kept, rate: 1}, "The right numbers are dropped. But the sum is "
                "now smaller than it will be when nothing is dropped. By which factor?"),
        Mistake({"scale": lambda kept, rate: 1 / rate}, "Which share of the numbers stays on "
                "average: the rate, or 1 minus the rate?"),
        Mistake({"scale": lambda kept, rate: 1 - rate}, "The numbers that stay should grow, to "
                "make up for those that are gone. Yours shrink."),
        Mistake({"stays": lambda kept: ~kept}, "You keep what should be dropped, and drop what "
                "should stay. What does a true entry of kept mean?"),
        Mistake({"stays": lambda kept: kept | True}, "Nothing is dropped. Which argument says what "
                "stays?"),
        Mistake({"scale": lambda kept, rate: 1 / kept.mean()}, "You divide by the share that "
                "happened to stay this time. Dividing by the share expected, 1 minus the rate, "
                "keeps each number independent of the others."),
    ],
)  # fmt: skip


def _word_counts(sentences):
    return Counter(word for sentence in sentences for word in sentence.split())


def _surprises(sentences):
    """Say for each word minus the logarithm of its frequency."""
    counts = _word_counts(sentences)
    return {word: -math.log(count / counts.total()) for word, count in counts.items()}


def _by_token(sentences):
    counts, surprises = _word_counts(sentences), _surprises(sentences)
    return sum(counts[word] * surprises[word] for word in counts) / counts.total()


def _by_word(sentences):
    return np.mean([*_surprises(sentences).values()])


def _by_sentence(sentences):
    surprises = _surprises(sentences)
    return np.mean([np.mean([surprises[w] for w in s.split()]) for s in sentences])


def _unigram(sentences, *, mean=_by_token, unit=1.0, sign=1):
    return float(sign * mean(sentences) / unit)


check_unigram_loss = Exercise(
    "Compute the mean loss of somebody who knows only how frequent each word is.",
    _unigram,
    cases=_CORPORA,
    forbidden=["masked_word_loss", "masked_word_ladder"],
    mistakes=[
        Mistake({"unit": math.log(2)}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"unit": math.log(10)}, "Your logarithm has the base 10. Which one gives nats?"),
        Mistake({"mean": _by_word}, "You average over the different words. A frequent word is "
                "hidden more often: should it not count more often?"),
        Mistake({"mean": _by_sentence}, "You average sentence by sentence. Then a word of a short "
                "sentence counts more than one of a long sentence."),
        Mistake({"sign": -1}, "A loss is not negative. Where is the minus?"),
        Mistake({"mean": lambda s: _by_token(s) * _word_counts(s).total()}, "That is the sum over "
                "all hidden words. The loss is their mean."),
        Mistake({"mean": lambda s: math.log(len(_word_counts(s)))}, "You treat all words alike. "
                "That is the uniform guesser; this one knows how frequent they are."),
    ],
)  # fmt: skip


def _highest(x):
    return x.max(axis=-1, keepdims=True, initial=-np.inf)


def _log_softmax(x, highest=_highest):
    x = x - highest(x)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def _log_of_shares(x, highest=_highest, epsilon=0.0):
    powers = np.exp(x - highest(x))
    return np.log(powers / powers.sum(axis=-1, keepdims=True) + epsilon)


def _zero(x):
    return 0


def _mean(losses, labels):
    return losses.mean()


def _masked_loss(logits, labels, *, log=_log_softmax, ignored=-100, reduce=_mean, unit=1.0, sign=1):
    kept = labels != ignored
    truth = np.where(labels < 0, 0, labels)[kept]
    losses = -log(logits[kept])[np.arange(len(truth)), truth]
    return sign * reduce(losses, labels) / unit


check_masked_loss = Exercise(
    "Compute the mean loss over the labeled positions, from logits, in numpy.",
    _masked_loss,
    cases=[
        (_RNG.standard_normal((3, 4)), np.array([3, 1, -100])),
        (_RNG.standard_normal((5, 7)), np.array([-100, 2, -100, 6, 0])),
    ],
    edges=[
        (np.array([[900.0, 0.0], [0.0, 0.0], [1.0, 2.0]]), np.array([0, 1, -100])),
        (np.array([[0.0, 1000.0], [0.5, 0.0]]), np.array([0, 1])),
    ],
    forbidden=["cross_entropy", "masked_lm_loss"],
    rtol=1e-8,
    mistakes=[
        Mistake({"reduce": lambda losses, y: losses.sum() / len(y)}, "You divide by the number of "
                "all positions. How many have a label?"),
        Mistake({"reduce": lambda losses, y: losses.sum()}, "That is the sum. The loss is the mean "
                "over the labeled positions."),
        Mistake({"sign": -1}, "A loss is not negative. Where is the minus?"),
        Mistake({"ignored": None}, "You count the positions labeled -100 as if their word had id "
                "0. They have no label at all."),
        Mistake({"ignored": 0}, "You leave out the word with id 0 and count positions without a "
                "label. Which number says that there is none?"),
        Mistake({"unit": math.log(2)}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"log": lambda x: np.exp(_log_softmax(x))}, "You average the shares of the true "
                "words. Where is the logarithm?"),
        Mistake({"reduce": lambda losses, y: -np.log(np.exp(-losses).mean())}, "You take the "
                "logarithm of the mean. The loss is the mean of the logarithms."),
        Mistake({"log": as_it_is}, "You take the logit of the true word. Its share depends on the "
                "others: where is softmax?"),
        Mistake({"reduce": lambda losses, y: losses[losses != 0].mean()}, "Right on random "
                "numbers. But a labeled position that is certain and right has a loss of exactly "
                "0, and yours forgets it. What decides whether a position counts?"),
        *(Mistake({"log": lambda x, log=log: log(x, _zero)}, "Right on small logits, but a logit "
                  "of 900 overflows. Which number can you subtract from a row without changing its "
                  "shares?") for log in (_log_softmax, _log_of_shares)),
        *(Mistake({"log": lambda x, log=log: log(x, np.max)}, "You subtract the largest logit of "
                  "the whole array. A row far below it underflows to 0. Which maximum does each "
                  "row need?") for log in (_log_softmax, _log_of_shares)),
        Mistake({"log": _log_of_shares}, "Right on small logits, but a share below the smallest "
                "number there is becomes 0, and its logarithm infinite. Can you take the logarithm "
                "before anything is rounded to 0?"),
        *(Mistake({"log": lambda x, tiny=tiny: _log_of_shares(x, epsilon=tiny)},
                  "A tiny number in the logarithm? It changes the answer for hopeless words. The "
                  "logarithm of a softmax needs no "
                  "help.") for tiny in (1e-7, 1e-8, 1e-9, 1e-10, 1e-12)),
    ],
)  # fmt: skip


def _before(words, i):
    return tuple(words[:i])


def _left_floor(sentences, *, seen=_before):
    return masked_word_loss(sentences, seen)


check_left_floor = Exercise(
    "Compute the floor of a guesser who sees all words before the hidden one, and no others.",
    _left_floor,
    cases=_CORPORA,
    mistakes=[
        Mistake({"seen": lambda w, i: w[i - 1] if i else None}, "You use the one word before. A "
                "left-to-right model remembers all of them."),
        Mistake({"seen": lambda w, i: tuple(w[i + 1 :])}, "That is the floor of one who reads from "
                "the right. Which words come before position i?"),
        Mistake({"seen": lambda w, i: tuple(w[: i + 1])}, "Your guesser sees the hidden word "
                "itself. Where should the slice end?"),
        Mistake({"seen": lambda w, i: tuple(sorted(w[:i]))}, "You forget the order of the words "
                "before."),
        Mistake(lambda s: masked_word_ladder(s).full, "Your guesser also sees what follows. A "
                "left-to-right model does not."),
        Mistake({"seen": lambda w, i: (len(w), *w[:i])}, "Your guesser knows how long the sentence "
                "will be. Reading from the left, nobody does."),
        Mistake({"seen": lambda w, i: i}, "Your guesser knows only at which position the word "
                "stands. It sees the words before, too."),
        Mistake({"seen": lambda w, i: None}, "That is the unigram loss. What stands before the "
                "word?"),
    ],
)  # fmt: skip
