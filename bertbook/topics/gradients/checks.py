"""Exercises of Chapter 4: the gradients of GELU and of cross-entropy."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.reference import gelu_backward, softmax

_RNG = np.random.default_rng(41)


def _bell_curve(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def _probability_below(x):
    """Compute Φ(x), out of the gradient that the package knows."""
    return gelu_backward(np.ones(x.shape), x) - x * _bell_curve(x)


def _gelu_backward(grad_output, x):
    slope = _probability_below(x) + x * _bell_curve(x)
    return grad_output * slope


def _by_tanh(g, x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    return g * ((1 + np.tanh(inner)) / 2 + x * slope / np.cosh(inner) ** 2 / 2)


check_gelu_backward = Exercise(
    "Write the gradient of the exact GELU.",
    _gelu_backward,
    cases=[tuple(_RNG.standard_normal((2, *shape))) for shape in [(4,), (2, 3), (2, 3, 5)]],
    forbidden=["gelu_backward"],
    mistakes={
        "grad_output * →": "That is the slope of GELU alone. Where does grad_output come in?",
        "+ x * _bell_curve(x) →": "What does Φ(x) do when x moves?",
        "_probability_below(x) + →": "You hold x still. What does it do to x · Φ(x) when it moves?",
        "+ x * → + ¦ + x**2 *": "When Φ(x) moves, by what is its movement multiplied in x · Φ(x)?",
        "_probability_below(x) + x * →": "Which rule holds for the product x · Φ(x)?",
        "_bell_curve(x) → np.exp(-(x**2) / 2) ¦ np.exp(-(x**2)) / np.sqrt(2 * np.pi)":
            "Has your bell curve area 1?",
        _by_tanh: "That is the gradient of the tanh approximation: close, but of another function.",
        "slope = → slope = x *": "When x moves, what is left of x · Φ(x)?",
        "_probability_below(x) → 2 * _probability_below(x)": "Φ(x) is half of 1 + erf(x / √2).",
        "+ x → * x": "Along a path multiply; where paths meet, what is done?",
        "+ x → - x": "Φ rises with x: is the second path to be added or subtracted?",
        "grad_output * → grad_output +": "You add grad_output. Along a path, what is done with it?",
        "→ grad_output * (x > 0)": "That is the slope of ReLU. What is that of x · Φ(x)?",
    },
)  # fmt: skip


def _labels_case(positions, vocab, hidden):
    """Draw logits and labels; the last `hidden` positions carry no label."""
    labels = _RNG.integers(0, vocab, size=positions)
    labels[positions - hidden :] = -100
    return 2 * _RNG.standard_normal((positions, vocab)), labels


def _cross_entropy_backward(logits, labels):
    grad_logits = softmax(logits)
    labeled = labels != -100
    grad_logits[labeled, labels[labeled]] -= 1
    grad_logits[~labeled] = 0
    return grad_logits / labeled.sum()


check_cross_entropy_backward = Exercise(
    "Write the gradient of the mean cross-entropy at the logits.",
    _cross_entropy_backward,
    cases=[_labels_case(3, 4, 0), _labels_case(5, 3, 2), _labels_case(4, 6, 3)],
    forbidden=["cross_entropy_backward"],
    mistakes={
        "/ labeled.sum() →": "The loss is an average. By what must its gradient be divided?",
        "labeled.sum() → len(labels)": "The loss is a mean over the labeled positions. How many "
            "are they?",
        "!= -100 → > 0": "You leave out the label 0. It is the id of a word like any other.",
        "grad_logits[~labeled] = 0 →": "Positions labeled -100 are not in the loss.",
        ("-= 1 → -= 0", "→ softmax(logits)"): "That is what was said. Subtract what was right.",
        "grad_logits / → -grad_logits /": "Does the loss grow when the right logit does?",
        "softmax(logits) → softmax(logits, axis=0)": "Your softmax runs over the positions.",
        "[labeled, labels[labeled]] →": "Each position has one right word: index both axes.",
        "-= 1 → -= 2 ¦ += 1": "What was right is to be subtracted, once.",
        "softmax(logits) → 0 * logits": "The other words took probability, too.",
        "→ right(logits, labels)[labels != -100]": "Without a label the gradient is 0.",
        "→ rows = np.flatnonzero(labels != -100); return -np.log(softmax(logits)[rows, "
            "labels[rows]]).mean()": "That is the loss. How does it move with each logit?",
    },
)  # fmt: skip
