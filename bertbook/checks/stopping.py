"""Exercise of Chapter 16: when to stop."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake


def _stop(losses, patience, *, better=lambda loss, best, before: loss < best,
          waited=lambda number, best, rises: number - best, wait=lambda p: p,
          told=lambda best, last: (best + 1, last + 1)):  # fmt: skip
    """Find the best evaluation, and the last one that is made."""
    best, rises = 0, 0
    for number, loss in enumerate(losses):
        if number == 0 or better(loss, losses[best], losses[number - 1]):
            best = number
        else:
            rises += 1
        if waited(number, best, rises) >= wait(patience):
            break
    return told(best, number)


def _best_of_all(losses, patience):
    return int(np.argmin(losses)) + 1, _stop(losses, patience)[1]


def _all_are_made(losses, patience):
    best = int(np.argmin(losses)) + 1
    return best, min(best + patience, len(losses))


def _against_the_last(losses, patience):
    last = _stop(losses, patience, better=lambda loss, best, before: loss < before)[1]
    return int(np.argmin(losses[:last])) + 1, last


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
    mistakes=[
        Mistake({"told": lambda best, last: (best, last)}, "Right, but counted from 0. The first "
                "evaluation is number 1."),
        Mistake({"told": lambda best, last: (last + 1, best + 1)}, "Turned around: first the best "
                "one, then the last one."),
        Mistake({"told": lambda best, last: (last + 1, last + 1)}, "The last weights are not the "
                "best ones: patience has made them worse."),
        *(Mistake(wrong, "You look at evaluations that are never made. The run ends before the "
                  "loss falls again.") for wrong in (_best_of_all, _all_are_made)),
        Mistake(lambda losses, p: (_stop(losses, p)[0], _stop(losses, p)[0] + p), "A run may be "
                "over before the patience is: then the last loss in the list is the last one."),
        *(Mistake(lambda losses, p, told=told: told(losses, *_stop(losses, p)), "That is a loss. "
                  "Which evaluation is it, counted from 1?") for told in (
                  lambda losses, best, last: (losses[best - 1], losses[last - 1]),
                  lambda losses, best, last: (losses[best - 1], last))),
        Mistake(lambda losses, p: (_stop(losses, p)[0], len(losses)), "The best one is right. The "
                "list goes on after the run has stopped: which evaluation is the last?"),
        Mistake(lambda losses, p: (0, min(p, len(losses))), "No loss is below 0. With which number "
                "must the lowest begin, so that the first loss is lower?"),
        Mistake(lambda losses, p: (_stop(losses, p)[1] - p, _stop(losses, p)[1]), "A list may end "
                "before the patience does. Remember the best one where you find it."),
        Mistake(lambda losses, p: (_stop(losses, p)[0], _stop(losses, p)[1] - _stop(losses, p)[0]),
                "That is how many evaluations came after the best one. Which is the last?"),
        Mistake(lambda losses, p: (int(np.argmin(losses[:p])) + 1, min(p, len(losses))), "You "
                "count all evaluations. Patience counts those since the best one."),
        *(Mistake({"told": told}, "One of the two is counted from 0. Both begin with 1.")
          for told in (lambda best, last: (best, last + 1), lambda best, last: (best + 1, last))),
        Mistake({"told": lambda best, last: (best + 1, last + 2)}, "The run is over at the "
                "evaluation at which patience ends, not at the next one."),
        Mistake({"better": lambda loss, best, before: loss > best}, "You keep the highest loss. "
                "The lower one is better."),
        Mistake({"wait": lambda patience: patience + 1}, "You wait one evaluation too long."),
        Mistake({"wait": lambda patience: max(1, patience - 1)}, "You wait one evaluation too "
                "few."),
        Mistake({"wait": lambda patience: 1}, "You stop at the first loss that is not lower. What "
                "is patience for?"),
        *(Mistake(wrong, "You compare each loss with the one before. Compare it with the lowest so "
                  "far: a loss that falls back half-way is no progress.") for wrong in (
                  _against_the_last, {"better": lambda loss, best, before: loss < before})),
        Mistake({"waited": lambda number, best, rises: rises}, "You count all evaluations without "
                "progress. They must come in a row: a new best one starts the count again."),
        Mistake({"better": lambda loss, best, before: loss <= best}, "An equal loss is not a lower "
                "one: the earlier weights stay."),
    ],
)  # fmt: skip
