"""Exercises of Chapter 19: the contrastive loss, nDCG, the fusion of two lists."""

from __future__ import annotations

import math

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is
from .tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_RNG = np.random.default_rng(19)
_FROM_ZERO = "Your first place is 0, and log2(1 + 0) = 0 cannot divide. Places are counted from 1."


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _contrast(queries, documents, temperature, *, unit=_unit, cool=np.divide, others=as_it_is,
              shares=log_softmax, log=np.negative, reduce=np.mean):  # fmt: skip
    """Compute the mean loss of picking each query's own document."""
    documents = documents[: len(queries)] if others is None else documents
    scores = cool(unit(queries) @ unit(documents).T, temperature)
    return reduce(log(np.diagonal(shares(scores))))


def _without_own(queries, documents, temperature):
    scores = np.exp(_unit(queries) @ _unit(documents).T / temperature)
    own = np.diagonal(scores)
    return -np.log(own / (scores.sum(axis=1) - own)).mean()


def _right_ones_alone(queries, documents, temperature):
    own = (_unit(queries) * _unit(documents)[: len(queries)]).sum(axis=1)
    return -(own / temperature).mean()


def _at_small_temperatures(bad):
    """Build the answer of somebody whose loss is no number any more at low temperatures."""
    return lambda *case: bad if case[2] < 0.01 else _contrast(*case)


def _of_all(chosen):
    """Build the answer of somebody who averages over others than the right documents."""
    return lambda queries, documents, t: (
        -chosen(log_softmax(_unit(queries) @ _unit(documents).T / t)).mean()
    )


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
    mistakes=[
        Mistake({"unit": as_it_is}, "Your scores are dot products, and long vectors win. A cosine "
                "asks for the direction alone: scale every vector to length 1."),
        Mistake({"unit": lambda vectors: vectors / np.linalg.norm(vectors, axis=0)}, "You scale "
                "the columns. Each row is a vector, and has its own length."),
        Mistake({"cool": lambda cosines, t: cosines * t}, "You multiply by the temperature. A low "
                "one shall make differences larger."),
        Mistake({"cool": lambda cosines, t: cosines / t**2}, "You divide by the "
                "temperature twice."),
        Mistake(lambda queries, documents, t: _contrast(queries, documents, 1.0) / t, "You divide "
                "the loss by the temperature. It belongs to the scores, before the softmax."),
        Mistake(_of_all(lambda logs: logs), "You average over all documents. The loss asks for "
                "the right one of each query: the diagonal."),
        Mistake(_of_all(lambda logs: logs[:, 0]), "You take document 0 for every query. The right "
                "one of query i is document i."),
        Mistake({"cool": lambda cosines, t: cosines}, "Where is the temperature?"),
        Mistake({"others": None}, "Documents beyond those of the queries are left out. They are "
                "negatives: every query has to tell its own document from them, too."),
        Mistake({"shares": lambda scores: log_softmax(scores, axis=0)}, "Your softmax runs "
                "over the queries. Each query shares its probability among the documents."),
        Mistake({"shares": lambda scores: log_softmax(softmax(scores))}, "You take the softmax "
                "twice. torch's cross_entropy has one inside: give it the scores."),
        Mistake({"log": np.exp}, "That is the mean probability of the right documents. The loss "
                "is minus its logarithm."),
        Mistake({"log": as_it_is}, "Right up to the sign."),
        Mistake({"reduce": np.sum}, "That is the sum over the queries. Take the mean, so that "
                "batches of any size can be compared."),
        Mistake({"reduce": as_it_is}, "These are the losses of all queries. Take their mean."),
        Mistake({"log": lambda logs: -logs / math.log(2)}, "These are bits. Nats are "
                "counted with the natural logarithm."),
        *(Mistake(_at_small_temperatures(bad), OVERFLOW) for bad in (math.nan, math.inf)),
        Mistake(_without_own, "The right document is missing below the fraction line. A softmax "
                "divides by the sum over all documents, its own one included."),
        Mistake(_right_ones_alone, "Only the right documents have a say. What the wrong ones score "
                "belongs below the fraction line."),
    ],
)  # fmt: skip


def _ndcg(gains, k, *, discount=lambda places: 1 / np.log2(1 + places),
          best=lambda gains: np.sort(gains)[::-1], cut=as_it_is, grade=as_it_is):  # fmt: skip
    """Divide the gain of a list by that of the best order of the same documents."""

    def gain(listed, places):
        return (grade(listed[:places]) * discount(np.arange(1, len(listed[:places]) + 1))).sum()

    gains = np.asarray(gains, dtype=float)
    ideal = 1.0 if best is None else gain(best(gains), cut(k))
    return gain(gains, k) / ideal if ideal else 0.0


def _with_k_places(gains, k):
    places = np.log2(1 + np.arange(1, k + 1))
    listed, best = (np.asarray(x)[:k] / places for x in (gains, np.sort(gains)[::-1]))
    return listed.sum() / best.sum()


