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
        "_unit →": "Here long vectors win. Scale every vector to length 1.",
        "_unit(queries) @ _unit(documents).T → queries / norm(queries, axis=0) @ (documents / "
            "norm(documents, axis=0)).T": "You scale the columns. A vector is a row.",
        "/ temperature → * temperature ¦ / temperature**2": "Divide by the temperature, once.",
        "→ right(queries, documents, 1.0) / temperature": "Divide the scores, not the loss.",
        "np.diagonal(logs) → logs ¦ logs[:, 0]": "Query i belongs to document i: the diagonal.",
        "/ temperature →": "Where is the temperature?",
        "_unit(documents) → _unit(documents[: len(queries)])": "Keep the negatives, too.",
        "log_softmax(scores) → log_softmax(scores, axis=0)": "Each query shares its probability "
            "among the documents, not the other way around.",
        "log_softmax(scores) → log_softmax(np.exp(log_softmax(scores)))": "You take the softmax "
            "twice. torch's cross_entropy has one inside.",
        "-np.diagonal(logs) → np.exp(np.diagonal(logs))": "Where is minus the logarithm?",
        "return -np.diagonal → return np.diagonal": "Right up to the sign.",
        ("mean → sum", ".mean() →"): "Take the mean over the queries.",
        "mean() → mean() / np.log(2)": "Take the natural logarithm.",
        "→ right(queries, documents, temperature) if temperature > 0.01 else np.nan ¦ "
            "right(queries, documents, temperature) if temperature > 0.01 else np.inf": OVERFLOW,
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
        "np.log2(1 + places) → (1 + np.log2(places))": "Add the 1 inside the logarithm.",
        "np.log2 → np.log||/ best →": "Which logarithm? And by what is the gain divided?",
        "np.log2(1 + places) → places": "That is 1 / place. nDCG divides by log2(1 + place).",
        "/ np.log2(1 + places) →": "A document further down must count less.",
        "/ best →": "That is DCG. Divide it by the gain of the best order.",
        "[::-1] →": "Which order is the best?",
        "[::-1][:k] → [::-1]": "The best list is cut off after k documents as well.",
        "np.sort(gains)[::-1] → np.full(len(gains), max(gains))": "There are no others than these.",
        "listed / → (2.0**listed - 1) /": "Here the number itself is the gain.",
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
           (_RNG.permutation(7) / 7, _RNG.permutation(7) * 2.0)],
    mistakes={
        "np.argsort(np.argsort(-scores)) → np.argsort(-scores)": "argsort lists the documents by "
            "rank. Take it once more for the rank of each.",
        "np.argsort(np.argsort(-scores)) → np.argsort(scores)": "Take argsort of -scores twice.",
        ("-scores)) + 1 → -scores))", "-scores → scores"): "The highest score has place 1.",
        "60 + →": "The 60 is missing.",
        "1 / →": "The best sum is the lowest one. Add reciprocals.",
        ("np.argsort(np.argsort(-scores)) + 1 → scores", "→ first + second"): "BM25 and cosines "
            "live on different scales. Only places can be compared.",
        "1 / (60 + one) + 1 / (60 + other) → 1 / 60 + one + 1 / 60 + other": "Python divides "
            "first: 1 / 60 + place. Put 60 + place into parentheses.",
        "(60 + one) + 1 / (60 + other) → (60 + one + other)": "Each list has a fraction.",
        "→ right(first, second) / 2": "That is the mean. Add the two.",
        "→ np.argsort(-right(first, second))": "Return the sum of each.",
    },
)  # fmt: skip


def _hard(scores, right, margin):
    own = scores[np.arange(len(scores)), right][:, None]
    allowed = scores < own - margin
    return np.where(allowed, scores, -np.inf).argmax(axis=1)


check_hard_negatives = Exercise(
    "Choose for each query the best document that is clearly worse than its own.",
    _hard,
    cases=[(np.array([[0.9, 0.7, 0.2], [0.5, 0.4, 0.1], [0.8, 0.6, 0.9]]), np.array([0, 1, 2]),
           0.15), (np.array([[0.3, 0.9, 0.1, 0.2], [0.6, 0.5, 0.7, 0.1]]), np.array([0, 2]), 0.05),
           (np.array([[0.2, 0.6, 0.5, 0.42]]), np.array([2]), 0.1)],
    edges=[(np.array([[0.5, 0.25, 0.125]]), np.array([0]), 0.25),
           (np.array([[0.3, -0.2, -0.5], [-2.0, -3.0, -4.0]]), np.array([0, 0]), 0.1)],
    mistakes={
        "scores < own - margin → np.arange(scores.shape[1]) != right[:, None]": "One that scores "
            "as high as the right one may be right itself. Leave a margin.",
        "own - margin → own + margin": "The margin lies below the right one.",
        "own - margin → own": "Where is the margin?",
        "own - margin → own * (1 - margin)": "The margin is a difference, not a share.",
        "scores < own - margin → abs(scores - own) > margin": "Far above may be right, too.",
        "< → <=": "With a margin of 0 you would take the right one itself.",
        "-np.inf → 0.0 ¦ -1.0": "Scores can be below that. Write minus infinity.",
        "[np…None] → .max(axis=1, keepdims=True)": "Measure from the score of the right document.",
        "[np.arange(len(scores)), right][:, None] → [:, right]": "[:, right] has all those columns "
            "for every query. Each query needs its own.",
        "[:, None] →": "Make a column of the right scores, [:, None], one for each query.",
        "np.where(allowed, scores, -np.inf) → allowed": "Which has the highest score?",
        "argmax → max": "That is its score. Return the number of the document.",
        "→ scores.argmin(axis=1)": "Nobody would mistake it for the right one.",
        "→ scores.argmax(axis=1)": "That may be the right document itself.",
    },
)  # fmt: skip
