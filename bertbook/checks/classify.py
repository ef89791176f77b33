"""Exercises of Chapter 16: the head and its loss, several labels."""

from __future__ import annotations

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise

_RNG = np.random.default_rng(16)


def _head(x, weight, bias, labels):
    scores, rows = x @ weight.T + bias, np.arange(len(labels))
    chances = softmax(scores)[rows, labels]
    return -np.log(chances).mean()


def _head_case(batch, classes):
    numbers = (_RNG.normal(size=shape) for shape in ((batch, 4), (classes, 4), classes))
    return *numbers, _RNG.integers(classes, size=batch)


check_head = Exercise(
    "Compute the mean loss of a classifier, from pooled vectors.",
    _head,
    cases=[_head_case(3, 3), _head_case(4, 2), _head_case(1, 5)],
    mistakes={
        "rows, labels → rows, (labels + 1) % len(weight)": "Your labels are shifted by one: the "
            "class after the true one is asked for. Classes are counted from 0.",
        "rows, labels → rows, (labels - 1) % len(weight)": "Your labels are shifted by one: the "
            "class before the true one is asked for. Classes are counted from 0.",
        "+ bias →": "The bias is missing. It says which class to lean to before anything is read.",
        "+ bias → - bias": "You subtract the bias. It is added to the scores.",
        "weight.T → weight": "The weight has a row for each class. What must become of it before "
            "pooled @ weight?",
        "mean → sum": "That is the sum over the batch. A mean is wanted, so that batches of any "
            "size can be compared.",
        "return -np.log → return np.log": "Right up to the sign. A loss is minus the logarithm of "
            "a probability.",
        "np.log → np.log2": "These are bits. Nats are counted with the natural logarithm.",
        "np.log → np.log10": "These are logarithms by 10. Nats are counted with the natural "
            "logarithm.",
        "-np.log(chances) → (1 - chances)": "That is one minus the mean probability of the true "
            "class. Where is the logarithm?",
        "-np.log(chances) → chances": "That is the mean probability of the true class. Where is "
            "the logarithm?",
        "-np.log(chances) → (1 / chances)": "That is the mean of one divided by the probability of "
            "the true class. Where is the logarithm?",
        "(chances).mean() → (chances.mean())": "You take the logarithm of the mean. Take the mean "
            "of the logarithms.",
        ("softmax(scores) → softmax(scores, axis=0)",
            "softmax(scores) → softmax(scores.ravel()).reshape(scores.shape)"):
            "Your softmax runs over the batch. The classes of one request share the probability, "
            "not the requests.",
        "softmax(scores) → softmax(softmax(scores))": "You take the softmax twice. What comes out "
            "of the first one are probabilities.",
        ("softmax(scores) → (1 / (1 + np.exp(-scores)))", "-np.log(chances) → np.log(1 + "
            "np.exp(np.where(np.eye(len(weight))[labels], -scores, scores)))"):
            "That is a sigmoid for each class. Here one class is true, and the classes share one "
            "probability.",
        "[rows, labels] → [:, labels]": "[:, labels] takes the columns of all labels from every "
            "row. Give the number of each row, too.",
        "[rows, labels] → [labels]": "[labels] takes whole rows. Say the row of each request, too: "
            "[np.arange(len(labels)), labels].",
        "[rows, labels] → [labels, rows]": "Rows are requests, and columns are classes. Which "
            "index comes first?",
        "[rows, labels] →": "You take the mean over all classes. Which column belongs to each "
            "request?",
        "mean() → mean() / len(weight)": "You divide by the number of classes, too. Add up over "
            "the classes, and take the mean over requests.",
        "x @ → np.tanh(x) @": "You take tanh of the pooled vectors. The pooler has done that "
            "already.",
        "-np.log(chances).mean() → np.exp(-np.log(chances).mean())": "You raise e to the power of "
            "the loss. The loss itself is wanted.",
        "-np.log(chances).mean() → np.exp(np.log(chances).mean())": "You raise e to the power of "
            "minus the loss. The loss itself is wanted.",
        "-np.log(chances) → (np.exp(scores).sum(axis=1) - scores[rows, labels])":
            "You subtract the true score from a sum of exponentials. What must be taken of the sum "
            "first?",
        "-np.log(chances) → (-np.log(chances) - scores.max(axis=1))": "You take the highest score "
            "away inside exp. Where do you add it again?",
        ("-np.log(chances) → -(chances * np.log(chances))",
            "-np.log(chances) → -(softmax(scores) * np.log(softmax(scores))).sum(axis=1)"):
            "You weight with the model's probability. The true class counts fully, and no other "
            "one.",
        "-np.log(chances) → np.log(np.exp(scores).sum(axis=1))": "That is the logarithm of the "
            "sum. Subtract the score of the true class.",
        ("-np.log(chances) → (scores.argmax(axis=1) == labels)",
            "-np.log(chances) → (scores.argmax(axis=1) != labels)"): "You count answers. The loss "
            "asks how probable the true class is.",
        "-np.log(chances) → ((softmax(scores) - np.eye(len(weight))[labels]) ** 2).sum(axis=1)":
            "These are squared errors. The loss is minus the logarithm of the probability of the "
            "true class.",
        "-np.log(chances) → -(labels * np.log(softmax(scores))).sum(axis=1)":
            "You multiply by the labels. They are numbers of classes, not rows of 0 and 1.",
        ".mean() → [0]": "That is the loss of the first request. Does your loop return too early?",
        "softmax(scores)[ → np.exp(scores)[": "These are scores. Which probabilities does the "
            "softmax make of them?",
        "[rows, labels] → .max(axis=1)": "You take the most probable class. The loss asks for the "
            "true one.",
        ".mean() →": "These are the losses of all requests. Take their mean.",
    },
)  # fmt: skip