def _at_least_one(gains, k):
    gain, best = (_ndcg(listed, k, best=None) for listed in (gains, sorted(gains)[::-1]))
    return gain / max(best, 1)


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
    mistakes=[
        Mistake({"discount": lambda places: 1 / np.log2(2 + places)}, "Your first place counts "
                "less than 1. Places are counted from 1, and 1 is added once."),
        Mistake({"discount": lambda places: 1 / np.log2(places)}, _FROM_ZERO),
        Mistake(lambda gains, k: 1 / math.log2(1), _FROM_ZERO),
        Mistake({"discount": lambda places: 1 / (1 + np.log2(places))}, "You add 1 to the "
                "logarithm. It is added to the place, inside of it."),
        Mistake({"discount": lambda places: 1 / np.log(1 + places), "best": None}, "That is the "
                "natural logarithm, and the gain is not divided by the best one."),
        Mistake({"discount": lambda places: 1 / places}, "That is 1 / place. nDCG is milder: it "
                "divides by log2(1 + place)."),
        Mistake({"discount": np.ones_like}, "All places count alike. A document further down "
                "must count less."),
        Mistake({"best": None}, "That is the gain of the list, DCG. Divide it by the gain of the "
                "best order of these documents."),
        Mistake({"best": np.sort}, "You compare with the worst order. Which order is the best?"),
        Mistake({"cut": lambda k: None}, "The best list is cut off after k documents as well: "
                "nobody can have more than k good ones there."),
        Mistake({"best": lambda gains: np.full_like(gains, gains.max())}, "You compare with a list "
                "in which all documents are perfect. There are no others than these."),
        Mistake({"grade": lambda gains: 2.0**gains - 1}, "You take 2 to the power of the number, "
                "as some do. Here the number itself is the gain."),
        Mistake(ZeroDivisionError, "Where nothing is right, nothing can be gained. Return 0."),
        Mistake(_at_least_one, "Your best gain is 1 at least. It can be less: ask for 0 itself."),
        Mistake(lambda gains, k: _ndcg(gains, k) if any(gains) else math.nan, "Where nothing is "
                "right, 0 is divided by 0. Return 0 then."),
        Mistake(_with_k_places, "A list may be shorter than k. Count the places that it has."),
        Mistake(IndexError, "A list may be shorter than k. Go through the documents that it has."),
        Mistake(lambda gains, k: _ndcg(gains[:k], k), "Your best list is made of the first k "
                "documents only. A good one that stands further down was there to be found."),
    ],
)  # fmt: skip


def _places(scores):
    """Count places from 1, the best score first."""
    return np.argsort(np.argsort(-scores, kind="stable"), kind="stable") + 1


def _fusion(first, second, *, places=_places, constant=60, invert=np.reciprocal):
    return sum(invert((constant + places(scores)).astype(float)) for scores in (first, second))


check_fusion = Exercise(
    "Fuse two lists of scores: add 1 / (60 + place) over both.",
    _fusion,
    cases=[
        (np.array([0.9, 0.1, 0.5]), np.array([3.0, 12.0, 7.0])),
        (_RNG.permutation(7) / 7, _RNG.permutation(7) * 2.0),
    ],
    mistakes=[
        Mistake({"places": lambda scores: np.argsort(-scores) + 1}, "argsort says which document "
                "stands at each place. You need the place of each document: argsort once more."),
        Mistake({"places": lambda scores: np.argsort(scores) + 1}, "argsort says which document "
                "stands at each place, the worst first. Turn the scores round, and take argsort "
                "of argsort."),
        Mistake({"places": lambda scores: _places(scores) - 1}, "Your places begin with 0. The "
                "best document has place 1."),
        Mistake({"places": lambda scores: _places(-scores)}, "Your best document comes last. The "
                "highest score has place 1."),
        Mistake({"constant": 0}, "The 60 is missing. It keeps one first place from deciding all."),
        Mistake({"invert": as_it_is}, "You add places, and the best sum is the lowest one. Add "
                "their reciprocals, so that higher is better."),
        Mistake({"places": as_it_is}, "You add up scores. BM25 and cosines live on different "
                "scales; only the places can be compared."),
        Mistake(lambda first, second: first + second, "You add up the scores. BM25 and cosines "
                "live on different scales; only the places can be compared."),
        Mistake(lambda *both: sum(1 / 60 + _places(scores) for scores in both), "Python divides "
                "first: 1 / 60 + place. Put 60 + place into parentheses."),
        Mistake(lambda *both: 1 / (60 + sum(map(_places, both))), "You add the places below one "
                "fraction line. There are two fractions, one for each list."),
        Mistake(lambda *both: _fusion(*both) / 2, "That is the mean. Add the two."),
        Mistake(lambda *both: np.argsort(-_fusion(*both)), "That is the order of the documents. "
                "Return what each has in sum."),
    ],
)  # fmt: skip
