"""Exercises of Chapter 19: the contrastive loss, nDCG, fusion, hard negatives."""

from __future__ import annotations

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
    cases=[
        (*_vectors((2, 3), (2, 3)), 1.0),
        (*_vectors((3, 4), (5, 4)), 0.5),
        (*_vectors((4, 2), (4, 2)), 0.05),
    ],
    edges=[(np.eye(2), np.array([[-1.0, 0.0], [0.0, 1.0]]), 0.001)],
    given=to_tensor,
    forbidden=["a loop", "contrastive_loss"],
    then=gradients_flow(np.ones((2, 3)), np.ones((4, 3)), 0.5, to=2),
    mistakes={
        "_unit →": "Your scores are dot products, and long vectors win. A cosine asks for the "
            "direction alone: scale every vector to length 1.",
        "_unit(queries) @ _unit(documents).T → queries / norm(queries, axis=0) @ (documents / "
            "norm(documents, axis=0)).T": "You scale the columns. Each row is a vector, and has "
            "its own length.",
        "/ temperature → * temperature": "You multiply by the temperature. A low one shall make "
            "differences larger.",
        "/ temperature → / temperature**2": "You divide by the temperature twice.",
        "→ right(queries, documents, 1.0) / temperature": "You divide the loss by the temperature. "
            "It belongs to the scores, before the softmax.",
        "np.diagonal(logs) → logs": "You average over all documents. The loss asks for the right "
            "one of each query: the diagonal.",
        "np.diagonal(logs) → logs[:, 0]": "You take document 0 for every query. The right one of "
            "query i is document i.",
        "/ temperature →": "Where is the temperature?",
        "_unit(documents) → _unit(documents[: len(queries)])": "Documents beyond those of the "
            "queries are left out. They are negatives: every query has to tell its own document "
            "from them, too.",
        "log_softmax(scores) → log_softmax(scores, axis=0)": "Your softmax runs over the queries. "
            "Each query shares its probability among the documents.",
        "log_softmax(scores) → log_softmax(np.exp(log_softmax(scores)))":
            "You take the softmax twice. torch's cross_entropy has one inside: give it the scores.",
        "-np.diagonal(logs) → np.exp(np.diagonal(logs))": "That is the mean probability of the "
            "right documents. The loss is minus its logarithm.",
        "return -np.diagonal → return np.diagonal": "Right up to the sign.",
        "mean → sum": "That is the sum over the queries. Take the mean, so that batches of any "
            "size can be compared.",
        ".mean() →": "These are the losses of all queries. Take their mean.",
        "mean() → mean() / np.log(2)": "These are bits. Nats are counted with the natural "
            "logarithm.",
        ("→ right(queries, documents, temperature) if temperature > 0.01 else np.nan",
            "→ right(queries, documents, temperature) if temperature > 0.01 else np.inf"): OVERFLOW,
        "-np.diagonal(logs) → np.log(np.exp(scores).sum(axis=1) / np.exp(np.diagonal(scores)) - 1)":
            "The right document is missing below the fraction line. A softmax divides by the sum "
            "over all documents, its own one included.",
        "np.diagonal(logs) → np.diagonal(scores)": "Only the right documents have a say. What the "
            "wrong ones score belongs below the fraction line.",
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
    cases=[
        ([3, 2, 0, 1], 4),
        ([0, 1, 3, 2, 0, 2], 3),
        ([1, 0], 5),
        ([0, 0, 0, 1], 2),
    ],
    edges=[([0, 0, 0], 2), ([0.25, 0.5], 2)],
    mistakes={
        "1 + places → 2 + places": "Your first place counts less than 1. Places are counted from "
            "1, and 1 is added once.",
        ("1 + places → places", "→ 1 / 0.0"): "Your first place is 0, and log2(1 + 0) = 0 cannot "
            "divide. Places are counted from 1.",
        "np.log2(1 + places) → (1 + np.log2(places))": "You add 1 to the logarithm. It is added to "
            "the place, inside of it.",
        "np.log2 → np.log||/ best →": "That is the natural logarithm, and the gain is not divided "
            "by the best one.",
        "np.log2(1 + places) → places": "That is 1 / place. nDCG is milder: it divides by log2(1 + "
            "place).",
        "/ np.log2(1 + places) →": "All places count alike. A document further down must count "
            "less.",
        "/ best →": "That is the gain of the list, DCG. Divide it by the gain of the best order of "
            "these documents.",
        "[::-1] →": "You compare with the worst order. Which order is the best?",
        "[::-1][:k] → [::-1]": "The best list is cut off after k documents as well: nobody can "
            "have more than k good ones there.",
        "np.sort(gains)[::-1] → np.full(len(gains), max(gains))": "You compare with a list in "
            "which all documents are perfect. There are no others than these.",
        "listed / → (2.0**listed - 1) /": "You take 2 to the power of the number, as some do. Here "
            "the number itself is the gain.",
        ZeroDivisionError: "Where nothing is right, nothing can be gained. Return 0.",
        "best if best else 0.0 → max(best, 1)": "Your best gain is 1 at least. It can be less: ask "
            "for 0 itself.",
        "else 0.0 → else np.nan": "Where nothing is right, 0 is divided by 0. Return 0 then.",
        "len(listed) + 1 → k + 1": "A list may be shorter than k. Count the places that it has.",
        IndexError: "A list may be shorter than k. Go through the documents that it has.",
        "np.sort(gains) → np.sort(gains[:k])": "Your best list is made of the first k documents "
            "only. A good one that stands further down was there to be found.",
    },
)  # fmt: skip


