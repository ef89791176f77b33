"""Exercise of Chapter 4: the gradient of cross-entropy."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.reference import softmax

_RNG = np.random.default_rng(41)


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
        "-= 1 → -= 2 ¦ += 1 ¦ = 1 ¦ -= logits[labeled, labels[labeled]]":
            "What was right is to be subtracted, once.",
        "softmax(logits) → logits.copy() ¦ np.log(softmax(logits)) ¦ softmax(softmax(logits))":
            "It begins with the probabilities: softmax of the logits, once.",
        "softmax(logits) → 0 * logits": "The other words took probability, too.",
        "→ right(logits, labels)[labels != -100]": "Without a label the gradient is 0.",
        "→ rows = np.flatnonzero(labels != -100); return -np.log(softmax(logits)[rows, "
            "labels[rows]]).mean()": "That is the loss. How does it move with each logit?",
    },
)  # fmt: skip
