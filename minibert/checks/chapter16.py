"""Exercises of Chapter 16: the head and its loss, several labels, early stopping."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(16)


def _sigmoid(logits):
    return 1 / (1 + np.exp(-logits))


def _head(x, weight, bias, labels, *, shift=0, bias_times=1, shares=softmax,
          log=lambda chances: -np.log(chances), reduce=np.mean, unit=1.0, sign=1,
          turn=np.transpose):  # fmt: skip
    """Compute the loss of a classifier on pooled vectors."""
    chances = shares(x @ turn(weight) + bias_times * bias)
    classes = (labels + shift) % len(weight)
    return sign * reduce(log(chances[np.arange(len(labels)), classes])) / unit


def _head_case(batch, classes):
    given = _RNG.normal(size=(batch, 4)), _RNG.normal(size=(classes, 4)), _RNG.normal(size=classes)
    return *given, _RNG.integers(classes, size=batch)


check_head = Exercise(
    "Compute the mean loss of a classifier, from pooled vectors.",
    _head,
    cases=[_head_case(3, 3), _head_case(4, 2), _head_case(1, 5)],
    mistakes=[
        *(Mistake({"shift": shift}, f"Your labels are shifted by one: the class {where} the true "
                  "one is asked for. Classes are counted from 0.")
          for shift, where in ((1, "after"), (-1, "before"))),
        Mistake({"bias_times": 0}, "The bias is missing. It says which class to lean to before "
                "anything is read."),
        Mistake({"turn": as_it_is}, "The weight has a row for each class. What must become of it "
                "before pooled @ weight?"),
        Mistake({"reduce": np.sum}, "That is the sum over the batch. A mean is wanted, so that "
                "batches of any size can be compared."),
        Mistake({"sign": -1}, "Right up to the sign. A loss is minus the logarithm of a "
                "probability."),
        *(Mistake({"unit": math.log(base)}, f"These are {unit}. Nats are counted with the natural "
                  "logarithm.") for base, unit in ((2, "bits"), (10, "logarithms by 10"))),
        Mistake({"log": lambda chances: 1 - chances}, "That is one minus the mean probability of "
                "the true class. Where is the logarithm?"),
        Mistake({"log": as_it_is}, "That is the mean probability of the true class. Where is the "
                "logarithm?"),
        Mistake({"log": as_it_is, "reduce": lambda chances: -np.log(chances.mean())},
                "You take the logarithm of the mean. Take the mean of the logarithms."),
        *(Mistake({"shares": over}, "Your softmax runs over the batch. The classes of one request "
                  "share the probability, not the requests.") for over in
          (partial(softmax, axis=0), lambda x: softmax(x.ravel()).reshape(x.shape))),
        Mistake({"shares": _sigmoid}, "That is a sigmoid for each class. Here one class is true, "
                "and the classes share one probability."),
        Mistake(lambda x, w, b, y: -np.log(softmax(x @ w.T + b)[:, y]).mean(), "[:, labels] takes "
                "the columns of all labels from every row. Give the number of each row, too."),
        Mistake(lambda x, w, b, y: -(y * np.log(softmax(x @ w.T + b))).sum(axis=1).mean(), "You "
                "multiply by the labels. They are numbers of classes, not rows of 0 and 1."),
        Mistake({"reduce": lambda losses: losses[0]}, "That is the loss of the first request. Does "
                "your loop return too early?"),
        Mistake({"shares": as_it_is, "log": np.negative}, "These are scores. Which probabilities "
                "does the softmax make of them?"),
        Mistake(lambda x, w, b, y: -np.log(softmax(x @ w.T + b).max(axis=1)).mean(),
                "You take the most probable class. The loss asks for the true one."),
        Mistake({"reduce": as_it_is}, "These are the losses of all requests. Take their mean."),
    ],
)  # fmt: skip


def _yes_and_no(chances, labels, *, no=-1):
    return -labels * np.log(chances) + no * (1 - labels) * np.log(1 - chances)


def _several(logits, labels, *, shares=_sigmoid, loss=_yes_and_no, reduce=np.mean, sign=1, unit=1.0,
             turned=False):  # fmt: skip
    return sign * reduce(loss(shares(logits), 1 - labels if turned else labels)) / unit


check_several_labels = Exercise(
    "Compute the mean loss of labels that do not exclude each other.",
    _several,
    cases=[
        (_RNG.normal(size=shape), _RNG.integers(2, size=shape).astype(float))
        for shape in ((2, 3), (4, 2), (1, 4))
    ],
    mistakes=[
        *(Mistake({"shares": softmax, **more}, "That is a softmax: the classes share one "
                  "probability. Here each is a question of its own, with a probability of its own.")
          for more in ({"loss": lambda p, y: -(y * np.log(p)).sum(axis=1)}, {})),
        Mistake({"reduce": lambda losses: losses.sum(axis=1).mean()}, "You add up the classes of "
                "each row. The mean over all questions is wanted, classes included."),
        Mistake({"reduce": np.sum}, "That is the sum over all questions. The mean is wanted."),
        *(Mistake(wrong, "Only labels of 1 cost anything here. What does it cost to say yes where "
                  "the answer is no?") for wrong in ({"loss": lambda p, y: -y * np.log(p)},
                  lambda z, y: -np.log(_sigmoid(z)[y == 1]).mean())),
        Mistake({"loss": partial(_yes_and_no, no=1)}, "The part for no has the wrong sign. "
                "Logarithms of probabilities are below 0, both of them."),
        Mistake({"shares": as_it_is}, "These are scores. Where is the probability of yes?"),
        Mistake({"loss": lambda p, y: -np.log(p)}, "You ask for yes everywhere. Where the answer "
                "is no, the probability of no is 1 − p."),
        Mistake({"turned": True}, "Turned around: you ask for the probability of the wrong "
                "answer."),
        Mistake({"sign": -1}, "Right up to the sign."),
        Mistake({"unit": math.log(2)}, "These are bits. Nats are counted with the natural "
                "logarithm."),
        *(Mistake({"loss": lambda p, y, power=power: np.abs(p - y) ** power}, "That says how far "
                  "the probability of yes is from the label. Where is the logarithm?")
          for power in (1, 2)),
        Mistake({"reduce": as_it_is}, "These are the losses of all questions. Take their mean."),
    ],
)  # fmt: skip


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
        Mistake(lambda losses, p: tuple(losses[n - 1] for n in _stop(losses, p)), "These are the "
                "losses. Which evaluations are they, counted from 1?"),
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