def _fusion(first, second):
    one, other = (np.argsort(np.argsort(-scores)) + 1 for scores in (first, second))
    return 1 / (60 + one) + 1 / (60 + other)


check_fusion = Exercise(
    "Fuse two lists of scores: add 1 / (60 + place) over both.",
    _fusion,
    cases=[
        (np.array([0.9, 0.1, 0.5]), np.array([3.0, 12.0, 7.0])),
        (_RNG.permutation(7) / 7, _RNG.permutation(7) * 2.0),
    ],
    mistakes={
        "np.argsort(np.argsort(-scores)) → np.argsort(-scores)": "argsort says which document "
            "stands at each place. You need the place of each document: argsort once more.",
        "np.argsort(np.argsort(-scores)) → np.argsort(scores)": "argsort says which document "
            "stands at each place, the worst first. Turn the scores round, and take argsort of "
            "argsort.",
        "-scores)) + 1 → -scores))": "Your places begin with 0. The best document has place 1.",
        "-scores → scores": "Your best document comes last. The highest score has place 1.",
        "60 + →": "The 60 is missing. It keeps one first place from deciding all.",
        "1 / →": "You add places, and the best sum is the lowest one. Add their reciprocals, so "
            "that higher is better.",
        "np.argsort(np.argsort(-scores)) + 1 → scores": "You add up scores. BM25 and cosines live "
            "on different scales; only the places can be compared.",
        "→ first + second": "You add up the scores. BM25 and cosines live on different scales; "
            "only the places can be compared.",
        "1 / (60 + one) + 1 / (60 + other) → 1 / 60 + one + 1 / 60 + other":
            "Python divides first: 1 / 60 + place. Put 60 + place into parentheses.",
        "(60 + one) + 1 / (60 + other) → (60 + one + other)": "You add the places below one "
            "fraction line. There are two fractions, one for each list.",
        "→ right(first, second) / 2": "That is the mean. Add the two.",
        "→ np.argsort(-right(first, second))": "That is the order of the documents. Return what "
            "each has in sum.",
    },
)  # fmt: skip


def _hard(scores, right, margin):
    own = scores[np.arange(len(scores)), right][:, None]
    allowed = scores < own - margin
    return np.where(allowed, scores, -np.inf).argmax(axis=1)


check_hard_negatives = Exercise(
    "Choose for each query the best document that is clearly worse than its own.",
    _hard,
    cases=[
        (np.array([[0.9, 0.7, 0.2], [0.5, 0.4, 0.1], [0.8, 0.6, 0.9]]), np.array([0, 1, 2]), 0.15),
        (np.array([[0.3, 0.9, 0.1, 0.2], [0.6, 0.5, 0.7, 0.1]]), np.array([0, 2]), 0.05),
        (np.array([[0.2, 0.6, 0.5, 0.42]]), np.array([2]), 0.1),
    ],
    edges=[
        (np.array([[0.5, 0.25, 0.125]]), np.array([0]), 0.25),
        (np.array([[0.3, -0.2, -0.5]]), np.array([0]), 0.1),
    ],
    mistakes={
        "scores < own - margin → np.arange(scores.shape[1]) != right[:, None]":
            "You take the best of all others. One that scores as high as the right one, or higher, "
            "may well be right itself: leave a margin below it.",
        "own - margin → own + margin": "You allow what scores above the right one. The margin lies "
            "below it.",
        "own - margin → own": "Where is the margin?",
        "own - margin → own * (1 - margin)": "Your margin is a share of the score. Here it is a "
            "difference.",
        "scores < own - margin → abs(scores - own) > margin": "You allow what lies far above the "
            "right one, too. Only what is below is surely wrong.",
        "< → <=": "More than the margin is asked for: with a margin of 0 you would take the right "
            "one itself.",
        "-np.inf → 0.0": "You write 0 where nothing may be chosen, and cosines can be below 0. "
            "Write minus infinity.",
        "scores[np.arange(len(scores)), right][:, None] → scores.max(axis=1, keepdims=True)":
            "You measure from the best score of the row. Measure from that of the right document.",
        "[np.arange(len(scores)), right][:, None] → [:, right]": "scores[:, right] has all those "
            "columns for every query. Each query needs its own: scores[np.arange(len(scores)), "
            "right].",
        "[:, None] →": "The scores of the right documents lie in a row. Make a column of them, [:, "
            "None], so that each is compared with its own query.",
        "np.where(allowed, scores, -np.inf) → allowed": "That is the first one allowed. Of all "
            "that are allowed take the one with the highest score.",
        "argmax → max": "That is its score. Return the number of the document.",
        "→ scores.argmin(axis=1)": "That is the worst document. It teaches nothing: nobody would "
            "mistake it for the right one.",
        "→ scores.argmax(axis=1)": "That may be the right document itself.",
    },
)  # fmt: skip
