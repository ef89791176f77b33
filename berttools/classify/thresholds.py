"""When to answer, and when to say "I do not know": a threshold for each class. Chapter 19."""

import math

import numpy as np
from jaxtyping import Bool, Float

from .calibration import Classes, Scores

Levels = Float[np.ndarray, " classes"]  # the least probability for an answer
ALPHA = 0.1
UNKNOWN = -1  # in place of a class
REFUSAL = "I do not know"  # in place of a label


def clopper_pearson_lower(right: int, kept: int, alpha: float = ALPHA) -> float:
    """Return the share of right answers, 0 to 1, that so many right ones still speak for.

    The share with which at least `right` of `kept` answers are right with a chance of `alpha`: the
    true share is above it in all but `alpha` of the cases (Clopper and Pearson's bound).

    >>> round(clopper_pearson_lower(45, 45), 3), round(0.1 ** (1 / 45), 3)
    (0.95, 0.95)
    """
    from scipy.special import betaincinv

    return float(betaincinv(right, kept - right + 1, alpha)) if right else 0.0


def choose_thresholds(
    probs: Scores, labels: Classes, target_precision: float, alpha: float = ALPHA
) -> Levels:
    """Return for each class the lowest probability from which its answers reach a precision.

    It is low enough if `clopper_pearson_lower`, with `alpha`, of the answers at or above it reaches
    `target_precision`, by `probs` and true `labels` of a validation part; infinite for a class
    whose answers are too few or too often wrong.

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


def least_answers(target_precision: float) -> int:
    """Compute how many answers, all right, reach it: ``target_precision ** n <= ALPHA``."""
    return math.ceil(math.log(ALPHA) / math.log(target_precision))


def thresholds_and_shared(
    probs: Scores, labels: Classes, precision: float
) -> tuple[Levels, Bool[np.ndarray, " classes"]]:
    """Return thresholds, one for all classes of too few answers for their own, and which share it.

    Together they reach the precision; one of them alone need not. A class of many answers that are
    too often wrong has no part in it, nor has one without a row to choose with.
    """
    answers, thresholds = probs.argmax(axis=-1), choose_thresholds(probs, labels, precision)
    given, there = (np.bincount(x, minlength=len(thresholds)) for x in (answers, labels))
    lacking = np.isinf(thresholds) & (given < least_answers(precision)) & (there > 0)
    own = lacking[answers]  # (rows)
    # One class, which is "right" with the probability of the answer.
    confidence, wrong = probs.max(axis=-1)[own, None], (answers != labels)[own].astype(int)
    level = choose_thresholds(confidence, wrong, precision)[0]
    return np.where(lacking, level, thresholds), lacking & np.isfinite(level)


def decide(probs: Scores, thresholds: Levels) -> Classes:
    """Return the most probable class by `probs`, or -1, "I do not know", below its `thresholds`.

    >>> decide(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([0.8, 0.5]))
    array([ 0, -1])
    """
    answers = probs.argmax(axis=-1)  # (rows)
    return np.where(probs.max(axis=-1) >= thresholds[answers], answers, UNKNOWN)
