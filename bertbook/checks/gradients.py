"""Exercises of Chapter 4: the gradients of GELU and of cross-entropy."""

from __future__ import annotations

import numpy as np

from minibert.losses import IGNORED_LABEL
from minibert.reference import gelu_backward, softmax

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(41)


def _bell(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def _share(x):
    """Compute Φ(x), out of the gradient that the package knows."""
    return gelu_backward(np.ones(x.shape), x) - x * _bell(x)


def _gelu_backward(g, x, *, upstream=True, first=1, second=1, by_x=True, bell=_bell):
    slope = first * _share(x) + second * (x if by_x else 1) * bell(x)
    return g * slope if upstream else slope


def _by_tanh(g, x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    return g * ((1 + np.tanh(inner)) / 2 + x * slope / np.cosh(inner) ** 2 / 2)


check_gelu_backward = Exercise(
    "Write the gradient of the exact GELU.",
    _gelu_backward,
    cases=[tuple(_RNG.standard_normal((2, *shape))) for shape in [(4,), (2, 3), (2, 3, 5)]],
    forbidden=["gelu_backward"],
    mistakes=[
        Mistake({"upstream": False}, "That is the slope of GELU alone. Where does grad_output come "
                "in?"),
        Mistake({"second": 0}, "You moved the first factor of x · Φ(x) and held the second still. "
                "What does Φ(x) do when x moves?"),
        Mistake({"first": 0}, "You moved the second factor of x · Φ(x) and held the first still. "
                "What does x itself do when x moves?"),
        Mistake({"by_x": False}, "When Φ(x) moves, by what is its movement multiplied in x · "
                "Φ(x)?"),
        Mistake({"first": 0, "by_x": False}, "That is the slope of Φ(x). Which rule holds for the "
                "product x · Φ(x)?"),
        Mistake({"bell": lambda x: np.exp(-(x**2) / 2)}, "Does your bell curve have area 1? What "
                "is it divided by?"),
        Mistake({"bell": lambda x: np.exp(-(x**2) / 2) / (2 * np.pi)}, "Your bell curve is too "
                "low. What stands below its fraction line?"),
        Mistake({"bell": lambda x: np.exp(-(x**2)) / np.sqrt(2 * np.pi)}, "What is x² divided by "
                "in the exponent of the bell curve?"),
        Mistake(_by_tanh, "That is the gradient of the tanh approximation: close, but not the "
                "gradient of the function that ran."),
        Mistake(lambda g, x: g * x * (_share(x) + _bell(x)), "You multiply both terms by x. When x "
                "moves and Φ(x) is held still, what is left of x · Φ(x)?"),
        Mistake(lambda g, x: g * (_share(x) + x**2 * _bell(x)), "x is there twice in your second "
                "term. When Φ(x) moves, it is multiplied by x once."),
        Mistake({"bell": lambda x: -x * _bell(x)}, "You take the slope of the bell curve. The bell "
                "curve is itself the slope of Φ."),
        *(Mistake(lambda g, x, a=a: g * (2 * _share(x) - a + x * _bell(x)), "Φ(x) is half of "
                  "1 + erf(x / √2). Where is the half?") for a in (0, 1)),
        Mistake(lambda g, x: g * _share(x) * x * _bell(x), "You multiply the two paths. Along a "
                "path multiply; where paths meet, what is done?"),
        Mistake(lambda g, x: g * _share(x) + x * _bell(x), "grad_output multiplies both paths, not "
                "only the first."),
        Mistake({"second": -1}, "The paths are right. Φ rises with x: is the second to be added or "
                "subtracted?"),
        Mistake(lambda g, x: g * x * _share(x), "That is GELU itself. How does it move when x "
                "moves?"),
        Mistake(lambda g, x: g + _gelu_backward(1.0, x), "You add grad_output. Along a path, what "
                "is done with it?"),
        Mistake(lambda g, x: g * (x > 0), "That is the slope of ReLU, which jumps from 0 to 1. "
                "What is that of x · Φ(x)?"),
        Mistake(lambda g, x: _gelu_backward(x, g), "You look up the slope at grad_output. At which "
                "x did the function run?"),
        Mistake(lambda g, x: g * (x * _share(x) + _bell(x)), "The factors are mixed up: when x "
                "moves, Φ(x) stays, and when Φ(x) moves, x stays."),
        Mistake(lambda g, x: g * (2 * _share(x * np.sqrt(2)) - 1 + x * _bell(x)), "erf(x) is not "
                "Φ(x). What do probability_below and erf have to do with each other?"),
    ],
)  # fmt: skip


def _labels_case(positions, vocab, hidden):
    """Draw logits and labels; the last `hidden` positions carry no label."""
    labels = _RNG.integers(0, vocab, size=positions)
    labels[positions - hidden :] = -100
    return 2 * _RNG.standard_normal((positions, vocab)), labels


def _count(labels):
    return (labels != -100).sum()


def _one_hot(x, y):
    return y[:, None] == np.arange(x.shape[-1])


def _cross_entropy_backward(
    x, y, *, axis=-1, true=1, over=_count, ignored=True, sign=1, said=None
):  # fmt: skip
    probs = said(x) if said else softmax(x, axis=axis)
    grad = sign * (probs - true * _one_hot(x, y)) / over(y)
    return grad * (y != -100)[:, None] if ignored else grad


def _from_all_rows(x, y):
    grad, labeled = softmax(x), y != IGNORED_LABEL
    grad[:, y[labeled]] -= 1
    return np.where(labeled[:, None], grad, 0) / labeled.sum()


def _loss(x, y):
    rows = np.flatnonzero(y != IGNORED_LABEL)
    return -np.log(softmax(x)[rows, y[rows]]).mean()


check_cross_entropy_backward = Exercise(
    "Write the gradient of the mean cross-entropy at the logits.",
    _cross_entropy_backward,
    cases=[_labels_case(3, 4, 0), _labels_case(5, 3, 2), _labels_case(4, 6, 3)],
    forbidden=["cross_entropy_backward"],
    mistakes=[
        Mistake({"over": lambda y: 1}, "The loss is an average over the labeled positions. By what "
                "must its gradient be divided?"),
        Mistake({"over": len}, "You divide by all positions. How many of them have a label?"),
        Mistake({"over": lambda y: (y > 0).sum()}, "You count labels above 0. Which number means "
                "that there is no label?"),
        Mistake(lambda x, y: _cross_entropy_backward(x, np.where(y > 0, y, -100)), "You leave out "
                "the label 0. It is the id of a word like any other."),
        Mistake(lambda x, y: (softmax(x) - _one_hot(x, np.maximum(y, 0))) / _count(y), "You treat "
                "−100 as the word with id 0. What can the gradient be where there is no label?"),
        Mistake({"ignored": False}, "Positions labeled -100 are not in the loss. What can their "
                "gradient be?"),
        Mistake({"ignored": False, "over": len}, "You treat a position labeled -100 like the "
                "others. Is it in the loss?"),
        Mistake({"ignored": False, "over": lambda y: 1}, "You treat a position labeled -100 like "
                "the others, and the average is missing. Is that position in the loss?"),
        Mistake({"true": 0}, "That is what was said. What was right is still to be subtracted."),
        Mistake(lambda x, y: softmax(x), "That is what was said, at every position. What was right "
                "is still to be subtracted, and not every position has a label."),
        Mistake({"sign": -1}, "The sign is turned round: should the loss grow or shrink when the "
                "right logit grows?"),
        Mistake({"axis": 0}, "Your softmax runs over the positions. Which axis holds the words?"),
        Mistake(lambda x, y: _from_all_rows(x, y), "You subtract 1 in the column of each label, at "
                "every position. Each position has one right word: index rows and labels "
                "together."),
        Mistake({"true": 2}, "What was right is subtracted twice."),
        Mistake({"said": as_it_is}, "You subtract from the logits. What was said are "
                "probabilities: where is softmax?"),
        Mistake({"said": lambda x: np.log(softmax(x))}, "You subtract from the logarithms. What "
                "was said are probabilities."),
        Mistake({"true": -1}, "You add what was right. It is to be subtracted from what was said."),
        Mistake(lambda x, y: _cross_entropy_backward(x, y) * _one_hot(x, y), "Only the right word "
                "gets a gradient. Each other word has taken probability that is not its own."),
        Mistake({"said": lambda x: 0 * x}, "Only the right word gets a gradient. The others took "
                "probability that was not theirs."),
        Mistake(lambda x, y: _cross_entropy_backward(x, y)[y != IGNORED_LABEL], "The rows without "
                "a label are missing. Each position has a gradient: what is it there?"),
        Mistake(lambda x, y: _cross_entropy_backward(x, y, over=lambda y: x.size), "You divide by "
                "the number of all logits. Over what is the loss a mean?"),
        Mistake(lambda x, y: _cross_entropy_backward(x, y, over=lambda y: x.shape[-1]), "You "
                "divide by the size of the vocabulary. Over what is the loss a mean?"),
        Mistake(lambda x, y: _loss(x, y), "That is the loss. How does it move with each logit?"),
        Mistake(lambda x, y: np.where(_one_hot(x, y), -1 / softmax(x), 0.0) / _count(y), "−1/p is "
                "the slope at the probability. Go one step further back, through softmax."),
    ],
)  # fmt: skip
