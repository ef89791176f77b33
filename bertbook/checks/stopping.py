"""Exercise of Chapter 16: when to stop."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise


def _stop(losses, patience):
    lowest, best, waited = np.inf, 0, 0
    for number, loss in enumerate(losses, start=1):
        if loss < lowest:
            lowest, best, waited = loss, number, 0
        else:
            waited += 1
        if waited == patience:
            break
    return best, number


check_stopping = Exercise(
    "Say which evaluation was the best, and which is the last one that is made.",
    _stop,
    cases=[
        ([0.5, 0.6, 0.4, 0.3], 1),
        ([0.9, 0.8, 0.7], 2),
        ([0.7, 0.7, 0.7, 0.6], 2),
        ([0.9, 0.5, 0.6, 0.55, 0.7, 0.4], 3),
        ([0.6, 0.7, 0.8, 0.9, 0.95, 0.3], 2),
        ([0.9, 0.95, 0.5, 0.6, 0.45, 0.5, 0.6, 0.2], 2),
    ],
    mistakes={
        "start=1 → start=0": "Right, but counted from 0. The first evaluation is number 1.",
        "return best, number → return number, best": "Turned around: first the best one, then the "
            "last one.",
        "return best → return number": "The last weights are not the best ones: patience has made "
            "them worse.",
        ("return best → return int(np.argmin(losses)) + 1",
            "→ best = int(np.argmin(losses)) + 1\nreturn best, min(best + patience, len(losses))"):
            "You look at evaluations that are never made. The run ends before the loss falls "
            "again.",
        "return best, number → return best, best + patience": "A run may be over before the "
            "patience is: then the last loss in the list is the last one.",
        ("return best, number → return losses[best - 1], losses[number - 1]",
            "return best → return losses[best - 1]"): "That is a loss. Which evaluation is it, "
            "counted from 1?",
        "return best, number → return best, len(losses)": "The best one is right. The list goes on "
            "after the run has stopped: which evaluation is the last?",
        "np.inf → 0": "No loss is below 0. With which number must the lowest begin, so that the "
            "first loss is lower?",
        "return best → return number - patience": "A list may end before the patience does. "
            "Remember the best one where you find it.",
        "return best, number → return best, number - best": "That is how many evaluations came "
            "after the best one. Which is the last?",
        "waited == patience → number == patience": "You count all evaluations. Patience counts "
            "those since the best one.",
        ("return best → return best - 1", "return best, number → return best, number - 1"):
            "One of the two is counted from 0. Both begin with 1.",
        "return best, number → return best, number + 1": "The run is over at the evaluation at "
            "which patience ends, not at the next one.",
        "loss < lowest → number == 1 or loss > lowest": "You keep the highest loss. The lower one "
            "is better.",
        "waited == patience → waited > patience": "You wait one evaluation too long.",
        "waited == patience → waited == max(1, patience - 1)": "You wait one evaluation too few.",
        "waited == patience → waited": "You stop at the first loss that is not lower. What is "
            "patience for?",
        ("loss < lowest → number == 1 or loss < losses[number - 2]||return best → return "
            "int(np.argmin(losses[:number])) + 1",
            "loss < lowest → number == 1 or loss < losses[number - 2]"):
            "You compare each loss with the one before. Compare it with the lowest so far: a loss "
            "that falls back half-way is no progress.",
        "number, 0 → number, waited": "You count all evaluations without progress. They must come "
            "in a row: a new best one starts the count again.",
        "loss < lowest → loss <= lowest": "An equal loss is not a lower one: the earlier weights "
            "stay.",
    },
)  # fmt: skip
