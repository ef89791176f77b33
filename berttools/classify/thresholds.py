"""When to answer, and when to say "I do not know": a threshold per class, with a margin.

Chapter 19.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Bool, Float, Int

ALPHA = 0.1
UNKNOWN = -1  # in place of a class
REFUSAL = "I do not know"  # in place of a label


def clopper_pearson_lower(right: int, kept: int, alpha: float = ALPHA) -> float:
    """Compute the share of right answers that so many right ones still speak for.

    The share with which at least `right` of `kept` answers are right with a chance of `alpha`: the
    true share is above it in all but `alpha` of the cases (Clopper and Pearson's bound).

    Args:
        right: Answers that are right.
        kept: Answers in all.
        alpha: How often the bound may be too high, between 0 and 1.

    Returns:
        From 0 to 1; 0 if no answer is right.

    >>> round(clopper_pearson_lower(45, 45), 3), round(0.1 ** (1 / 45), 3)
    (0.95, 0.95)
    """
    from scipy.special import betaincinv

    return float(betaincinv(right, kept - right + 1, alpha)) if right else 0.0


def choose_thresholds(
    probs: Float[np.ndarray, "rows classes"],
    labels: Int[np.ndarray, " rows"],
    target_precision: float,
    alpha: float = ALPHA,
) -> Float[np.ndarray, " classes"]:
    """Choose for each class the lowest probability from which its answers reach a precision.

    It is low enough if `clopper_pearson_lower` of the answers at or above it reaches
    `target_precision`.

    Args:
        probs: Probabilities on a validation part.
        labels: The true classes.
        target_precision: Wanted share of right answers, above 0 and below 1.
        alpha: As for `clopper_pearson_lower`.

    Returns:
        Infinity for a class whose answers are too few or too often wrong.

    >>> probs = np.array([[0.9, 0.1]] * 45 + [[0.3, 0.7]] * 3)
    >>> choose_thresholds(probs, np.array([0] * 45 + [1] * 3), target_precision=0.95)
    array([0.9, inf])
    """
    answers, confidence = probs.argmax(axis=-1), probs.max(axis=-1)  # (rows), (rows)
    thresholds = np.full(probs.shape[-1], math.inf)
    for number in range(len(thresholds)):
        own = np.flatnonzero(answers == number)
        own = own[np.argsort(-confidence[own], kind="stable")]  # the surest first
        sure, hits = confidence[own], (labels[own] == number).cumsum()
        bounds = [clopper_pearson_lower(int(n), kept, alpha) for kept, n in enumerate(hits, 1)]
        is_level = np.append(sure[1:] < sure[:-1], True)[: len(sure)]  # the last one of equals
        reached = sure[is_level & (np.array(bounds) >= target_precision)]
        thresholds[number] = min(reached, default=math.inf)
    return thresholds


def least_answers(target_precision: float, alpha: float = ALPHA) -> int:
    """Compute how many answers, all right, reach it: ``target_precision ** n <= alpha``."""
    return math.ceil(math.log(alpha) / math.log(target_precision))


def share_threshold(
    probs: Float[np.ndarray, "rows classes"],
    labels: Int[np.ndarray, " rows"],
    thresholds: Float[np.ndarray, " classes"],
    target_precision: float,
    alpha: float = ALPHA,
) -> tuple[Float[np.ndarray, " classes"], Bool[np.ndarray, " classes"]]:
    """Give one threshold to all classes whose answers are too few for one of their own.

    Together they reach the precision; one of them alone need not. A class of many answers that
    are too often wrong has no part in it, nor has one without a row to choose with. Returned are
    the thresholds, which are infinite where even together they are too few or too often wrong, and
    which classes share one.
    """
    classes, answers = probs.shape[-1], probs.argmax(axis=-1)  # (rows)
    given, there = (np.bincount(x, minlength=classes) for x in (answers, labels))
    few = np.isinf(thresholds) & (given < least_answers(target_precision, alpha)) & (there > 0)
    own = few[answers]
    # One class, which is "right" with the probability of the answer.
    confidence, wrong = probs.max(axis=-1)[own, None], (answers != labels)[own].astype(int)
    level = choose_thresholds(confidence, wrong, target_precision, alpha)[0]
    return np.where(few, level, thresholds), few & np.isfinite(level)


def decide(
    probs: Float[np.ndarray, "rows classes"], thresholds: Float[np.ndarray, " classes"]
) -> Int[np.ndarray, " rows"]:
    """Answer with the most probable class, or with -1 for "I do not know".

    Args:
        probs: Each row sums to 1.
        thresholds: The least probability for an answer, for each class.

    Returns:
        A class, or -1 where its probability is below its threshold.

    >>> decide(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([0.8, 0.5]))
    array([ 0, -1])
    """
    answers = probs.argmax(axis=-1)  # (rows)
    return np.where(probs.max(axis=-1) >= thresholds[answers], answers, UNKNOWN)
