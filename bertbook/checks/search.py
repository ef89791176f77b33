"""Exercises of Chapter 22: the contrastive loss, nDCG, fusion, hard negatives."""

import numpy as np
from numpy.linalg import norm

from .exercise import Exercise
from .tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_RNG = np.random.default_rng(19)


def _unit(vectors):
    return vectors / norm(vectors, axis=-1, keepdims=True)


def _contrast(queries, documents, temperature):
    scores = _unit(queries) @ _unit(documents).T / temperature
    logs = log_softmax(scores)
    return -np.diagonal(logs).mean()


def _vectors(*shapes):
    return [_RNG.normal(size=shape) for shape in shapes]


check_contrastive_loss = Exercise(
    "Compute the mean loss of picking each query's own document out of all.",
    _contrast,
    cases=[(*_vectors((2, 3), (2, 3)), 1.0), (*_vectors((3, 4), (5, 4)), 0.5),
           (*_vectors((4, 2), (4, 2)), 0.05)],
    forbidden=["a loop", "contrastive_loss"],
    edges=[(np.eye(2), np.array([[-1.0, 0.0], [0.0, 1.0]]), 0.001)], given=to_tensor,
    then=gradients_flow(np.ones((2, 3)), np.ones((4, 3)), 0.5, to=2),
    mistakes={
        ("_unit → ¦ (lambda x: x / norm(x)) ¦ (lambda x: x / (x**2).sum(axis=1)[:, None])",
         "_unit(documents) → documents"): "Length still counts. Scale every vector to length 1.",
        "_unit → (lambda x: x / norm(x, axis=0))": "You scale the columns. A vector is a row.",
        "/ temperature → * temperature ¦ / temperature**2": "Divide by the temperature, once.",
        "→ right(queries, documents, 1.0) / temperature": "Divide the scores, not the loss.",
        "np.diagonal(logs) → logs ¦ logs[:, 0]": "Query i belongs to document i: the diagonal.",
        "/ temperature →": "Where is the temperature?",
        "_unit(documents) → _unit(documents[: len(queries)])": "Keep the negatives, too.",
        ("(scores) → (scores, axis=0)", lambda q, d, t: (_contrast(q, d, t) + _contrast(d[: len(q)],
            q, t)) / 2): "Each query chooses a document, and no document chooses a query.",
        "(scores) → (np.exp(log_softmax(scores)))": "Two softmaxes: cross_entropy has one inside.",
        "-….mean → np.exp(…).mean ¦ ….mean": "Where is minus the logarithm?",
        ".mean() → ¦ .sum() ¦ .sum() / len(documents)": "Take the mean over the queries.",
        "-….mean() → -np.log(np.exp(…).mean())": "First the logarithm of each, then the mean.",
        "mean() → mean() / np.log(2)": "Take the natural logarithm.",
        "() → () if temperature > .01 else np.nan ¦ () if temperature > .01 else np.inf": OVERFLOW,
        "-np.diagonal(logs) → np.log(np.exp(scores).sum(axis=1) / np.exp(np.diagonal(scores)) - 1)":
            "A softmax divides by the sum over all documents, the right one included.",
        "np.diagonal(logs) → np.diagonal(scores)": "Where is the denominator?",
    },
)  # fmt: skip


def _ndcg(gains, k):
    def gain(listed):
        places = np.arange(1, len(listed) + 1)
        return (listed / np.log2(1 + places)).sum()

    best = gain(np.sort(gains)[::-1][:k])
    return gain(np.array(gains[:k])) / best if best else 0.0


check_ndcg = Exercise(
    "Compute nDCG@k of a list of documents that are right by degrees.",
    _ndcg,
    cases=[([3, 2, 0, 1], 4), ([0, 1, 3, 2, 0, 2], 3), ([1, 0], 5), ([0, 0, 0, 1], 2)],
    edges=[([0, 0, 0], 2), ([0.25, 0.5], 2)],
    mistakes={
        ("1 + places → 2 + places ¦ places", "→ 1 / 0.0"): "Places are counted from 1.",
        "1 + places → 2 * places ¦ np.maximum(2, places)": "Add the 1 inside the logarithm.",
        "np.log2 → np.log||/ best →": "Which logarithm? And by what is the gain divided?",
        "np.log2(1 + places) → places": "That is 1 / place. nDCG divides by log2(1 + place).",
        "/ np.log2(…) → ¦ * np.log2(…)": "A document further down must count less.",
        "/ best →": "That is DCG. Divide it by the gain of the best order.",
        ("[::-1] →", "np.sort → np.argsort", "np.sort(…)[::-1] → np.argsort(-np.array(…))"):
            "Sort the gains themselves, the highest first.",
        ("[::-1][:k] → [::-1]", "[:k] → [: k - 1]"): "Each list is cut off after k documents.",
        "np.sort → max(gains) + 0 * np.sort ¦ 3 + 0 * np.sort": "There are no others than these.",
        "listed / → (2.0**listed - 1) / ¦ np.sign(listed) /": "Here the number itself is the gain.",
        (ZeroDivisionError, "else 0.0 → else np.nan"): "Where nothing is right, return 0.",
        "best if best else 0.0 → max(best, 1)": "The best gain may be below 1.",
        ("len(listed) + 1 → k + 1", IndexError): "A list may be shorter than k.",
        "np.sort(gains) → np.sort(gains[:k])": "A better document may stand below rank k.",
    },
)  # fmt: skip


