"""Exercises of Chapter 16: the head and its loss, several labels."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(16)


def _sigmoid(logits):
    return 1 / (1 + np.exp(-logits))


def _lifted(scores):
    return np.log(np.exp(scores).sum(axis=1))


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
        Mistake(partial(_head, bias_times=-1), "You subtract the bias. It is added to the scores."),
        Mistake({"turn": as_it_is}, "The weight has a row for each class. What must become of it "
                "before pooled @ weight?"),
        Mistake({"reduce": np.sum}, "That is the sum over the batch. A mean is wanted, so that "
                "batches of any size can be compared."),
        Mistake({"sign": -1}, "Right up to the sign. A loss is minus the logarithm of a "
                "probability."),
        *(Mistake({"unit": math.log(base)}, f"These are {unit}. Nats are counted with the natural "
                  "logarithm.") for base, unit in ((2, "bits"), (10, "logarithms by 10"))),
        *(Mistake(partial(_head, log=of), f"That is {what}probability of the true class. Where is "
                  "the logarithm?") for what, of in (
                  ("one minus the mean ", lambda chances: 1 - chances), ("the mean ", as_it_is),
                  ("the mean of one divided by the ", np.reciprocal))),
        Mistake({"log": as_it_is, "reduce": lambda chances: -np.log(chances.mean())},
                "You take the logarithm of the mean. Take the mean of the logarithms."),
        *(Mistake({"shares": over}, "Your softmax runs over the batch. The classes of one request "
                  "share the probability, not the requests.") for over in
          (partial(softmax, axis=0), lambda x: softmax(x.ravel()).reshape(x.shape))),
        Mistake(partial(_head, shares=lambda scores: softmax(softmax(scores))), "You take the "
                "softmax twice. What comes out of the first one are probabilities."),
        *(Mistake(wrong, "That is a sigmoid for each class. Here one class is true, and the "
                  "classes share one probability.") for wrong in ({"shares": _sigmoid},
                  lambda x, w, b, y: _several(x @ w.T + b, np.eye(len(w))[y]))),
        Mistake(lambda x, w, b, y: -np.log(softmax(x @ w.T + b)[:, y]).mean(), "[:, labels] takes "
                "the columns of all labels from every row. Give the number of each row, too."),
        Mistake(lambda x, w, b, y: -np.log(softmax(x @ w.T + b)[y]).mean(), "[labels] takes whole "
                "rows. Say the row of each request, too: [np.arange(len(labels)), labels]."),
        Mistake(lambda x, w, b, y: -np.log(softmax(x @ w.T + b)[y, np.arange(len(y))]).mean(),
                "Rows are requests, and columns are classes. Which index comes first?"),
        Mistake(lambda x, w, b, y: -np.log(softmax(x @ w.T + b)).mean(), "You take the mean over "
                "all classes. Which column belongs to each request?"),
        Mistake(lambda x, w, b, y: _head(x, w, b, y) / len(w), "You divide by the number of "
                "classes, too. Add up over the classes, and take the mean over requests."),
        Mistake(lambda x, w, b, y: _head(np.tanh(x), w, b, y), "You take tanh of the pooled "
                "vectors. The pooler has done that already."),
        *(Mistake(lambda *case, sign=sign: np.exp(sign * _head(*case)), "You raise e to the power "
                  f"of {what}. The loss itself is wanted.")
          for what, sign in (("the loss", 1), ("minus the loss", -1))),
        *(Mistake(lambda x, w, b, y, of=of: (of(x @ w.T + b) - (x @ w.T + b)[range(len(y)), y])
                  .mean(), hint) for of, hint in (
                  (lambda z: np.exp(z).sum(axis=1), "You subtract the true score from a sum of "
                   "exponentials. What must be taken of the sum first?"),
                  (lambda z: _lifted(z) - z.max(axis=1), "You take the highest score away inside "
                   "exp. Where do you add it again?"))),
        *(Mistake(lambda x, w, b, y, of=of: of(softmax(x @ w.T + b), y).mean(), "You weight with "
                  "the model's probability. The true class counts fully, and no other one.")
          for of in (lambda p, y: -(p * np.log(p))[range(len(y)), y],
                     lambda p, y: -(p * np.log(p)).sum(axis=1))),
        Mistake(lambda x, w, b, y: _lifted(x @ w.T + b).mean(), "That is the logarithm of the sum. "
                "Subtract the score of the true class."),
        *(Mistake(lambda x, w, b, y, of=of: of(np.argmax(x @ w.T + b, axis=1), y).mean(), "You "
                  "count answers. The loss asks how probable the true class is.")
          for of in (np.equal, np.not_equal)),
        Mistake(lambda x, w, b, y: ((softmax(x @ w.T + b) - np.eye(len(w))[y]) ** 2).sum(1).mean(),
                "These are squared errors. The loss is minus the logarithm of the probability of "
                "the true class."),
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
        *(Mistake({"reduce": lambda losses, axis=axis: losses.sum(axis=axis).mean()}, f"You add up "
                  f"the {what}. The mean over all questions is wanted.")
          for axis, what in ((0, "rows of each class"), (1, "classes of each row"))),
        Mistake({"reduce": np.sum}, "That is the sum over all questions. The mean is wanted."),
        *(Mistake(wrong, "Only labels of 1 cost anything here. What does it cost to say yes where "
                  "the answer is no?") for wrong in ({"loss": lambda p, y: -y * np.log(p)},
                  lambda z, y: -np.log(_sigmoid(z)[y == 1]).mean())),
        Mistake({"loss": partial(_yes_and_no, no=1)}, "The part for no has the wrong sign. "
                "Logarithms of probabilities are below 0, both of them."),
        Mistake({"shares": as_it_is}, "These are scores. Where is the probability of yes?"),
        *(Mistake({"loss": lambda p, y, of=of: -np.log(of(p))}, f"You ask for {what} everywhere. "
                  "The label says which of the two is right, with p for yes and 1 − p for no.")
          for what, of in (("yes", np.positive), ("no", lambda p: 1 - p))),
        Mistake({"loss": lambda p, y: -(1 - y) * np.log(1 - p)}, "Only labels of 0 cost anything "
                "here. What does it cost to say no where the answer is yes?"),
        Mistake({"loss": lambda p, y: -y * np.log(p) - (1 - p) * np.log(1 - y)}, "You have "
                "exchanged label and probability in the part for no: (1 − y) ln(1 − p)."),
        Mistake(lambda z, y: np.log1p(np.exp(-z * y)).mean(), "That is the formula for labels of 1 "
                "and −1. A label of 0 makes z · y 0, whatever the score is."),
        Mistake(lambda z, y: -(z * y).mean(), "ln(e^−z) is −z again. Where is the 1 of 1 + e^−z?"),
        Mistake(lambda z, y: _several(z, y, reduce=np.sum) / y.sum(), "You divide by the number of "
                "labels that are 1. The mean is over all questions."),
        Mistake(lambda z, y: -np.log(np.where(y == 1, _sigmoid(z), _sigmoid(-z)).mean()),
                "You take the logarithm of the mean. Take the mean of the logarithms."),
        Mistake({"reduce": lambda losses: losses[0].mean()}, "That is the loss of the first row. "
                "Does your loop return too early?"),
        *(Mistake(lambda z, y, of=of: of(z > 0, y).mean(), "You count answers. The loss asks how "
                  "probable the right ones were.") for of in (np.equal, np.not_equal)),
        Mistake({"turned": True}, "Turned around: you ask for the probability of the wrong "
                "answer."),
        Mistake({"sign": -1}, "Right up to the sign."),
        Mistake({"unit": math.log(2)}, "These are bits. Nats are counted with the natural "
                "logarithm."),
        *(Mistake({"loss": lambda p, y, power=power: np.abs(p - y) ** power}, "That says how far "
                  "the probability of yes is from the label. Where is the logarithm?")
          for power in (1, 2)),
        *(Mistake(partial(_several, reduce=reduce), "These are several losses. Take the mean over "
                  "all questions.") for reduce in (as_it_is, partial(np.mean, axis=0),
                                                   partial(np.mean, axis=1))),
    ],
)  # fmt: skip
