"""When to answer, and when to say "I do not know": a threshold per class, with a margin.

Chapter 19.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Bool, Float, Int

DOUBT = 0.1
UNKNOWN = -1  # in place of a class
REFUSAL = "I do not know"  # in place of a label


def chance_of(right: int, kept: int, share: float) -> float:
    """Compute how often at least so many of `kept` answers come out right, if `share` are.

    ``sum over k from right to kept of C(kept, k) share**k (1 - share)**(kept - k)``, with a share
    above 0 and below 1.
    """
    wrong = np.arange(kept - right + 1)  # as many as may be wrong
    factorials = np.cumsum(np.log(np.maximum(np.arange(kept + 1), 1)))
    logs = factorials[kept] - factorials[wrong] - factorials[kept - wrong]
    logs = logs + wrong * math.log(1 - share) + (kept - wrong) * math.log(share)
    return float(np.exp(logs).sum())


def share_at_least(right: int, kept: int, doubt: float = DOUBT) -> float:
    """Compute the share of right answers that so many right ones still speak for.

    The share with which at least `right` of `kept` answers are right with a chance of `doubt`: the
    true share is above it in all but `doubt` of the cases (Clopper and Pearson's bound).

    Parameters
    ----------
    right : int
        Answers that are right.
    kept : int
        Answers in all.
    doubt : float, default 0.1
        How often the bound may be too high, between 0 and 1.

    Returns
    -------
    float
        From 0 to 1; 0 if no answer is right.

    Examples
    --------
    >>> round(share_at_least(45, 45), 3), round(0.1 ** (1 / 45), 3)
    (0.95, 0.95)
    """
    if not right:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        low, high = (low, share) if chance_of(right, kept, share) > doubt else (share, high)
    return low


def choose_thresholds(
    probs: Float[np.ndarray, "rows classes"],
    labels: Int[np.ndarray, " rows"],
    promise: float,
    doubt: float = DOUBT,
) -> Float[np.ndarray, " classes"]:
    """Choose for each class the lowest probability from which its answers keep a promise.

    It is good enough if `share_at_least` of the answers at or above it reaches `promise`.

    Parameters
    ----------
    probs : float array, shape (rows, classes)
        Probabilities on a validation part.
    labels : int array, shape (rows,)
        The true classes.
    promise : float
        Wanted share of right answers, above 0 and below 1.
    doubt : float, default 0.1
        As for `share_at_least`.

    Returns
    -------
    float array, shape (classes,)
        Infinity for a class whose answers are too few or too often wrong.

    Examples
    --------
    >>> probs = np.array([[0.9, 0.1]] * 45 + [[0.3, 0.7]] * 3)
    >>> choose_thresholds(probs, np.array([0] * 45 + [1] * 3), promise=0.95)
    array([0.9, inf])
    """
    answers, sure = probs.argmax(axis=-1), probs.max(axis=-1)  # (rows), (rows)
    thresholds = np.full(probs.shape[-1], math.inf)
    for number in range(len(thresholds)):
        own = np.flatnonzero(answers == number)
        levels = sure[own]
        for level in np.unique(levels):
            kept = own[levels >= level]
            right = int((labels[kept] == number).sum())
            if chance_of(right, len(kept), promise) <= doubt:
                thresholds[number] = level
                break
    return thresholds


def least_answers(promise: float, doubt: float = DOUBT) -> int:
    """Compute how many answers, all right, speak for a promise: ``promise ** n <= doubt``."""
    return math.ceil(math.log(doubt) / math.log(promise))


def share_threshold(
    probs: Float[np.ndarray, "rows classes"],
    labels: Int[np.ndarray, " rows"],
    thresholds: Float[np.ndarray, " classes"],
    promise: float,
    doubt: float = DOUBT,
) -> tuple[Float[np.ndarray, " classes"], Bool[np.ndarray, " classes"]]:
    """Give one threshold to all classes whose answers are too few for one of their own.

    Together they keep the promise; one of them alone need not. A class of many answers that are too
    often wrong has no part in it, nor has one without a row to choose with.

    Parameters
    ----------
    probs : float array, shape (rows, classes)
        Probabilities on a validation part.
    labels : int array, shape (rows,)
        The true classes.
    thresholds : float array, shape (classes,)
        What `choose_thresholds` has chosen.
    promise : float
        Wanted share of right answers, above 0 and below 1.
    doubt : float, default 0.1
        As for `share_at_least`.

    Returns
    -------
    thresholds : float array, shape (classes,)
        The same where they are finite; infinity if together they are too few or too often wrong.
    shared : bool array, shape (classes,)
        Which classes have the common threshold.

    Examples
    --------
    >>> probs = np.array([[0.9, 0.1], [0.1, 0.9]] * 15)
    >>> labels = np.array([0, 1] * 15)
    >>> alone = choose_thresholds(probs, labels, 0.9)
    >>> share_threshold(probs, labels, alone, 0.9)
    (array([0.9, 0.9]), array([ True,  True]))
    """
    classes, answers = probs.shape[-1], probs.argmax(axis=-1)  # (rows)
    given, there = (np.bincount(x, minlength=classes) for x in (answers, labels))
    few = np.isinf(thresholds) & (given < least_answers(promise, doubt)) & (there > 0)
    own = few[answers]
    # One class, which is "right" with the probability of the answer.
    sure, wrong = probs.max(axis=-1)[own, None], (answers != labels)[own].astype(int)
    level = choose_thresholds(sure, wrong, promise, doubt)[0]
    return np.where(few, level, thresholds), few & np.isfinite(level)


def decide(
    probs: Float[np.ndarray, "rows classes"], thresholds: Float[np.ndarray, " classes"]
) -> Int[np.ndarray, " rows"]:
    """Answer with the most probable class, or with -1 for "I do not know".

    Parameters
    ----------
    probs : float array, shape (rows, classes)
        Each row sums to 1.
    thresholds : float array, shape (classes,)
        The least probability for an answer, for each class.

    Returns
    -------
    int array, shape (rows,)
        A class, or -1 where its probability is below its threshold.

    Examples
    --------
    >>> decide(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([0.8, 0.5]))
    array([ 0, -1])
    """
    answers = probs.argmax(axis=-1)  # (rows)
    return np.where(probs.max(axis=-1) >= thresholds[answers], answers, UNKNOWN)