def _fusion(first, second):
    one, other = (np.argsort(np.argsort(-scores)) + 1 for scores in (first, second))
    return 1 / (60 + one) + 1 / (60 + other)


check_fusion = Exercise(
    "Fuse two lists of scores: add 1 / (60 + place) over both.",
    _fusion,
    cases=[(np.array([0.9, 0.1, 0.5]), np.array([3.0, 12.0, 7.0])),
           (_RNG.permutation(7) / 7 - 0.4, _RNG.permutation(7) * 2.0)],
    mistakes={
        "np.argsort(…) → …": "argsort lists documents by rank. Taken twice, it gives their ranks.",
        "np.argsort(np.argsort(-scores)) → np.argsort(scores)": "Take argsort of -scores twice.",
        ("+ 1 for → for", "-scores → scores ¦ -abs(scores)"): "The highest score has place 1.",
        "60 + →": "The 60 is missing.",
        "1 / →": "The best sum is the lowest one. Add reciprocals.",
        ("np.argsort(…) + 1 → scores ¦ (np.append(first, second) >= scores[:, None]).sum(axis=1)",
         "→ first + second ¦ 1 / (61 + np.argsort(np.argsort(-first - second)))"): "BM25 and "
            "cosines live on different scales. Only places can be compared.",
        "1 / (60 + one) + 1 / (60 + other) → 1 / 60 + one + 1 / 60 + other": "Python divides "
            "first: 1 / 60 + place. Put 60 + place into parentheses.",
        "(60 + one) + 1 / (60 + other) → (60 + one + other)": "Each list has a fraction.",
        "→ right(first, second) / 2": "That is the mean. Add the two.",
        "→ np.argsort(-right(first, second))": "Return the sum of each.",
    },
)  # fmt: skip


def _hard(scores, right, margin):
    own = scores[np.arange(len(scores)), right][:, None]
    return np.where(scores < own - margin, scores, -np.inf).argmax(axis=1)


check_hard_negatives = Exercise(
    "Choose for each query the best document that is clearly worse than its own.",
    _hard,
    cases=[(np.array([[0.9, 0.7, 0.2], [0.5, 0.4, 0.1], [0.8, 0.6, 0.9]]), np.array([0, 1, 2]),
           0.15), (np.array([[0.3, 0.9, 0.1, 0.2], [0.6, 0.5, 0.7, 0.1]]), np.array([0, 2]), 0.05),
           (np.array([[0.2, 0.6, 0.5, 0.42]]), np.array([2]), 0.1)],
    edges=[(np.array([[0.5, 0.25, 0.125]]), np.array([0]), 0.25),
           (np.array([[0.3, -0.2, -0.5], [-2.0, -3.0, -4.0]]), np.array([0, 0]), 0.1)],
    mistakes={
        "< own - margin → != own": "One that scores as high may be right itself. Leave a margin.",
        "- margin → + margin ¦ + margin * (scores != own)": "The margin lies below the right one.",
        "own - margin → own": "Where is the margin?",
        "own - margin → own * (1 - margin)": "The margin is a difference, not a share.",
        "scores < own - margin → abs(scores - own) > margin": "Far above may be right, too.",
        "< → <=": "With a margin of 0 you would take the right one itself.",
        "-np.inf → 0.0 ¦ -1.0": "Scores can be below that. Write minus infinity.",
        "[np…None] → .max(axis=1, keepdims=True)": "Measure from the score of the right document.",
        "scores[…][:, None] → scores[:, right]": "[:, right] takes the columns of all queries.",
        "[:, None] → ¦ .mean()": "Make a column of right scores, [:, None], one for each query.",
        "np.where(…, scores, -np.inf) → (…)": "Which has the highest score?",
        "argmax → max": "That is its score. Return the number of the document.",
        ("scores[…right] → np.diagonal(scores)", "axis=1 → axis=0", IndexError): "Row i is query "
            "i, and column right[i] its own document.",
        "return …(axis=1) → return (best := …(axis=1)) - (best > right) ¦ return [x[x < y "
            "- margin].argmax() for x, y in zip(scores, own)]": "Which column of scores is that?",
        "→ scores.argmin(axis=1)": "Nobody would mistake it for the right one.",
        "→ scores.argmax(axis=1)": "That may be the right document itself.",
    },
)  # fmt: skip
