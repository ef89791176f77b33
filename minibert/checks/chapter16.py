"""Checkers of Chapter 16: the head and its loss, several labels, early stopping, seeds."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Int

from .verdict import Mistake, Verdict, check

Numbers = Float[np.ndarray, "..."]
Classes = Int[np.ndarray, "..."]


def check_head(function: Callable) -> Verdict:
    """Check the loss of a classifier on pooled vectors.

    Parameters
    ----------
    function : callable
        Takes vectors (batch, hidden), weight (classes, hidden), bias (classes,) and labels
        (batch,); returns the mean loss in nats.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 16.
    """
    mistakes = [
        Mistake(lambda x, w, b, y: _head(x, w, b, (y + 1) % len(w)), "Your labels are shifted by "
                "one: the class after the true one is asked for. Classes are counted from 0."),
        Mistake(lambda x, w, b, y: _head(x, w, b, y - 1), "Your labels are shifted by one: the "
                "class before the true one is asked for. Classes are counted from 0."),
        Mistake(lambda x, w, b, y: _head(x, w, 0 * b, y), "The bias is missing. It says which "
                "class to lean to before anything is read."),
        Mistake(lambda x, w, b, y: _head(x, w, b, y) * len(y), "That is the sum over the batch. A "
                "mean is wanted, so that batches of any size can be compared."),
        Mistake(lambda x, w, b, y: -_head(x, w, b, y), "Right up to the sign. A loss is minus the "
                "logarithm of a probability."),
        Mistake(lambda x, w, b, y: _head(x, w, b, y) / math.log(2), "These are bits. Nats are "
                "counted with the natural logarithm."),
        Mistake(lambda x, w, b, y: 1 - float(np.mean(_chosen(x, w, b, y))), "That is one minus "
                "the mean probability of the true class. Where is the logarithm?"),
        Mistake(lambda x, w, b, y: -math.log(np.mean(_chosen(x, w, b, y))), "You take the "
                "logarithm of the mean. Take the mean of the logarithms."),
        Mistake(_over_the_batch, "Your softmax runs over the batch. The classes of one request "
                "share the probability, not the requests."),
        Mistake(lambda x, w, b, y: float(-np.mean(_scores(x, w, b)[np.arange(len(y)), y])), "These "
                "are scores. Which probabilities does the softmax make of them?"),
    ]  # fmt: skip
    rng = np.random.default_rng(16)
    cases = []
    for batch, classes in ((3, 3), (4, 2), (1, 5)):
        given = rng.normal(size=(batch, 4)), rng.normal(size=(classes, 4)), rng.normal(size=classes)
        cases.append((*given, rng.integers(classes, size=batch)))
    return check(function, right=_head, cases=cases, mistakes=mistakes)


def check_several_labels(function: Callable) -> Verdict:
    """Check the loss of labels that do not exclude each other.

    Parameters
    ----------
    function : callable
        Takes logits and labels of 0 and 1, both in shape (batch, classes); returns the mean loss.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 16.
    """
    mistakes = [
        Mistake(lambda z, y: float(-np.mean(np.sum(y * np.log(_softmax(z)), axis=1))), "That is a "
                "softmax: the classes share one probability. Here each is a question of its own, "
                "with a probability of its own."),
        Mistake(lambda z, y: _several(z, y) * y.shape[1], "You add up the classes of each row. The "
                "mean over all questions is wanted, classes included."),
        Mistake(lambda z, y: _several(z, y) * y.size, "That is the sum over all questions. The "
                "mean is wanted."),
        Mistake(lambda z, y: float(-np.mean(y * np.log(_sigmoid(z)))), "Only labels of 1 cost "
                "anything here. What does it cost to say yes where the answer is no?"),
        Mistake(lambda z, y: _several(z, 1 - y), "Turned around: you ask for the probability of "
                "the wrong answer."),
        Mistake(lambda z, y: -_several(z, y), "Right up to the sign."),
        Mistake(lambda z, y: float(np.mean((_sigmoid(z) - y) ** 2)), "These are squared errors of "
                "the probabilities. The loss is minus the logarithm of the right one."),
        Mistake(lambda z, y: float(np.mean(np.abs(_sigmoid(z) - y))), "That is how much "
                "probability the wrong answers get. Where is the logarithm?"),
    ]  # fmt: skip
    rng = np.random.default_rng(61)
    cases = [
        (rng.normal(size=shape), rng.integers(2, size=shape).astype(float))
        for shape in ((2, 3), (4, 2), (1, 4))
    ]
    return check(function, right=_several, cases=cases, mistakes=mistakes)


def check_stopping(function: Callable) -> Verdict:
    """Check when a run ends, and which weights it keeps.

    Parameters
    ----------
    function : callable
        Takes the losses of all evaluations, as they would come, and the patience; returns the
        number of the best evaluation and of the last one that is made, counted from 1.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 16.
    """
    mistakes = [
        Mistake(lambda losses, patience: tuple(n - 1 for n in _stop(losses, patience)), "Right, "
                "but counted from 0. The first evaluation is number 1."),
        Mistake(lambda losses, patience: _stop(losses, patience)[::-1], "Turned around: first the "
                "best one, then the last one."),
        Mistake(lambda losses, patience: (_stop(losses, patience)[1],) * 2, "The last weights are "
                "not the best ones: patience has made them worse."),
        *(Mistake(wrong, "You look at evaluations that are never made. The run ends before the "
                  "loss falls again.") for wrong in (_best_of_all, _all_are_made)),
        Mistake(lambda losses, patience: _stop(losses, patience + 1), "You wait one evaluation too "
                "long."),
        Mistake(lambda losses, patience: _stop(losses, max(1, patience - 1)), "You wait one "
                "evaluation too few."),
        Mistake(lambda losses, patience: _stop(losses, 1), "You stop at the first loss that is not "
                "lower. What is patience for?"),
        Mistake(_against_the_last, "You compare each loss with the one before. Compare it with the "
                "lowest so far: a loss that falls back half-way is no progress."),
        Mistake(_never_forgets, "You count all evaluations without progress. They must come in a "
                "row: a new best one starts the count again."),
        Mistake(_equal_is_better, "An equal loss is not a lower one: the earlier weights stay."),
    ]  # fmt: skip
    cases = [
        ([0.9, 0.5, 0.6, 0.55, 0.7, 0.4], 3),
        ([0.9, 0.8, 0.7], 2),
        ([0.9, 0.95, 0.5, 0.6, 0.45, 0.5, 0.6, 0.2], 2),
        ([0.7, 0.7, 0.7, 0.6], 2),
        ([0.5, 0.6, 0.4, 0.3], 1),
        ([0.6, 0.7, 0.8, 0.9, 0.95, 0.3], 2),
    ]

    @functools.wraps(function)
    def numbers(losses: list[float], patience: int) -> object:
        found = function(losses, patience)
        return tuple(found) if isinstance(found, list) else found

    return check(numbers, right=_stop, cases=cases, mistakes=mistakes)


def check_seeds(function: Callable) -> Verdict:
    """Check mean, standard deviation and standard error of some runs.

    Parameters
    ----------
    function : callable
        Takes one number for each seed; returns mean, standard deviation and standard error.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 16.
    """
    mistakes = [
        Mistake(lambda x: _spread(x, np.std(x)), "You divide by n. The mean was taken from the "
                "same numbers, so they lie too close to it: divide by n − 1."),
        Mistake(lambda x: (*_spread(x)[:2], _spread(x)[1]), "The standard error is that of the "
                "mean. What does it gain from more runs?"),
        Mistake(lambda x: (*_spread(x)[:2], _spread(x)[1] / len(x)), "You divide by n. The error "
                "of a mean falls with the square root of n."),
        Mistake(lambda x: (_spread(x)[0], _spread(x)[2], _spread(x)[1]), "Standard deviation and "
                "standard error have changed places."),
        Mistake(lambda x: (_spread(x)[0], np.var(x, ddof=1), np.var(x, ddof=1) / len(x)), "These "
                "are variances. Where is the square root?"),
        Mistake(lambda x: (*_spread(x)[:2], _spread(x)[1] / math.sqrt(len(x) - 1)), "The n − 1 "
                "is in the standard deviation already. How many runs is the mean taken from?"),
        Mistake(lambda x: (float(np.median(x)), *_spread(x)[1:]), "That is the median. The mean is "
                "wanted."),
    ]  # fmt: skip
    cases = [([0.9, 0.92, 0.88, 0.91, 0.87],), ([0.5, 0.7, 0.55],), ([1.0, 2.0, 4.0, 8.0],)]

    @functools.wraps(function)
    def numbers(values: list[float]) -> object:
        found = function(values)
        return tuple(found) if isinstance(found, list | np.ndarray) else found

    return check(numbers, right=_spread, cases=cases, mistakes=mistakes)


def _scores(x: Numbers, weight: Numbers, bias: Numbers) -> Numbers:
    """Score every class."""
    return x @ weight.T + bias


def _softmax(scores: Numbers, axis: int = 1) -> Numbers:
    """Share one probability."""
    shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return shares / shares.sum(axis=axis, keepdims=True)


def _chosen(x: Numbers, weight: Numbers, bias: Numbers, labels: Classes) -> Numbers:
    """Give the probability of each true class."""
    return _softmax(_scores(x, weight, bias))[np.arange(len(labels)), labels]


def _head(x: Numbers, weight: Numbers, bias: Numbers, labels: Classes) -> float:
    """Compute the mean loss."""
    return float(-np.mean(np.log(_chosen(x, weight, bias, labels))))


def _over_the_batch(x, weight, bias, labels) -> float:
    """Let the requests share: a mistake."""
    shares = _softmax(_scores(x, weight, bias), axis=0)
    return float(-np.mean(np.log(shares[np.arange(len(labels)), labels])))


def _sigmoid(logits: Numbers) -> Numbers:
    """Give each question a probability of its own."""
    return 1 / (1 + np.exp(-logits))


def _several(logits: Numbers, labels: Numbers) -> float:
    """Compute the mean loss of all questions."""
    chances = _sigmoid(logits)
    return float(-np.mean(labels * np.log(chances) + (1 - labels) * np.log(1 - chances)))


def _stop(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """Find the best evaluation, and the last one."""
    best = 0
    for number, loss in enumerate(losses):
        if loss < losses[best] or number == 0:
            best = number
        elif number - best == patience:
            return best + 1, number + 1
    return best + 1, len(losses)


def _best_of_all(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """Take the best of all evaluations, made or not: a mistake."""
    return int(np.argmin(losses)) + 1, _stop(losses, patience)[1]


def _all_are_made(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """Find the best of all evaluations, and wait from there: a mistake."""
    best = int(np.argmin(losses)) + 1
    return best, min(best + patience, len(losses))


def _against_the_last(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """Count rises from one evaluation to the next: a mistake."""
    waited, last = 0, len(losses)
    for number in range(1, len(losses)):
        waited = 0 if losses[number] < losses[number - 1] else waited + 1
        if waited == patience:
            last = number + 1
            break
    return int(np.argmin(losses[:last])) + 1, last


def _never_forgets(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """Count every evaluation without progress: a mistake."""
    best, waited = 0, 0
    for number in range(1, len(losses)):
        if losses[number] < losses[best]:
            best = number
        else:
            waited += 1
        if waited == patience:
            return best + 1, number + 1
    return best + 1, len(losses)


def _equal_is_better(losses: Sequence[float], patience: int) -> tuple[int, int]:
    """Take an equal loss for progress: a mistake."""
    falling = [loss - 1e-9 * number for number, loss in enumerate(losses)]
    return _stop(falling, patience)


def _spread(values: Sequence[float], deviation: float | None = None) -> tuple[float, float, float]:
    """Compute mean, standard deviation and standard error."""
    sd = float(np.std(values, ddof=1)) if deviation is None else float(deviation)
    return float(np.mean(values)), sd, sd / math.sqrt(len(values))