def _several(logits, labels):
    chances = 1 / (1 + np.exp(-logits))
    yes, no = np.log(chances), np.log(1 - chances)
    losses = -labels * yes - (1 - labels) * no
    return losses.mean()


check_several_labels = Exercise(
    "Compute the mean loss of labels that do not exclude each other.",
    _several,
    cases=[
        (_RNG.normal(size=shape), _RNG.integers(2, size=shape).astype(float))
        for shape in ((2, 3), (4, 2), (1, 4))
    ],
    mistakes={
        ("→ -(labels * np.log(softmax(logits))).sum(axis=1).mean()",
            "1 / (1 + np.exp(-logits)) → softmax(logits)"): "That is a softmax: the classes share "
            "one probability. Here each is a question of its own, with a probability of its own.",
        "mean() → sum(axis=0).mean()": "You add up the rows of each class. The mean over all "
            "questions is wanted.",
        "mean() → sum(axis=1).mean()": "You add up the classes of each row. The mean over all "
            "questions is wanted.",
        "mean → sum": "That is the sum over all questions. The mean is wanted.",
        ("- (1 - labels) * no →", "losses.mean() → -yes[labels == 1].mean()"):
            "Only labels of 1 cost anything here. What does it cost to say yes where the answer is "
            "no?",
        "yes - → yes +": "The part for no has the wrong sign. Logarithms of probabilities are "
            "below 0, both of them.",
        "1 / (1 + np.exp(-logits)) → logits": "These are scores. Where is the probability of yes?",
        "-labels * yes - (1 - labels) * no → -yes": "You ask for yes everywhere. The label says "
            "which of the two is right, with p for yes and 1 − p for no.",
        "-labels * yes - (1 - labels) * no → -no": "You ask for no everywhere. The label says "
            "which of the two is right, with p for yes and 1 − p for no.",
        "-labels * yes →": "Only labels of 0 cost anything here. What does it cost to say no where "
            "the answer is yes?",
        "(1 - labels) * no → (1 - chances) * np.log(1 - labels)": "You have exchanged label and "
            "probability in the part for no: (1 − y) ln(1 − p).",
        "→ np.log(1 + np.exp(-logits * labels)).mean()": "That is the formula for labels of 1 and "
            "−1. A label of 0 makes z · y 0, whatever the score is.",
        "→ -(logits * labels).mean()": "ln(e^−z) is −z again. Where is the 1 of 1 + e^−z?",
        "mean() → sum() / labels.sum()": "You divide by the number of labels that are 1. The mean "
            "is over all questions.",
        "losses.mean() → -np.log(np.exp(-losses).mean())": "You take the logarithm of the mean. "
            "Take the mean of the logarithms.",
        "losses.mean() → losses[0].mean()": "That is the loss of the first row. Does your loop "
            "return too early?",
        ("losses.mean() → ((logits > 0) == labels).mean()",
            "losses.mean() → ((logits > 0) != labels).mean()"): "You count answers. The loss asks "
            "how probable the right ones were.",
        "yes, no = → no, yes =": "Turned around: you ask for the probability of the wrong answer.",
        "return → return -": "Right up to the sign.",
        "np.log → np.log2": "These are bits. Nats are counted with the natural logarithm.",
        ("losses.mean() → abs(chances - labels).mean()",
            "losses.mean() → ((chances - labels) ** 2).mean()"): "That says how far the "
            "probability of yes is from the label. Where is the logarithm?",
        (".mean() →", "mean() → mean(axis=0)", "mean() → mean(axis=1)"):
            "These are several losses. Take the mean over all questions.",
    },
)  # fmt: skip
