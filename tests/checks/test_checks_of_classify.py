"""Right answers to the exercises of Chapter 16, written in other ways, pass."""

from math import comb

import numpy as np
import torch
from kinds_of_answers import right_answers
from torch.nn import functional

from bertbook.checks.classify import (
    check_head,
    check_mcnemar,
    check_several_labels,
    check_stopping,
    check_threshold,
)
from minibert.training import BestWeights


def head(x, weight, bias, labels):
    """Right, and by PyTorch."""
    tensors = (torch.from_numpy(part) for part in (x, weight, bias))
    return functional.cross_entropy(functional.linear(*tensors), torch.from_numpy(labels)).item()


def several(logits, labels):
    """Right, and by PyTorch."""
    given = torch.from_numpy(logits), torch.from_numpy(labels)
    return functional.binary_cross_entropy_with_logits(*given).item()


def stopping(losses, patience):
    """Right, and by the package."""
    best = BestWeights(patience)
    model = torch.nn.Linear(1, 1)
    for number, loss in enumerate(losses, start=1):
        best.record(loss, number, model)
        if best.is_over:
            break
    return best.step, number


def mcnemar_by_pairs(truth, first, second):
    """Right, and row by row."""
    only = [0, 0]
    for true, one, other in zip(truth, first, second, strict=True):
        if (one == true) != (other == true):
            only[int(other == true)] += 1
    coins = sum(only)
    ways = [comb(coins, heads) for heads in range(coins + 1)]
    return sum(
        w for heads, w in enumerate(ways) if abs(2 * heads - coins) >= abs(only[0] - only[1])
    ) / sum(ways)


def threshold(chances, truth, wanted):
    """Right, and from the lowest upwards."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == truth
    return next((t for t in np.unique(sure) if right[sure >= t].mean() >= wanted), np.inf)


test_right_answers_pass_however_they_are_written = right_answers(
    (check_head, head),
    (check_several_labels, several),
    (check_threshold, threshold),
    (check_stopping, stopping),
    (check_stopping, lambda *given: list(stopping(*given))),
    (check_mcnemar, lambda *given: np.float64(0) + mcnemar_by_pairs(*given)),
)
