"""Exercises of Chapter 5: dropout and the masked loss."""

from __future__ import annotations

import math

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(51)


def _dropout_case(shape, rate):
    kept = _RNG.random(shape) >= rate
    kept.flat[:2] = True, False
    return _RNG.standard_normal(shape), kept, rate


def _dropout(x, kept, rate, *, stays=as_it_is, scale=lambda kept, rate: 1 / (1 - rate)):
    return np.where(stays(kept), x * scale(kept, rate), 0.0)


def _keeps_or_drops(got, want, x, kept, rate):
    """Return whether each number is dropped or kept, as it was or scaled, whatever was asked."""
    faces = [got, got - x, got - x / (1 - rate)]
    return np.any(np.isclose(faces, 0, atol=1e-6), axis=0).all()


def _by_own_mask(x, kept, rate):
    return _dropout(x, np.random.default_rng(x.size).random(x.shape) >= rate, rate)


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
        Mistake(lambda x, kept, rate: np.where(kept, x / (1 - rate), x), "Nothing is dropped: the "
                "other numbers stay as they were. They should be 0."),
        Mistake(lambda x, kept, rate: x * kept / 1 - rate, "Python divides before it subtracts: "
                "put brackets around 1 - rate."),
        Mistake({"scale": lambda kept, rate: rate / (1 - rate)}, "What stays is multiplied by the "
                "rate as well. Divide by 1 minus the rate, and no more."),
        Mistake({"scale": lambda kept, rate: rate}, "The numbers that stay are to grow. Yours are "
                "multiplied by the rate."),
        Mistake({"scale": lambda kept, rate: 1 / (1 - rate) ** 2}, "You divide by 1 minus the rate "
                "twice."),
        Mistake({"scale": lambda kept, rate: 1 + rate}, "1 plus the rate is close, but 0.9 · 1.1 "
                "is 0.99. Which factor times 1 minus the rate gives 1?"),
        Mistake({"scale": lambda kept, rate: 1 / np.sqrt(1 - rate)}, "That keeps the mean of the "
                "squares. Here the mean itself is to stay. No root."),
        Mistake(lambda x, kept, rate: x[kept] / (1 - rate), "x[kept] cuts the dropped numbers out. "
                "They stay in their places, as zeros."),
        Mistake(lambda x, kept, rate: x[kept], "x[kept] cuts the dropped numbers out. They stay in "
                "their places, as zeros, and the others grow."),
        Mistake(lambda x, kept, rate: kept / (1 - rate), "Those are the factors. By what are they "
                "multiplied?"),
        Mistake({"stays": lambda kept: ~kept, "scale": lambda kept, rate: 1 / rate}, "You keep "
                "what should be dropped, and scale as if the rate stayed. What does a true entry "
                "of kept mean?"),
        Mistake(_by_own_mask, "You draw a mask of your own, or do not follow the one you get. What "
                "stays is decided already: kept is true there.", trace=_keeps_or_drops),
    ],
)  # fmt: skip


def _highest(x):
    return x.max(axis=-1, keepdims=True, initial=-np.inf)


def _log_softmax(x, highest=_highest, log=np.log):
    x = x - highest(x)
    return x - log(np.exp(x).sum(axis=-1, keepdims=True))


def _log_of_shares(x, highest=_highest, epsilon=0.0):
    powers = np.exp(x - highest(x))
    return np.log(powers / powers.sum(axis=-1, keepdims=True) + epsilon)


def _zero(x):
    return 0


def _masked_loss(logits, labels, *, log=_log_softmax, ignored=-100,
                 reduce=lambda losses, labels: losses.mean(), unit=1.0, sign=1):  # fmt: skip
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
        Mistake(lambda x, y: _masked_loss(x, np.where(y > 0, y, -100)), "You leave out the word "
                "with id 0, which is a word like any other."),
        Mistake(lambda x, y: -_log_softmax(x[y != -100])[:, y[y != -100]].mean(), "You take the "
                "columns of all labels at every position. Each position has one label: index rows "
                "and labels together."),
        Mistake({"ignored": 0}, "You leave out the word with id 0 and count positions without a "
                "label. Which number says that there is none?"),
        Mistake({"unit": math.log(2)}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"unit": math.log(10)}, "Your logarithm has the base 10. Which one gives nats?"),
        *(Mistake({"log": lambda x, log=log: _log_softmax(x, log=log)}, "The logarithm that undoes "
                  "np.exp is np.log. Yours has another base.") for log in (np.log2, np.log10)),
        Mistake({"reduce": lambda losses, y: np.exp(losses.mean())}, "That is e to the loss, the "
                "perplexity. The loss itself is asked for."),
        Mistake({"reduce": lambda losses, y: losses.mean() / len(y)}, "That is a mean already. Why "
                "divide once more?"),
        Mistake({"reduce": lambda losses, y: losses.max()}, "That is the largest loss. Take the "
                "mean of all that have a label."),
        *(Mistake(lambda x, y, of=of: -of(_log_softmax(x[y != -100])).mean(), hint)
          for of, hint in (
              (np.asarray, "You average over all words. The true one of each position counts."),
              (lambda logs: logs.max(axis=-1), "You take the loss of the most probable word. Which "
               "word is true is said by the label."))),
        Mistake({"log": lambda x: np.exp(_log_softmax(x))}, "You average the probabilities of the "
                "true words. Where is the logarithm?"),
        Mistake({"reduce": lambda losses, y: -np.log(np.exp(-losses).mean())}, "You take the "
                "logarithm of the mean. The loss is the mean of the logarithms."),
        Mistake({"log": as_it_is}, "You take the logit of the true word. Its probability depends "
                "on the others: where is softmax?"),
        Mistake({"log": lambda x: x - _highest(x)}, "Subtracting the largest logit changes no "
                "probability. Where is the sum over all words?"),
        Mistake({"reduce": lambda losses, y: losses[losses != 0].mean()}, "Right on random "
                "numbers. But a labeled position that is certain and right has a loss of exactly "
                "0, and yours forgets it. What decides whether a position counts?"),
        *(Mistake({"log": lambda x, log=log: log(x, _zero)}, "Right on small logits, but a logit "
                  "of 900 overflows. Which number can you subtract from a row without changing its "
                  "probabilities?") for log in (_log_softmax, _log_of_shares)),
        *(Mistake({"log": lambda x, log=log: log(x, np.max)}, "You subtract the largest logit of "
                  "the whole array. A row far below it underflows to 0. Which maximum does each "
                  "row need?") for log in (_log_softmax, _log_of_shares)),
        Mistake({"log": _log_of_shares}, "Right on small logits, but a probability below the "
                "smallest number there is becomes 0, and its logarithm infinite. Can you take the "
                "logarithm before anything is rounded to 0?"),
        *(Mistake({"log": lambda x, tiny=tiny: _log_of_shares(x, epsilon=tiny)},
                  "A tiny number in the logarithm? It changes the answer for hopeless words. The "
                  "logarithm of a softmax needs no "
                  "help.") for tiny in (1e-7, 1e-8, 1e-9, 1e-10, 1e-12)),
    ],
)  # fmt: skip
